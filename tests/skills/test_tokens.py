from __future__ import annotations

from skillquiver.skills.tokens import count_tokens


def test_counts_match_published_cl100k_examples() -> None:
    # "tiktoken is great!" is the six-token example of the tokenizer's own documentation.
    assert count_tokens("tiktoken is great!") == 6
    assert count_tokens("") == 0


def test_special_token_spellings_are_plain_text() -> None:
    assert count_tokens("<|endoftext|>") > 1
