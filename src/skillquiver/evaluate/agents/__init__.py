"""Skills handed to an agent that does the task: arms, task packs, text games, and what they came to."""
