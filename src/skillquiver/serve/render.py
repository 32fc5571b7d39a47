"""Results to JSON and to text for people. Text from skills is neutralised here and nowhere later."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import msgspec

from skillquiver.skills.sanitize import clean, plain
from skillquiver.types import Finding, Severity, Status

if TYPE_CHECKING:
    from skillquiver.index.sync import IndexReport
    from skillquiver.retrieve.ranking import Ranked, Ranking
    from skillquiver.serve.usecases.inspecting import Health
    from skillquiver.skills.records import Skill

__all__ = [
    "error_data",
    "health_data",
    "health_text",
    "ranking_data",
    "ranking_text",
    "report_data",
    "report_text",
    "skill_data",
    "skill_text",
    "to_json",
]

DESCRIPTION_WIDTH = 150
"""Characters of a description in a list for people: two lines of a usual terminal."""

SHOWN_FINDINGS = 3
"""Examples of each finding code in the grouped view."""


def to_json(data: Mapping[str, Any], *, indent: bool = True) -> str:
    """One JSON document, UTF-8, keys in the order given, safe to print; lone surrogates are replaced."""
    text = msgspec.json.encode(_printable(data))
    return _RAW.sub(_escaped, (msgspec.json.format(text, indent=2) if indent else text).decode())


_RAW = re.compile("[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
"""What JSON allows raw and a terminal obeys or hides; in JSON these stand only within strings."""


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def _printable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode() if not value.isascii() else value
    if isinstance(value, Mapping):
        return {_printable(str(key)): _printable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_printable(item) for item in value]
    return value


def error_data(error: Exception) -> dict[str, Any]:
    """The document that stands in for a result when a command fails."""
    data: dict[str, Any] = {"error": {"type": type(error).__name__, "message": plain(str(error))}}
    for name in ("suggestions", "candidates"):
        if hasattr(error, name):
            data["error"][name] = list(getattr(error, name))
    return data


# --- index -----------------------------------------------------------------------------------


def report_data(report: IndexReport) -> dict[str, Any]:
    """An indexing run."""
    return asdict(report)


def report_text(report: IndexReport) -> str:
    """An indexing run for people."""
    parts = [
        f"{count:,} {word}"
        for count, word in (
            (report.added, "added"),
            (report.changed, "changed"),
            (len(report.moved), "moved"),
            (report.removed, "removed"),
            (report.unchanged, "unchanged"),
            (report.unreadable, "unreadable"),
            (report.collapsed, "collapsed into a mirror"),
        )
        if count
    ]
    lines = [f"{report.skills:,} skills: {', '.join(parts) or 'nothing found'}"]
    lines.append(f"searchable after {report.lexical_ready_s:.1f} s, done after {report.total_s:.1f} s")
    if report.findings:
        total = sum(report.findings.values())
        lines.append(f"{total:,} findings of {len(report.findings)} kinds; `quiver doctor` lists them")
    return "\n".join(lines)


# --- search ----------------------------------------------------------------------------------


def ranking_data(ranking: Ranking, *, explain: bool) -> dict[str, Any]:
    """A ranking. ``evidence`` is there if it was asked for."""
    return {
        "query": ranking.query,
        "status": ranking.status.value,
        "confidence": round(ranking.confidence, 4),
        "degraded": ranking.degraded,
        "results": [_ranked_data(result, explain=explain) for result in ranking.results],
    }


def _ranked_data(result: Ranked, *, explain: bool) -> dict[str, Any]:
    data: dict[str, Any] = {
        "rank": result.rank,
        "id": result.id,
        "name": result.name,
        "description": result.description,
        "kind": result.kind,
        "hidden": result.hidden,
        "score": round(result.score, 4),
        "confidence": round(result.confidence, 4),
        "path": result.path,
    }
    if explain:
        data["evidence"] = asdict(result.evidence)
    return data


_STATUS_LINE = {
    Status.HIT: "hit",
    Status.WEAK: "weak: the best match may not be what you need",
    Status.NONE: "none: nothing in this library matches; the nearest are",
}


def ranking_text(ranking: Ranking, *, explain: bool) -> str:
    """A ranking for people."""
    if not ranking.results:
        return _with_note("none: nothing in this library matches", ranking.degraded)
    lines = [_STATUS_LINE[ranking.status]]
    for result in ranking.results:
        mark = "  [hidden from models]" if result.hidden else ""
        lines.append(f"{result.rank:>3}. {plain(result.id)}  {result.confidence:.2f}{mark}")
        lines.append(f"     {_short(plain(result.description), DESCRIPTION_WIDTH)}")
        if explain:
            lines += [f"       {line}" for line in _evidence_lines(result)]
    return _with_note("\n".join(lines), ranking.degraded)


def _evidence_lines(result: Ranked) -> list[str]:
    evidence = result.evidence
    shares = " + ".join(f"{name} {value:+.2f}" for name, value in evidence.channels.items())
    lines = [f"plain combination {evidence.first_score:.2f} = {shares}"]
    if evidence.second is not None:
        lines.append(f"second stage {evidence.second:+.2f}: rank {evidence.first_rank} became {result.rank}")
    if evidence.terms:
        terms = ", ".join(f"{plain(term)} {value:.1f}" for term, value in list(evidence.terms.items())[:8])
        lines.append(f"terms: {terms}")
    if evidence.cosine is not None:
        lines.append(f'cosine {evidence.cosine:.2f} with "{_short(plain(evidence.window), 90)}"')
    return lines


# --- show and doctor ---------------------------------------------------------------------------


def skill_data(skill: Skill) -> dict[str, Any]:
    """The whole record."""
    return asdict(skill)


def skill_text(skill: Skill, *, body: bool) -> str:
    """A skill for people: what is known of it, then its instructions if asked for."""
    facts: list[tuple[str, str]] = [
        ("description", skill.description),
        ("when to use", skill.when_to_use),
        ("kind", skill.kind.value),
        ("tags", ", ".join(skill.tags)),
        ("inputs", ", ".join(skill.inputs)),
        ("outputs", ", ".join(skill.outputs)),
        ("tools", ", ".join(skill.tools)),
        ("allowed tools", ", ".join(skill.allowed_tools)),
        ("scripts", ", ".join(skill.entrypoints)),
        ("licence", skill.license),
        ("tokens", f"card {skill.tokens.card}, body {skill.tokens.body}"),
        ("path", skill.path),
        ("hash", skill.content_hash),
        ("hidden", "from models, by its author" if skill.hidden else ""),
    ]
    lines = [f"{plain(skill.id)}  ({plain(skill.name)})"]
    lines += [f"  {label}: {plain(value)}" for label, value in facts if value]
    text = "\n".join(lines)
    return f"{text}\n\n{clean(skill.body).strip()}" if body else text


def health_data(health: Health) -> dict[str, Any]:
    """Findings one by one, with counts by code."""
    return {
        "skills": health.skills,
        "roots": [dict(zip(("label", "path", "scope"), root, strict=True)) for root in health.roots],
        "counts": {code: len(found) for code, found in health.by_code().items()},
        "findings": [asdict(finding) for finding in health.findings],
    }


def health_text(health: Health, *, every: bool) -> str:
    """Findings grouped by code, worst first, with a few examples of each or with ``every`` one."""
    lines = [f"{health.skills:,} skills in {len(health.roots)} roots"]
    lines += [f"  {plain(label)} = {plain(path)}" for label, path, _ in health.roots]
    for code, found in health.by_code().items():
        first = found[0]
        lines += ["", f"{_SEVERITY_MARK[first.severity]} {code}: {len(found):,}", f"  {first.remedy}"]
        shown = found if every else found[:SHOWN_FINDINGS]
        lines += [f"  - {_place(one)}: {plain(one.message)}" for one in shown]
        if len(shown) < len(found):
            lines.append(f"  … and {len(found) - len(shown):,} more: `quiver doctor --code {code}`")
    if not health.findings:
        lines.append("no findings")
    return "\n".join(lines)


_SEVERITY_MARK = {Severity.ERROR: "ERROR  ", Severity.WARNING: "warning", Severity.INFO: "info   "}


def _place(finding: Finding) -> str:
    place = plain(finding.path)
    if finding.line:
        place += f":{finding.line}"
    return f"{place}:{finding.column}" if finding.line and finding.column else place


def _with_note(text: str, degraded: str) -> str:
    return f"{text}\n({degraded})" if degraded else text


def _short(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1].rstrip() + "…"
