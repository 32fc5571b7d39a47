"""7. Is it better? Experiments over the same use cases."""
