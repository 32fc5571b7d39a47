"""A task to its schema by rules: no model, no network, the same every time.

The rules know how people write tasks down: a heading or a sentence that says what is wanted, lists of steps,
paths in backticks, examples in fences. They read English; a task in another script keeps its goal sentence
and its names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from skillquiver.index.analyze import analyze
from skillquiver.retrieve.task_schema import GOAL_CHARACTERS, TaskSchema, bounded
from skillquiver.skills.sentences import split_sentences
from skillquiver.skills.vocabulary import ACRONYMS, KNOWN_TYPES, SAME_TYPE, TYPE_WORDS

__all__ = ["schema_by_rules"]

READ_CHARACTERS = 40_000
"""Characters of a task that are read: the longest public one has 10,473, more is a pasted log."""

WRAPPED = 50
"""Characters from which a line may have been broken for its length, and goes on in the next."""

LEADING = 12
"""Sentences among which the goal is looked for; later ones are details."""

_FENCE = re.compile(r"^[ \t]*(```|~~~).*?^[ \t]*\1[ \t]*$|^[ \t]*(?:```|~~~).*\Z", re.MULTILINE | re.DOTALL)
_URL = re.compile(r" ?\(https?://[^\s)]*\)|https?://\S+")
_HEADING = re.compile(r"#{1,6}\s+(.*)")
_MARKER = re.compile(r"(?:[-*+•]|\d{1,2}[.)]|\(\d{1,2}\)|step\s+\d+:?)\s+(?:\[[ xX]\]\s+)?", re.IGNORECASE)
_STARTS = re.compile(rf"#|\||{_MARKER.pattern}", re.IGNORECASE)
_TITLE = re.compile(r"(?:task|goal|objective|title|feature)\s*(?:\d+)?\s*[:\-–—]\s*", re.IGNORECASE)
_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)|`")
_WANTED = re.compile(
    r"\b(?:(?:your|the|our|my) (?:task|goal|job|objective) is|(?:you|we|i)(?: will| would)? "
    r"(?:need|want|have|like|are asked|are required|must|should)\b|(?:help|asked|tasked|please|is needed)\b)",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:(?:and|then|next|finally|first|also|now|please|you|we|i|should|must|will|need|needs|have|want|would|"
    r"like|to|can|could|help|me|us|the|task|goal|your|our|my|is|be|able|are|asked|required)[\s:]+)*",
    re.IGNORECASE,
)
_SAYS = re.compile(r"\w")
_ASIDE = re.compile(r"\s*[({–—→]|[:;](?:\s|$)|\s-\s|\s+(?:in|with|using) (?:the|this) (?:following|format)\b")
_LIMITS = re.compile(
    r"\b(?:must|should|shall|only|never|always|at least|at most|no more than|within|without|exactly|ensure|"
    r"do not|don't|cannot|required|not allowed|limit|maximum|minimum)\b",
    re.IGNORECASE,
)
_PATH = re.compile(r"(?<![\w:/.~@{}-])(?:[\w.~@{}-]*/)*[\w.@{}-]*\.[A-Za-z][A-Za-z0-9]{0,7}\b")
_CODE_NAME = re.compile(r"`([^`\n]{2,60})`")
_PROPER = re.compile(r"(?<=[a-z,;] )[A-Z][\w.+#-]*\w")
_FOLDER = re.compile(r"(?<![\w:])(?:~|\.{1,2})?/[\w.@{}<>-]+(?:/[\w.@{}<>-]*)*")
_NAME = re.compile(r"[\w@][\w.@:+#-]*")
_NO_NAMES = frozenset("true false none null root app home tmp workspace following task".split())
_WORD = re.compile(r"[^\W\d_][\w+#-]{2,}")

VERBS = frozenset(
    "add adapt adjust aggregate align analyse analyze annotate answer apply arrange assess attach audit "
    "automate build calculate check choose classify clean cluster collect combine compare compile "
    "complete compress compute configure connect construct convert copy correct count crawl create "
    "debug decode decrypt define delete deploy derive describe design detect determine develop diagnose "
    "document download draft draw edit embed encode encrypt estimate evaluate examine explain export "
    "expose extend extract fetch fill filter find fit fix forecast format generate group handle "
    "identify implement import improve index infer inspect install integrate investigate join label "
    "launch list load localize log map match measure merge migrate mock model modify monitor move "
    "normalize optimise optimize organize parse patch perform pick plan plot port predict prepare "
    "process produce profile propose prove provide publish pull push query rank read rebuild recommend "
    "reconstruct record redact reduce refactor refine register remove rename render repair replace "
    "report reproduce resolve restore restructure retrieve return reverse review rewrite rotate run "
    "sanitize save scan schedule score scrape search segment select send separate serve set setup sign "
    "simulate solve sort split store stream style submit summarise summarize support sync synthesize "
    "tag test tokenize trace track train transcribe transfer transform translate trim tune unify update "
    "upgrade upload use validate verify visualise visualize wire wrap write".split()
)
"""Verbs that open a step of a task."""


def schema_by_rules(task: str) -> TaskSchema:
    """Read the goal, operations, artifacts, constraints and keywords out of ``task``; any text is legal."""
    text = _URL.sub(" ", _FENCE.sub("\n", task[:READ_CHARACTERS]))
    lines = list(_joined(text))
    sentences = list(_sentences(lines))
    goal = _goal(lines, sentences)
    return bounded(
        TaskSchema(
            goal=goal,
            operations=tuple(_operations(sentences, goal)),
            artifacts=tuple(_artifacts(text)),
            constraints=tuple(s for s in sentences if _LIMITS.search(s) and s not in goal),
            keywords=tuple(_keywords(lines)),
        )
    )


def _joined(text: str) -> Iterator[str]:
    """Lines that say something, where a line that was broken for its length is one again; no table rows."""
    pending, long = "", False
    for raw in text.splitlines():
        line = raw.strip()
        if pending and (not long or not line or _STARTS.match(line)):
            yield pending
            pending = ""
        if line and not line.startswith("|"):
            pending = f"{pending} {line}" if pending else line
            long = len(line) >= WRAPPED and not _HEADING.match(line)
    if pending:
        yield pending


def _sentences(lines: Iterable[str]) -> Iterator[str]:
    """Sentences of the prose and of list items, without marks; headings are no sentences."""
    for line in lines:
        if _HEADING.match(line):
            continue
        for sentence in split_sentences(_bare(_MARKER.sub("", line, count=1))):
            if _SAYS.search(_LEAD.sub("", sentence, count=1)):  # "You need to:" only leads up to a list
                yield sentence


def _bare(text: str) -> str:
    return _EMPHASIS.sub("", text).strip()


# --- goal and operations -----------------------------------------------------------------------


def _goal(lines: list[str], sentences: list[str]) -> str:
    """The title, if the task has one, the first sentence, and those after it that say what is wanted.

    The first sentence often only sets the scene; it then holds the subject, without which "do an analysis"
    says nothing.
    """
    wanted = [s for s in sentences[1:LEADING] if _WANTED.search(s)]
    if not wanted:
        wanted = [s for s in sentences[1:LEADING] if _verb(s)][:1]
    goal = ""
    for part in (_title(lines), *sentences[:1], *wanted[:2]):
        joined = f"{goal.rstrip('.')}. {part}" if goal else part
        if goal and len(joined) > GOAL_CHARACTERS:
            break
        goal = joined
    return goal


def _title(lines: list[str]) -> str:
    if not lines:
        return ""
    found = _HEADING.match(lines[0])
    return _TITLE.sub("", _bare(found[1].rstrip("# \t")), count=1) if found else ""


def _operations(sentences: Iterable[str], goal: str) -> Iterator[str]:
    for sentence in sentences:
        if sentence not in goal and _verb(sentence) and " " in (phrase := _phrase(sentence)):
            yield phrase


def _verb(sentence: str) -> bool:
    """Whether a sentence orders something: its first word, after what leads up to it, is a verb we know."""
    order = _LEAD.sub("", sentence, count=1)
    word = _WORD.match(order)
    return word is not None and word[0].lower() in VERBS and order.count(" ") >= 2


def _phrase(sentence: str) -> str:
    """The order alone: up to the first bracket, colon or dash."""
    order = _ASIDE.split(_LEAD.sub("", sentence, count=1), maxsplit=1)[0]
    return order.rstrip(".,: ")


# --- artifacts and keywords ----------------------------------------------------------------------


def _artifacts(text: str) -> Iterator[str]:
    """File types, most frequent first, then the names of the files."""
    types: Counter[str] = Counter()
    names: dict[str, None] = {}
    for match in _PATH.finditer(text):
        name = match[0].rpartition("/")[2]
        kind = f".{name.rpartition('.')[2].lower()}"
        if kind in KNOWN_TYPES:
            types[SAME_TYPE.get(kind, kind)] += 1
            names.setdefault(name)
    for word in _WORD.findall(text):
        if meant := ACRONYMS.get(word) or TYPE_WORDS.get(word.lower()):
            types[meant] += 1
    yield from (kind for kind, _ in sorted(types.items(), key=lambda pair: (-pair[1], pair[0])))
    yield from (name for name in names if not name.startswith("."))


def _keywords(lines: list[str]) -> Iterator[str]:
    """Names in backticks or capitals, then words; within each the most frequent first, then the earliest.

    Of words with one stem the most frequent is named. Paths are left out, whose folders say nothing, and
    headings other than the title, which are the same in every task.
    """
    text = "\n".join(line for at, line in enumerate(lines) if not at or not _HEADING.match(line))
    names = Counter(name for name in _CODE_NAME.findall(text) if _NAME.fullmatch(name))
    prose = _PATH.sub(" ", _FOLDER.sub(" ", text))
    names.update(_PROPER.findall(prose))
    spelled: dict[tuple[str, ...], Counter[str]] = {}
    for word in _WORD.findall(prose.lower()):
        spelled.setdefault(tuple(analyze(word)), Counter())[word] += 1
    words = Counter({same.most_common(1)[0][0]: same.total() for same in spelled.values()})
    told: set[tuple[str, ...]] = set()
    for word, _ in (*names.most_common(), *words.most_common()):
        stem = tuple(analyze(word))
        if stem and stem not in told and word.lower() not in _NO_NAMES:
            told.add(stem)
            yield word
