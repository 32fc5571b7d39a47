from __future__ import annotations

from skillquiver.index.reading import CHUNK, INLINE, crew, dense_text, text_hash
from skillquiver.testing import make_skill


def test_work_of_several_processes_comes_in_the_order_of_the_items() -> None:
    items = list(range(INLINE + 1))
    with crew(2) as team:
        chunks = list(team.map(tuple, items))
    assert [len(chunk) for chunk in chunks] == [CHUNK, CHUNK, CHUNK, 1]
    assert [item for chunk in chunks for item in chunk] == items


def test_little_work_is_done_in_this_process() -> None:
    seen: list[int] = []
    with crew(2) as team:
        list(team.map(seen.extend, [1, 2, 3]))
    assert seen == [1, 2, 3]


def test_the_vector_of_a_skill_is_named_by_name_description_and_when_to_use() -> None:
    one = make_skill("pdf", "Fills in forms.", "Body.", when_to_use="For forms.")
    other = make_skill("pdf", "Fills in forms.", "Another body.", when_to_use="For forms.")
    assert dense_text(one) == "pdf. Fills in forms. For forms."
    assert text_hash(one) == text_hash(other)
    assert text_hash(one) != text_hash(make_skill("pdf", "Fills in forms.", "Body."))
