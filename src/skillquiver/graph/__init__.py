"""3. Records and index to a typed skill graph."""
