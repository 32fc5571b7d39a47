"""Bounds of the hooks, each with its reason. Plain constants: the settings module costs 20 ms to import."""

from __future__ import annotations

__all__ = [
    "ALSO_CONFIDENCE",
    "ANSWER_BYTES",
    "CONTEXT_CHARACTERS",
    "CONTEXT_TOKENS",
    "DEADLINE_SECONDS",
    "HIT_CONFIDENCE",
    "INPUT_BYTES",
    "LEXICAL_RESERVE_SECONDS",
    "LINE_CHARACTERS",
    "PROMPT_CHARACTERS",
    "SUGGESTIONS",
    "TRANSCRIPT_BYTES",
]

DEADLINE_SECONDS = 1.5
"""From the start of the process to its end: hosts allow 5 to 30 s, a person notices one."""

LEXICAL_RESERVE_SECONDS = 0.8
"""What is left for a lexical answer when a warm server does not reply: three times what one takes."""

INPUT_BYTES = 8 * 1024 * 1024
"""Most that is read from the host. Tool events carry whole files; more than this is no event."""

PROMPT_CHARACTERS = 20_000
"""Of a longer prompt the beginning is looked at; the longest public task has 10,473."""

ANSWER_BYTES = 65_536
"""Most that one side of the local socket takes from the other beyond a prompt."""

SUGGESTIONS = 3
"""Above ``ALSO_CONFIDENCE`` hardly any prompt has a fourth (decisions/0056)."""

HIT_CONFIDENCE = 0.5
"""Least confidence of the best skill: as for the status ``hit``, more likely right than not."""

ALSO_CONFIDENCE = 0.3
"""Least confidence of what stands beside a hit: below, it is wrong nine times of ten (decisions/0056)."""

CONTEXT_CHARACTERS = 2_000
"""Most characters of a suggestion: hosts that cut begin at 10,000."""

CONTEXT_TOKENS = 250
"""Most tokens of a suggestion, by an estimate that is not below the count (see ``advice.estimate``)."""

LINE_CHARACTERS = 160
"""Of a skill's description: its first sentence, mostly."""

TRANSCRIPT_BYTES = 4 * 1024 * 1024
"""Most that is read from the end of a transcript when a session goes on."""
