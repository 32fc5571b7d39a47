"""6. What was used becomes weights."""
