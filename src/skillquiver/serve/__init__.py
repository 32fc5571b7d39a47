"""5. One set of use cases, several faces."""
