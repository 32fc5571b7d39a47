"""stability."""
