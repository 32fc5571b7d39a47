"""2. Records to searchable indexes: the store, lexical and dense."""
