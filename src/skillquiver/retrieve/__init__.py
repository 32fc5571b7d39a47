"""4. Query to ranking, ranking to bundle."""
