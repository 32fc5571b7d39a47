from __future__ import annotations

import pytest

from skillquiver.serve.hosts.facts import FACTS, Listing, Rule
from skillquiver.serve.hosts.listing import FITTERS, Entry, Outcome, Shown, budget_of, fit
from skillquiver.types import SkillId

CLAUDE = Listing(Rule.NAMES_STAY, 0.01, 1536, own=0)
CODEX = Listing(Rule.SHORTEN_ALL, 0.02, 0, own=0)


def entry(name: str, characters: int, **more: int) -> Entry:
    return Entry(SkillId(f"t/{name}"), name, characters, **more)


def outcomes(shown: list[Shown]) -> list[str]:
    return [one.outcome.value for one in shown]


def test_every_rule_has_its_arithmetic() -> None:
    assert set(FITTERS) == set(Rule)


def test_a_window_of_200000_tokens_leaves_8000_characters_in_claude_code() -> None:
    assert budget_of(CLAUDE, 200_000) == 8_000
    assert budget_of(CODEX, 200_000) == 16_000


def test_of_56_texts_of_150_characters_the_last_eight_by_name_go() -> None:
    # Names: 56 lines of 11 characters and 55 line ends = 671. Each text 152: (8000 - 671) // 152 = 48.
    shown = fit([entry(f"alpha-{i:03}", 150) for i in range(56)], CLAUDE, 8_000)
    assert [one.entry.name for one in shown if one.outcome is Outcome.NAME_ONLY] == [
        f"alpha-{i:03}" for i in range(48, 56)
    ]


def test_the_hosts_own_entries_leave_room_for_twenty_as_was_seen() -> None:
    own = FACTS["claude-code"].listing
    assert own is not None
    shown = fit([entry(f"alpha-{i:03}", 150) for i in range(56)], own, 8_000, own=own.own)
    assert outcomes(shown).count("whole") == 20


def test_a_text_that_does_not_fit_is_passed_over_for_one_that_does() -> None:
    # Names "- a", "- b", "- c" and two line ends: 11. Room 20: a takes 12, b needs 12, c takes 5.
    assert outcomes(fit([entry("a", 10), entry("b", 10), entry("c", 3)], CLAUDE, 31)) == [
        "whole",
        "name-only",
        "whole",
    ]


def test_the_least_used_lose_first() -> None:
    entries = [entry("a", 10), entry("b", 10, uses=1, last_used=5), entry("c", 10, uses=1, last_used=9)]
    assert outcomes(fit(entries, CLAUDE, 11 + 12)) == ["name-only", "name-only", "whole"]


def test_one_text_is_cut_at_1536_characters() -> None:
    assert fit([entry("a", 2_000)], CLAUDE, 8_000)[0] == Shown(entry("a", 2_000), Outcome.SHORTENED, 1_536)


def test_codex_gives_all_texts_the_same_longest_length() -> None:
    # A line is 13 fixed characters, a name of 1 and its line end, a path of 1, and the text: 16 + text.
    # 20 tokens are 2 for two short texts (16 + 4 = 20: 5 tokens each) and the rest 10 tokens: 40 - 16 = 24.
    entries = [entry("a", 4, path=1), entry("b", 100, path=1), entry("c", 4, path=1)]
    assert [one.characters for one in fit(entries, CODEX, 80)] == [4, 24, 4]


def test_codex_leaves_out_the_last_names_that_do_not_fit() -> None:
    shown = fit([entry(name, 50, path=1) for name in "abc"], CODEX, 2 * 16)
    assert outcomes(shown) == ["name-only", "name-only", "left-out"]


@pytest.mark.parametrize("listing", [CLAUDE, CODEX])
def test_no_skills_are_no_entries(listing: Listing) -> None:
    assert fit([], listing, 100) == []
