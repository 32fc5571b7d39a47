"""Relations that a language model judges: optional, cached by both texts, bounded in cost."""
