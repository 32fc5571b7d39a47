from __future__ import annotations

from skillquiver.skills.markdown import read_markdown

TEXT = """intro `x`

# Title é

[a *b*](c.md)

```Bash title
# not a heading
ls
```

## Next
text
"""


def test_headings_inside_code_are_not_headings() -> None:
    assert [(h.level, h.text) for h in read_markdown(TEXT).headings] == [(1, "Title é"), (2, "Next")]


def test_offsets_count_characters_also_after_text_outside_ascii() -> None:
    document = read_markdown("日本 `x`\n\n# é é\n\n## Z\n")
    assert [document.text[h.start : h.end].strip() for h in document.headings] == ["# é é", "## Z"]


def test_a_code_block_knows_its_language_in_lower_case_and_its_text() -> None:
    (block,) = read_markdown(TEXT).code_blocks
    assert (block.language, block.text) == ("bash", "# not a heading\nls\n")


def test_sections_cut_the_text_at_headings_without_losing_a_character() -> None:
    document = read_markdown(TEXT)
    assert "".join(TEXT[s.start : s.end] for s in document.sections()) == TEXT
    assert [s.title for s in document.sections()] == ["", "Title é", "Next"]


def test_links_keep_their_target_and_visible_text() -> None:
    (link,) = read_markdown(TEXT).links
    assert (link.target, link.text) == ("c.md", "a b")
