from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from skillquiver.skills.markdown import read_markdown
from skillquiver.skills.records import Skill, TokenCounts
from skillquiver.skills.tiers import body, card, count_tiers, outline
from skillquiver.skills.tokens import count_tokens
from skillquiver.testing import make_skill


def outlined(text: str, name: str = "demo", **fields: object) -> list[str]:
    """Lines of the outline below the card."""
    skill = make_skill(name, "Makes demos.", text, **fields)
    return outline(skill, read_markdown(text)).splitlines()[1:]


def test_a_card_is_name_description_and_when_to_use_on_one_line() -> None:
    skill = make_skill("pdf", "Reads PDF.\nFast.", when_to_use="For forms.")
    assert card(skill) == "pdf: Reads PDF. Fast. When to use: For forms.\n"


def test_a_card_ends_at_a_sentence_when_the_description_is_long() -> None:
    skill = make_skill("pdf", "A" * 300 + ". " + "B" * 300 + ". ")
    assert card(skill) == "pdf: " + "A" * 300 + ".\n"


def test_a_description_without_a_sentence_end_is_kept_whole_or_named_by_its_size() -> None:
    assert card(make_skill("pdf", "word " * 150)) == "pdf: " + ("word " * 150).strip() + "\n"
    assert card(make_skill("pdf", "x" * 5000)) == "pdf: (a description of 5000 characters)\n"


def test_an_outline_has_headings_with_the_first_sentences_below() -> None:
    text = "# Guide\n\nReads it all. Then more.\n\n## Run\n\nStart the tool. Look.\n\nSecond paragraph.\n"
    assert outlined(text) == ["# Guide", "Reads it all. Then more.", "## Run", "Start the tool. Look."]


def test_an_outline_names_code_and_tables_and_never_opens_them() -> None:
    text = (
        "## Code\n\n```bash\nls\npwd\n```\n\n## Do\n\nRun this:\n\n```\nx\n```\n\n"
        "## Table\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    )
    assert outlined(text) == [
        "## Code",
        "(bash, 2 lines)",
        "## Do",
        "Run this: (code, 1 line)",
        "## Table",
        "(table of 1 row: a, b)",
    ]


def test_an_outline_quotes_three_list_items_and_counts_the_rest() -> None:
    text = (
        "## Steps\n\nIn order:\n\n1. **Open** the file. Wait.\n2. Read it\n   twice\n3. Close it\n4. Rest\n"
    )
    assert outlined(text) == [
        "## Steps",
        "In order: Open the file. Wait; Read it twice; Close it (and 1 more)",
    ]


def test_an_outline_leaves_out_what_says_nothing() -> None:
    text = (
        "# Demo\n\n[![build](b.svg)](ci)\n<div align='center'>\n\n## Table of Contents\n\n- [Run](#run)\n\n"
        "## Overview\n\n## Parent\n\n### Child\n\n<!-- note -->See [the docs](https://x.org/a_(b)).\n"
        "\n---\n\n## End\n"
    )
    assert outlined(text) == ["## Parent", "### Child", "See the docs."]


def test_a_text_without_sections_is_outlined_by_paragraph() -> None:
    text = "# Guide\n\nOne is this. So.\n\nTwo, as follows:\n\n- a\n- b\n\n```\nx\n\ny\n```\n\nThree.\n"
    assert outlined(text) == [
        "# Guide",
        "One is this. So.",
        "Two, as follows: a; b.",
        "(code, 3 lines)",
        "Three.",
    ]


def test_placeholders_in_inline_code_are_not_taken_for_html() -> None:
    assert outlined("## A\n\nRun `get <b> <name>` <b>now</b> on <host>.\n\n## B\n\nGo.\n")[1] == (
        "Run `get <b> <name>` now on <host>."
    )


def test_an_outline_drops_an_opening_that_repeats_the_description() -> None:
    assert outlined("# Demo\n\nMakes **demos**.\n\n## Run\n\nGo.\n") == ["## Run", "Go."]


def test_an_outline_lists_bundled_files_and_counts_those_beyond_eight() -> None:
    scripts = tuple(f"s{n}.py" for n in range(10))
    lines = outlined("## Run\n\nGo.\n", entrypoints=scripts, inputs=(".pdf",))
    assert lines[:2] == ["Scripts: " + ", ".join(scripts[:8]) + " and 2 more", "Reads: .pdf"]


def test_a_long_outline_gives_up_its_deepest_level_first_and_stays_small() -> None:
    deep = "".join(f"### Part {n}\n\nSays something of its own, number {n}.\n\n" for n in range(200))
    lines = outlined("## Main\n\nThe main thing.\n\n" + deep + "Filler. " * 300)
    assert lines[:2] == ["## Main", "The main thing."]
    assert sum(map(len, lines)) < 0.25 * len(deep) + 900


def test_a_body_is_the_whole_cleaned_text() -> None:
    assert body(make_skill("x", body="\n \n  indented\x1b[1m\r\n\ttext\n\n")) == "  indented\n\ttext\n"


def test_a_skill_without_instructions_has_its_card_for_a_body() -> None:
    assert body(make_skill("x", "Does x.", " \n")) == "x: Does x.\n"


def test_counts_are_those_of_card_and_body() -> None:
    text = "# Demo\n\nOne. Two.\n"
    skill = make_skill("demo", "Makes demos.", text)
    assert count_tiers(skill) == TokenCounts(card=count_tokens(card(skill)), body=count_tokens(text))


BLOCKS = [
    "# A\n",
    "## B b\n",
    "\n",
    "\n\n",
    "- item\n",
    "```sh\n",
    "```\n",
    "    code\n",
    "> quote\n",
    "===\n",
]
SPANS = [
    "text. ",
    "More: ",
    "<b>",
    "![i](u)",
    "[l](u)",
    "**",
    "é。",
    "\x1b[0m",
    "\t",
    "`",
    "| a | b |\n",
    "|--|\n",
]
PIECES = st.sampled_from([*BLOCKS, *SPANS])


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECES, max_size=40).map("".join))
def test_every_rendering_is_whole_lines_of_clean_text(text: str) -> None:
    skill: Skill = make_skill("demo", text, text, when_to_use=text)
    for rendering in (card(skill), outline(skill, read_markdown(text)), body(skill)):
        assert rendering.endswith("\n")
        assert rendering.strip()
        assert not rendering.startswith("\n")
        assert not rendering.endswith("\n\n")
        assert "\x1b" not in rendering
