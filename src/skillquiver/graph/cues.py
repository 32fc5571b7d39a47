"""Cue phrases: what the words around a reference claim about its type and direction.

A cue is matched against one *frame*: the sentence around the reference with markup removed, the referred
skill written ``§`` and any other referred skill ``¤``. The first cue that matches decides, so the table is
ordered from the most specific claim to the least.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from skillquiver.graph.relations import RelationType as T

__all__ = [
    "CUES",
    "LEAD_CUES",
    "SECTION_CUES",
    "Claim",
    "Cue",
    "claim_of_frame",
    "claim_of_lead",
    "claim_of_title",
]


@dataclass(frozen=True, slots=True)
class Claim:
    """A relation type for *speaker → referred skill*, or the other way round if ``reverse``."""

    type: T
    reverse: bool = False
    confidence: float = 0.5


@dataclass(frozen=True, slots=True)
class Cue:
    """A pattern over frames and what it claims."""

    pattern: re.Pattern[str]
    claim: Claim


_WORDS = {
    "GAP": r"[^.;§]",  # anything inside the clause
    "RUN": r"(?:use|run|invoke|call|load|read|see|consult|apply|execute|start|launch|open|trigger|try)",
    "MADE": r"(?:created|produced|generated|written|exported|returned|built|made|prepared|saved|emitted)",
    "MAKES": r"(?:creates?|produces?|generates?|provides?|supplies|writes?|outputs?|builds?|prepares?)",
    "NOT": r"(?:do not|don't|never)",
    "GOES": r"(?:feeds?|flows?|piped?|passe[sd]|passed on|handed)",
    "GO": r"(?:proceed|continue|move on|go on|go|transition|advance)",
    "NEEDS": r"(?:requires|depends? on|relies on|pre-?requisites?|assumes|builds (?:up)?on)",
    "HERE": r"(?:using|running|starting|you|this|proceeding|continuing|any)",
    "CHECKED": r"(?:verified|validated|checked|reviewed|audited|tested)",
    "CHECKS": r"(?:verif(?:y|ies)|validates?|double-checks?|fact-checks?|audits?)",
    "DONE": r"(?:done|completed?|finished|ready|validated|approved|passes|passing)",
    "MINE": r"(?:this skill|used here|(?:needed|required|consumed|used|executed) (?:here|by this))",
}


def _cues(type_: T, confidence: float, *phrases: str, reverse: bool = False) -> tuple[Cue, ...]:
    """One cue per phrase; ``<GAP:n>`` is up to n characters of the clause, ``<WORD>`` one of ``_WORDS``."""
    claim = Claim(type_, reverse, confidence)
    return tuple(Cue(re.compile(_expand(phrase), re.IGNORECASE), claim) for phrase in phrases)


def _expand(phrase: str) -> str:
    phrase = re.sub(r"<GAP:(\d+)>", lambda m: f"{_WORDS['GAP']}{{0,{m[1]}}}", phrase)
    return re.sub(r"<([A-Z]+)>", lambda m: _WORDS[m[1]], phrase)


CUES: tuple[Cue, ...] = (
    # One replaces the other.
    *_cues(T.SUPERSEDES, 0.9, r"\b(?:supersedes|replaces|successor (?:of|to)|deprecates)\b<GAP:25>§"),
    *_cues(
        T.SUPERSEDES,
        0.9,
        r"\b(?:superseded|replaced|obsoleted|renamed) (?:by|to)\b<GAP:25>§",
        r"\b(?:is|are|now) deprecated\b<GAP:20>\b(?:use|favou?r|see)\b<GAP:20>§",
        reverse=True,
    ),
    # Not both.
    *_cues(
        T.CONFLICTS_WITH,
        0.85,
        r"\b(?:conflicts? with|incompatible with|mutually exclusive with)\b<GAP:25>§",
        r"\b<NOT> (?:use|load|combine|mix|run|enable)\b<GAP:40>\b(?:together|alongside)\b<GAP:20>§",
        r"\b<NOT> (?:load|combine|mix|enable) §<GAP:20>\b(?:together|alongside|with)\b",
    ),
    # Not this one but that one.
    *_cues(
        T.ALTERNATIVE_TO,
        0.85,
        r"\binstead of\b<GAP:30>§",
        r"§[^.;]{0,40}\binstead of (?:this|it|me)\b",
        r"\brather than\b<GAP:30>§",
        r"\balternatives?(?: to|:| is)?\b<GAP:30>§",
        r"§<GAP:30>\b(?:is|as) an alternative\b",
    ),
    # The same words about another task: a boundary, and a weaker claim that either would do.
    *_cues(
        T.ALTERNATIVE_TO,
        0.74,
        r"§[^.;]{0,80}\binstead\b(?! of \w+ing\b)",
        r"\binstead\b[^.;]{0,40}§",
    ),
    # The task goes to the other, in so many words.
    *_cues(
        T.ROUTES_TO,
        0.85,
        r"\bhand(?:s|ed|ing)?[- ]?(?:off|over)\b<GAP:40>§",
        r"\bgoes to (?:the )?§",
        r"\b(?:delegat|rout|redirect|forward|escalat|dispatch|switch|transfer|defer)\w*"
        r" (?:it |this |them |work |control |back )?to\b<GAP:40>§",
    ),
    # This task is none of this skill's.
    *_cues(
        T.ROUTES_TO,
        0.75,
        r"\b(?:not for|when not to use)\b[^§]{0,160}§",
        r"\b<NOT> use (?:this|it|when|for)\b[^§]{0,160}§",
        r"\b(?:not (?:intended|suitable|meant) for|out of scope)\b[^§]{0,120}§",
    ),
    # One checks the other's work.
    *_cues(T.VERIFIES, 0.75, r"\b<CHECKS>\b<GAP:50>\b(?:by|of|from)\b<GAP:15>§"),
    # The other's product is what this one works on.
    *_cues(
        T.FEEDS_INTO,
        0.85,
        r"\b<MADE>\b (?:by|from)\b<GAP:20>§(?!<GAP:30>\b(?:later|after)\b)",
        r"§<GAP:25>\b<MAKES>\b<GAP:50>\b<MINE>",
        r"\b(?:outputs?|results?|findings|reports?|artifacts?|deliverables?) (?:of|from)\b<GAP:30>§",
        r"\b(?:takes|consumes|ingests|reads|parses)\b<GAP:40>\b(?:of|from|by)\b<GAP:20>§",
        reverse=True,
    ),
    *_cues(
        T.FEEDS_INTO,
        0.85,
        r"\b<GOES> (?:directly )?(?:in|on|over)?to\b<GAP:60>§",
        r"\b(?:used|consumed|read|picked up|taken|executed|processed|needed|required) by\b<GAP:30>§",
        r"\b(?:as )?inputs? (?:to|for)\b<GAP:30>§",
    ),
    # One makes a part of its product with the other's help.
    *_cues(T.REQUIRES, 0.75, r"\b<MADE>\b<GAP:30>\b(?:via|using|with)\b<GAP:12>§"),
    # One's work is checked with the other.
    *_cues(
        T.VERIFIES,
        0.75,
        r"\b<CHECKED> (?:by|with|using|via)\b<GAP:30>§",
        r"\b(?:verify|validate|double-check|fact-check)\b<GAP:50>\b(?:with|using|via)\b<GAP:20>§",
        reverse=True,
    ),
    # The other carries out what this one planned, whatever else the sentence says.
    *_cues(
        T.PRECEDES,
        0.86,
        r"\buse §<GAP:12>\bto (?:implement|execute|carry out|build|deliver) (?:this|the|that) \w+",
    ),
    # First the other.
    *_cues(
        T.REQUIRES,
        0.85,
        r"\b<RUN>\b<GAP:40>§[^.;]{0,60}\bfirst\b",
        r"\b<RUN>\b<GAP:40>§[^.;]{0,30}\bbefore <HERE>\b",
        r"\bbefore\b[^.;,§]{3,60}, <RUN>\b<GAP:20>§",
        r"\bfirst\b[,:]? <RUN>\b<GAP:25>§",
        r"\b<NEEDS>\b(?! by)<GAP:25>§",
        r"\bmust\b<GAP:30>§<GAP:30>\bfirst\b",
        r"§\W{0,8}(?:required\b(?! by)|is required|is a prerequisite|prerequisite|mandatory)",
        r"\brequired\b(?: background| skills?| sub-skill)?\W{1,4}(?:use |read |load )?§",
    ),
    *_cues(
        T.PRECEDES,
        0.8,
        r"\b(?:after|once|following) (?:you )?(?:have )?(?:running |using |completing |run |the |you run )?§",
        reverse=True,
    ),
    *_cues(T.PRECEDES, 0.8, r"\bbefore (?:running |using |invoking |starting |moving to |the )?§"),
    # Then the other.
    *_cues(
        T.PRECEDES,
        0.85,
        r"\bnext(?: skills?| steps?| up)\b\W{0,4}<GAP:60>§",
        r"\bnext(?::|,? <RUN>)<GAP:60>§",
        r"\b(?:then|afterwards|finally|subsequently)\b[, ]{1,2}(?:<RUN>|<GO>)\b<GAP:40>§",
        r"\b<GO>\b<GAP:12>\b(?:to|with)\b<GAP:40>§",
        r"\bfollowed by\b<GAP:20>§",
        r"\bfollow(?:-| )?up with\b<GAP:20>§",
    ),
    *_cues(
        T.PRECEDES,
        0.75,
        r"\b(?:when|once|after)\b[^.;§]{0,50}\b<DONE>\b[^.;§]{0,40}§",
        r"\b(?:done|completion|complete|finish\w*|approval)\b[^.;§]{0,20}\b<RUN>\b<GAP:30>§",
        r"§<GAP:60>\b(?:after|once|when) (?:this|all|everything|completing|implementation|the plan)\b",
    ),
    *_cues(
        T.SPECIALIZES,
        0.8,
        r"\b(?:speciali[sz]es|extends|variant of|subset of)\b<GAP:30>§",
        r"\bspecial(?:i[sz]ed)? (?:case|version|variant) of\b<GAP:30>§",
        r"\b(?:sub-?skill of|child (?:skill )?of|part of the)\b<GAP:10>§",
    ),
    # The task, or a part of it, goes to the other.
    *_cues(
        T.ROUTES_TO,
        0.7,
        r"\b(?:for|if|when)\b[^.;§]{3,140}[,:;→>–—-]\s*(?:please |also |then )?\b<RUN>\b<GAP:30>§",
        r"\b(?:use|invoke|consult|load)\b(?: the)? §(?: skill)? (?:for|to|when|if)\b",
        r"\bfor [^.;,§]{3,60} use (?:the )?§",
        r"(?:→|->|=>)\s*(?:<RUN> |start with )?(?:the )?§",
    ),
    *_cues(T.REQUIRES, 0.6, r"\b(?:using|via|through|with help of) (?:the )?§"),
    *_cues(T.ROUTES_TO, 0.6, r"\b(?:invok|call|run|us|load|execut|activat|trigger)(?:e|es|s)?\b<GAP:30>§"),
    # Together.
    *_cues(
        T.COMPLEMENTS,
        0.7,
        r"\b(?:works?|pairs?|together|combined?) (?:well )?with\b<GAP:40>§",
        r"\b(?:alongside|companion)\b<GAP:40>§",
        r"\b(?:complements?|integrat\w+ with|see also|related)\b<GAP:40>§",
        r"\bsee\b<GAP:20>§",
        r"§<GAP:30>\bfor (?:more|details)\b",
    ),
)
"""Ordered; the first match decides."""

LEAD_CUES: tuple[Cue, ...] = (
    *_cues(T.ROUTES_TO, 0.8, r"\b(?:called|used|invoked|triggered|spawned|loaded) by\b", reverse=True),
    *_cues(T.REQUIRES, 0.8, r"\brequired by\b", reverse=True),
    *_cues(T.PRECEDES, 0.75, r"^\W*(?:runs? |comes |used )?after\W*$", reverse=True),
    *_cues(T.PRECEDES, 0.75, r"^\W*(?:runs? |comes |used )?before\W*$"),
    *_cues(
        T.FEEDS_INTO,
        0.75,
        r"\b(?:receives?|inputs?|hand-?offs?|data|upstream|fed|consumes) (?:\w+ )?from\b",
        reverse=True,
    ),
    *_cues(T.FEEDS_INTO, 0.75, r"\b(?:feeds|outputs?|sends|delivers|provides) (?:\w+ )?(?:in)?to\b"),
    *_cues(T.ROUTES_TO, 0.8, r"\b(?:hand-?offs?|hands? off|delegates?|routes?|escalates?) (?:\w+ )?to\b"),
    *_cues(T.COMPLEMENTS, 0.8, r"\b(?:pairs|works|combines|integrates) (?:well )?with\b"),
)
"""What the line that announces a list says of its items; the items themselves do not overrule it."""

SECTION_CUES: tuple[Cue, ...] = (
    *_cues(T.ALTERNATIVE_TO, 0.7, r"\b(?:alternatives?|instead)\b"),
    *_cues(T.ROUTES_TO, 0.75, r"\b(?:when not to use|not for|do not use|out of scope|non-goals)\b"),
    *_cues(
        T.REQUIRES,
        0.8,
        r"^\W*(?:[\w:]+ ){0,3}pre-?requisites?\b",
        r"^\W*(?:skill |step \d+:? )?(?:dependencies|requirements)\b(?! (?:for|of|between|analysis|graph))",
        r"^\W*(?:required|requires|depends on)\b(?: (?:background|workflow|other|sub-?skills?|skills?))*\W*$",
        r"^\W*before (?:you|using|starting|this|begin\w*)\b",
    ),
    *_cues(
        T.PRECEDES,
        0.75,
        r"\b(?:next steps?|next skills?|what'?s next|follow-?ups?|hand-?offs?|transition)\b",
        r"^\W*(?:after|when done|on completion|post-\w+)\b",
    ),
    *_cues(
        T.COMPLEMENTS,
        0.7,
        r"\b(?:related|see also|companions?|integrat\w+|cross-?references?|complement\w*)\b",
        r"\b(?:works with|ecosystem|references|links|resources|further|skills?)\b",
    ),
)
"""What a heading or the lead-in of a list claims about the skills listed below it."""


_QUOTED = re.compile(r'"[^"§¤]{2,80}"|“[^”§¤]{2,80}”')


def claim_of_frame(frame: str) -> Claim | None:
    """Return the claim of the first cue that matches, or ``None``.

    Words between quotation marks are what somebody says, and claim nothing; quoted skills count.
    """
    return _first(CUES, _QUOTED.sub("…", frame))


def claim_of_lead(lead: str) -> Claim | None:
    """Return what the announcement of a list claims about all of its items, or ``None``."""
    return _first(LEAD_CUES, lead)


def claim_of_title(title: str) -> Claim | None:
    """Return what a heading or a lead-in claims about the skills listed under it, or ``None``."""
    return _first(SECTION_CUES, title)


def _first(cues: tuple[Cue, ...], text: str) -> Claim | None:
    return next((cue.claim for cue in cues if cue.pattern.search(text)), None)
