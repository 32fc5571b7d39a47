"""Lines that labels quote are cut out, and nothing else."""

from __future__ import annotations

from skillquiver.evaluate.census import run
from skillquiver.evaluate.labels import OrderEdge
from skillquiver.evaluate.masking import cuts_of, masked
from skillquiver.evaluate.subject import Cut
from skillquiver.testing import make_skill
from skillquiver.types import SkillId
from tests.evaluate.graph_subjects import GraphSubject, cells, inputs, table_of, value

BODY = "# Plot\n\n- Run **`clean-data`** first, always.\n\nThen draw the charts of the data."


def edge(before: str, after: str, evidence: str = "", corpus: str = "one") -> OrderEdge:
    return OrderEdge(SkillId(before), SkillId(after), "next", corpus, evidence)


def test_a_cut_holds_below_the_folder_of_its_corpus() -> None:
    order = [
        edge("lib/a/x/one", "lib/a/y/two", "[Steps] Run `two` afterwards!"),
        edge("lib/b/one", "lib/b/one/part", "Hand over to `part`."),
        edge("lib/b/one", "lib/b/two"),
        edge("here/one", "there/two", "Go there.", corpus="three"),
    ]
    order = [
        order[0],
        *(OrderEdge(e.before, e.after, e.relation, "two", e.evidence) for e in order[1:3]),
        order[3],
    ]
    assert cuts_of(order) == (
        Cut("lib/a", "run two afterwards"),
        Cut("", "go there"),
        Cut("lib/b", "hand over to part"),
    )


def test_quoted_lines_and_fields_go_and_the_rest_stays() -> None:
    skill = make_skill(
        "plot",
        body=BODY,
        metadata={"name": "plot", "description": "Plots.", "requires": ["clean-data"], "license": "MIT"},
    )
    (found,) = masked(
        [skill], [Cut("test", "run clean data first always"), Cut("test", "requires clean data")]
    )
    assert found.body == "# Plot\n\n\nThen draw the charts of the data."
    assert found.metadata == {"name": "plot", "description": "Plots.", "license": "MIT"}
    assert found.content_hash != skill.content_hash


def test_what_is_not_quoted_or_lies_elsewhere_is_left_as_it_is() -> None:
    skill = make_skill("plot", body=BODY)
    assert masked(
        [skill], [Cut("test", "something else entirely"), Cut("other", "run clean data first")]
    ) == [skill]
    assert masked([skill], [Cut("", "run clean data first")])[0].body != skill.body


def test_short_lines_stay_even_if_they_are_quoted() -> None:
    skill = make_skill("plot", body="# Plot\n\nClean first.")
    assert masked([skill], [Cut("test", "plot"), Cut("test", "clean first")]) == [skill]


def test_a_quotation_that_was_cut_short_or_goes_on_is_found() -> None:
    long = "Before anything is drawn, the rows have to be cleaned by the skill that is called clean-data."
    skill = make_skill("plot", body=long)
    (cut,) = cuts_of([edge("test/clean-data", "test/plot", long)])
    assert len(cut.text) == 60
    assert masked([skill], [cut])[0].body == ""
    started = make_skill("plot", body="Before anything is drawn, the rows have to be cleaned: see there.")
    assert masked([started], [cut])[0].body == ""


def test_the_census_says_what_is_known_without_the_quoted_lines() -> None:
    skills = [
        make_skill("fetch-data", "Fetches data.", "Next step: hand over to `clean-data`."),
        make_skill("clean-data", "Cleans data.", "Next step: hand over to `plot-data`."),
        make_skill("plot-data", "Plots data.", "## Prerequisites\n\nRun the `clean-data` skill first."),
    ]
    order = (
        edge("test/fetch-data", "test/clean-data", "Next step: hand over to `clean-data`."),
        edge("test/clean-data", "test/plot-data", "Next step: hand over to `plot-data`."),
    )
    section = run(GraphSubject.built(skills), inputs(order=order))
    table = table_of(section, "Pairs of known order")
    assert value(cells(table, "all")["right"]) == 1.0
    assert value(cells(table, "all, quoted lines cut out")["right"]) == 0.5  # the prerequisite says it, too
    assert "Built without the lines that the labels quote" in section.answer
