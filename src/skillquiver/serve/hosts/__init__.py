"""Writing agent hosts' own configuration, and taking it out again byte for byte."""
