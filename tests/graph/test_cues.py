"""What sentences claim; § is the referred skill, the speaker is the skill the sentence stands in."""

from __future__ import annotations

import pytest

from skillquiver.graph.cues import Claim, claim_of_frame, claim_of_lead, claim_of_title
from skillquiver.graph.relations import RelationType


def told(claim: object) -> str | None:
    if claim is None:
        return None
    assert isinstance(claim, Claim)
    return f"{'<' if claim.reverse else ''}{claim.type.value}"


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        ("Run § first, then come back.", "requires"),
        ("This skill builds on § and ¤.", "requires"),
        ("Requires energy data from § skill", "requires"),
        ("Before changing any code, use §.", "requires"),
        ("§ — Required for transactions", "requires"),
        ("REQUIRED SUB-SKILL: Use §", "requires"),
        ("Each report must hold one figure made with §.", "requires"),
        ("Read the plan that was created by § skill.", "<feeds_into"),
        ("§ - Creates the plan this skill executes", "<feeds_into"),
        ("Output from § skill or any folder of the same shape", "<feeds_into"),
        ("Outputs feed into § skill", "feeds_into"),
        ("Output can be used by ¤ and § skills", "feeds_into"),
        ("Next step: § to launch agents", "precedes"),
        ("Skills to invoke next: ¤, §, ¤", "precedes"),
        ("Once the design is validated, proceed to § skill.", "precedes"),
        ("Create an empty service, then invoke the § skill.", "precedes"),
        ("Evaluate when done with §", "precedes"),
        ("Map the ids before § or nothing is found.", "precedes"),
        ("Use after § creates the folders.", "<precedes"),
        ("REQUIRED SUB-SKILL: Use § to implement this plan.", "precedes"),
        ("Hand off to the § skill.", "routes_to"),
        ("If the user wants a deck, use §.", "routes_to"),
        ("Something broke? → §", "routes_to"),
        ("Use § when the data is larger than memory.", "routes_to"),
        ("For one file, use § instead.", "alternative_to"),
        ("A contested decision goes to §.", "routes_to"),
        ("Do not use this for spreadsheets; that is § work.", "routes_to"),
        ("NOT for audits (use §).", "routes_to"),
        ("Pass these so that § honors them instead of asking.", None),
        ("Replaces §.", "supersedes"),
        ("Superseded by §.", "<supersedes"),
        ("Never load § together with this skill.", "conflicts_with"),
        ("Verify every claim via §.", "<verifies"),
        ("Validates the plans written by §.", "verifies"),
        ("Extends the § skill.", "specializes"),
        ("Works well with §.", "complements"),
        ("See § for more.", "complements"),
        ("§ is a word.", None),
    ],
)
def test_a_sentence_claims_what_a_reader_takes_from_it(frame: str, expected: str | None) -> None:
    assert told(claim_of_frame(frame)) == expected


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Prerequisites", "requires"),
        ("📋 Dependencies", "requires"),
        ("Required workflow skills", "requires"),
        ("Next Steps", "precedes"),
        ("After Eval", "precedes"),
        ("When NOT to Use", "routes_to"),
        ("Alternatives", "alternative_to"),
        ("Related Skills", "complements"),
        ("name (required)", None),
        ("Dependency and breaking change analysis", None),
    ],
)
def test_a_heading_claims_something_only_where_it_is_about_other_skills(
    title: str, expected: str | None
) -> None:
    assert told(claim_of_title(title)) == expected


@pytest.mark.parametrize(
    ("lead", "expected"),
    [
        ("Called by", "<routes_to"),
        ("Receives from", "<feeds_into"),
        ("Hands off to", "routes_to"),
        ("Pairs with", "complements"),
        ("After", "<precedes"),
        ("Before", "precedes"),
        ("Options", None),
    ],
)
def test_the_line_above_a_list_gives_its_items_a_direction(lead: str, expected: str | None) -> None:
    assert told(claim_of_lead(lead)) == expected


def test_a_substitute_is_a_stronger_alternative_than_a_boundary() -> None:
    substitute, boundary = (
        claim_of_frame("Use this instead of §."),
        claim_of_frame("For decks use § instead."),
    )
    assert substitute is not None
    assert boundary is not None
    assert substitute.type == boundary.type == RelationType.ALTERNATIVE_TO
    assert substitute.confidence > boundary.confidence


def test_words_in_quotation_marks_claim_nothing_and_quoted_skills_count() -> None:
    assert claim_of_frame('| "Competitor page," "alternative page" | § |') is None
    assert claim_of_frame('Use it instead of "§".') == claim_of_frame("Use it instead of §.")
