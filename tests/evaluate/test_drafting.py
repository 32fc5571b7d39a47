from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from skillquiver.errors import LibraryMissingError, UsageError
from skillquiver.evaluate.drafting import DRAFT_TAGS, drafted, prompts_of_body, prompts_of_card
from skillquiver.evaluate.echo_test import echoes
from skillquiver.evaluate.qrels import Query, judge, read_queries
from skillquiver.serve.usecases.query_files import draft_queries
from skillquiver.skills.records import Skill
from skillquiver.testing import make_skill
from tests.libraries import index, put


def card(description: str, when_to_use: str = "") -> list[str]:
    return prompts_of_card(make_skill("s", description, when_to_use=when_to_use))


# --- what is a prompt ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        ('Use when someone says "merge these two files" or “split a long document”.',
         ["merge these two files", "split a long document"]),
        ("Merges files. Triggers on 'merge these two files', 'append a page'.",
         ["merge these two files", "append a page"]),
        ("Use this skill when the user asks for 「請把這些檔案合併成一個」.", ["請把這些檔案合併成一個"]),
        ('Writes "merge these two files" into a log.', []),  # nothing says that anyone says so
        ('Writes "a title in quotes"; use it when asked.', []),  # quoted before it is said
        ('Use when asked to "merge files".', []),  # two words are a name
        ("Use it when the user's own file is the client's only copy.", []),  # apostrophes quote nothing
        ('Use when asked: "[thing] is broken again".', []),  # begins with no letter
        ('Use when asked "merge\nthese files now".', []),  # a quotation does not go over a line's end
        ('Use when asked "merge these two files", "merge these two files".', ["merge these two files"]),
    ],
)  # fmt: skip
def test_a_description_quotes_prompts_behind_words_that_say_so(description: str, expected: list[str]) -> None:
    assert card(description) == expected


def test_when_to_use_is_read_by_itself() -> None:
    found = card('Use when asked to "merge these two files".', 'The user says "append a page".')
    assert found == ["merge these two files", "append a page"]
    assert card("Use it when needed.", 'Writes "a title in quotes".') == []


BODY = """# Merge

"This quotation stands in no section about use, so"

## When to use

- "please merge the two reports I sent you"
- "too short for a body"

```
"this one stands in a block of code, does it not"
```

## Steps

"these words are in a section about something else"

## Example prompts

“can you append my invoices to the archive”, and again "please merge the two reports I sent you"
"""


def test_a_body_quotes_prompts_in_its_sections_about_use_outside_of_code() -> None:
    assert prompts_of_body(BODY) == [
        "please merge the two reports I sent you",
        "can you append my invoices to the archive",
    ]


def test_only_the_head_of_a_section_is_read() -> None:
    far = f'## Usage\n\n{"word " * 800}\n"please merge the two reports I sent you"\n'
    assert prompts_of_body(far) == []
    assert prompts_of_body(far.replace("word " * 800, "")) == ["please merge the two reports I sent you"]


# --- queries of a library --------------------------------------------------------------------------


def says(name: str, *prompts: str) -> Skill:
    quoted = ", ".join(f'"{prompt}"' for prompt in prompts)
    return make_skill(name, f"Does {name}. Use when the user says {quoted}.")


def texts(found: Sequence[Query]) -> set[str]:
    return {query.query for query in found}


def test_a_query_has_the_prompt_the_skill_and_tags_that_warn() -> None:
    (found,) = drafted([says("merge", "merge these two files")], limit=9)
    assert (found.query, found.gold, found.tags) == ("merge these two files", ("test/merge",), DRAFT_TAGS)
    assert "echo-prone" in found.tags


def test_drafts_are_echoes_by_the_rule_that_finds_them() -> None:
    skill = says("merge", "merge these two files by date")
    found = drafted([skill], limit=9)
    (task,) = judge(found, [skill.id], {}, name="draft").tasks
    assert echoes(task, {skill.id: skill})


def test_a_prompt_of_several_skills_is_one_query_that_wants_them_all() -> None:
    skills = [says("b", "Merge these  two files"), says("a", "merge these two files")]
    (found,) = drafted(skills, limit=9)
    assert found.gold == ("test/a", "test/b")


@pytest.mark.parametrize(
    "prompt",
    ["what should I do", "merge <these> two files", "merge these {names} now", "merge ... files now"],
)
def test_templates_and_function_words_alone_are_nothing_that_a_person_says(prompt: str) -> None:
    assert drafted([says("merge", prompt)], limit=9) == []


def test_a_skill_gives_no_more_than_its_share() -> None:
    prompts = [f"merge the {word} documents" for word in "red green blue black white".split()]
    found = drafted([says("merge", *prompts)], limit=99)
    assert texts(found) == set(prompts[:3])


def test_a_limit_takes_the_first_prompt_of_every_skill_before_the_second_of_any() -> None:
    skills = [says(n, f"paint the {n} wall", f"clean the {n} floor") for n in ("red", "green", "blue")]
    found = drafted(skills, limit=4)
    assert texts(found[:3]) == {f"paint the {n} wall" for n in ("red", "green", "blue")}
    assert len(found) == 4
    assert found == drafted(skills, limit=99)[:4]


def test_the_order_of_skills_changes_nothing() -> None:
    skills = [says(n, f"paint the {n} wall", f"clean the {n} floor") for n in ("red", "green", "blue")]
    assert drafted(skills, limit=5) == drafted(skills[::-1], limit=5)


# --- the file --------------------------------------------------------------------------------------


@pytest.fixture
def library(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    for name in ("merge", "split", "rotate"):
        put(root, name, f"{name}s pages. Use when someone says '{name} these long documents'.")
    put(root, "quiet", "Says nothing.")
    index(tmp_path / "library", root, vectors=False)
    return tmp_path / "library"


def test_a_draft_is_a_query_file_of_this_library(library: Path, tmp_path: Path) -> None:
    draft = draft_queries(library, tmp_path / "new" / "q.jsonl", limit=9, force=False)
    assert (draft.queries, draft.skills) == (3, 3)
    found = read_queries(draft.file.read_text(encoding="utf-8"), origin="draft")
    assert {q.gold for q in found} == {("root/merge",), ("root/rotate",), ("root/split",)}
    assert {q.tags for q in found} == {DRAFT_TAGS}
    assert len({q.query_id for q in found}) == 3


def test_the_same_library_gives_the_same_bytes(library: Path, tmp_path: Path) -> None:
    files = [draft_queries(library, tmp_path / name, limit=2, force=False).file for name in "ab"]
    assert files[0].read_bytes() == files[1].read_bytes()
    assert len(files[0].read_text(encoding="utf-8").splitlines()) == 2


def test_a_file_that_exists_is_left_alone_unless_forced(library: Path, tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    file.write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match=r"q\.jsonl exists; --force overwrites it"):
        draft_queries(library, file, limit=9, force=False)
    assert file.read_text(encoding="utf-8") == "mine"
    draft_queries(library, file, limit=1, force=True)
    assert json.loads(file.read_text(encoding="utf-8"))["tags"] == list(DRAFT_TAGS)


def test_a_library_that_quotes_nothing_says_what_to_do_and_writes_nothing(tmp_path: Path) -> None:
    put(tmp_path / "root", "quiet", "Says nothing.")
    index(tmp_path / "library", tmp_path / "root", vectors=False)
    with pytest.raises(UsageError, match="write queries by hand"):
        draft_queries(tmp_path / "library", tmp_path / "q.jsonl", limit=9, force=False)
    with pytest.raises(LibraryMissingError):
        draft_queries(tmp_path / "none", tmp_path / "q.jsonl", limit=9, force=False)
    assert not (tmp_path / "q.jsonl").exists()
