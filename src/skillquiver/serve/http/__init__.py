"""The HTTP face: a gateway over several live libraries, with bearer tokens, limits and metrics."""
