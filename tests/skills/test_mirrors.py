from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from skillquiver.skills.mirrors import settle
from skillquiver.skills.roots import Scope

from .library import codes


@dataclass(frozen=True)
class Row:
    id: str
    name: str = "pdf"
    body_hash: str = "same"
    content_hash: str = "c" * 64
    path: str = ""
    mtime_ns: int = 0
    scope: Scope = Scope.GIVEN


def kept(*rows: Row) -> list[str]:
    return [row.id for row in settle(rows)[0]]


def test_copies_of_a_skill_collapse_to_the_one_nearest_to_the_root_and_the_other_is_reported_by_hash() -> (
    None
):
    near, far = Row("lib/pdf"), Row("lib/mirror/pdf", path="/lib/mirror/pdf", content_hash="0123456789abcdef")
    stay, (finding,) = settle([far, near])
    assert stay == (near,)
    assert (finding.code, finding.path) == ("mirror", "/lib/mirror/pdf")
    assert "0123456789ab" in finding.message
    assert "lib/pdf" in finding.message


def test_of_copies_at_one_depth_the_newest_wins_then_the_smaller_id() -> None:
    assert kept(Row("a/pdf", mtime_ns=1), Row("b/pdf", mtime_ns=2)) == ["b/pdf"]
    assert kept(Row("b/pdf"), Row("a/pdf")) == ["a/pdf"]


def test_an_older_copy_with_another_text_is_kept_and_reported() -> None:
    stay, (finding,) = settle(
        [Row("lib/pdf"), Row("lib/mirror/pdf", body_hash="older", content_hash="d" * 64)]
    )
    assert [row.id for row in stay] == ["lib/mirror/pdf", "lib/pdf"]
    assert finding.code == "name-shared"
    assert "dddddddddddd" in finding.message


def test_the_project_wins_over_the_user_and_the_other_is_reported() -> None:
    mine, theirs = Row("u/pdf", scope=Scope.USER), Row("p/pdf", scope=Scope.PROJECT, body_hash="other")
    stay, findings = settle([mine, theirs])
    assert (stay, codes(findings)) == ((theirs,), ["shadowed"])


def test_the_project_wins_over_an_identical_copy_of_the_user_even_if_that_is_newer() -> None:
    assert kept(Row("u/pdf", scope=Scope.USER, mtime_ns=9), Row("p/x/pdf", scope=Scope.PROJECT)) == [
        "p/x/pdf"
    ]


def test_two_plugins_with_a_skill_of_one_name_keep_both() -> None:
    rows = (
        Row("A/skills/doctor", "doctor", "a", scope=Scope.PLUGIN),
        Row("B/skills/doctor", "doctor", "b", scope=Scope.PLUGIN),
    )
    stay, findings = settle(rows)
    assert (stay, codes(findings)) == (rows, ["name-shared"])


def test_a_users_skill_does_not_hide_a_plugins_skill() -> None:
    assert kept(Row("u/pdf", scope=Scope.USER), Row("x/pdf", body_hash="b", scope=Scope.PLUGIN)) == [
        "u/pdf",
        "x/pdf",
    ]


def test_one_text_under_two_names_keeps_both_and_says_so() -> None:
    stay, findings = settle([Row("a/pdf"), Row("a/print", "print")])
    assert (len(stay), codes(findings)) == (2, ["body-shared"])


ROWS = st.builds(
    Row,
    st.sampled_from(["a/x", "a/y", "b/x", "b/m/x", "c/z"]),
    st.sampled_from(["x", "X", "y"]),
    st.sampled_from(["1", "2"]),
    mtime_ns=st.integers(0, 2),
    scope=st.sampled_from(list(Scope)),
)


@given(
    st.lists(ROWS, unique_by=lambda row: row.id).flatmap(
        lambda rows: st.tuples(st.just(rows), st.permutations(rows))
    )
)
def test_the_result_does_not_depend_on_the_order_and_every_lost_skill_is_reported(
    pair: tuple[list[Row], list[Row]],
) -> None:
    rows, shuffled = pair
    assert settle(rows) == settle(shuffled)
    stay, findings = settle(rows)
    assert len(rows) - len(stay) == sum(f.code in ("mirror", "shadowed") for f in findings)
