"""1. Files to records: discovery, lenient parsing, facts, findings."""
