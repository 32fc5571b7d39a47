"""The report as one page of HTML that loads nothing and runs nothing: its policy forbids both.

Text of skills and queries is untrusted. Every text passes ``_text`` or ``_prose``; there is no other way in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape

from skillquiver.evaluate.results import Cell, Interval, Plot, Report, Section, Table
from skillquiver.serve.report.about import about_lines
from skillquiver.serve.report.figures import themed
from skillquiver.serve.report.markdown import cell_text, number_text
from skillquiver.serve.report.style import STYLE
from skillquiver.skills.sanitize import plain

__all__ = ["POLICY", "page_html"]

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""Content security policy: only the style sheet and style attributes of the page itself."""

LONG_CELL, MIDDLE_CELL = 48, 18
"""Characters from which a column is given room to break its lines, and some room."""

COMMAND_WORDS = 4
"""Of a command, beside a figure: ``quiver eval run NAME``."""

OPEN_TABLES = 2
"""Tables of a section that stand open: with all of them, a report is fifty screens long."""

READ_WHOLE = frozenset({"misses"})
"""Sections whose tables all stand open: they are what somebody acts on."""

WIDE_TABLE = 5
"""Columns beyond which an interval stands below its value."""

Drawings = Mapping[tuple[str, int], str]
"""(section, number of its plot) → its ``<svg>`` element."""


def page_html(report: Report, drawings: Drawings) -> str:
    """The whole page."""
    title = "Evaluation report"
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="referrer" content="no-referrer">',
            f"<title>{title}: {_text(report.about.get('library', ''))}</title>",
            f"<style>{STYLE}</style></head><body>",
            f"<header><h1>{title}</h1>{_facts(report)}</header>",
            f'<div class="columns">{_contents(report)}<main>',
            _found(report),
            *(_section(section, drawings) for section in report.sections),
            _about(report),
            "<footer>Made by Skillquiver. Texts of skills and queries are quoted as found.</footer>",
            "</main></div></body></html>",
            "",
        ]
    )


# --- text --------------------------------------------------------------------------------------------


def _text(value: object) -> str:
    """Untrusted text as one line of HTML text, also safe within a quoted attribute."""
    return escape(plain(str(value)), quote=True)


def _prose(value: str) -> str:
    """As ``_text``; what stands between backticks is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", _text(value))


def _anchor(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "section"


# --- head of the page --------------------------------------------------------------------------------


def _facts(report: Report) -> str:
    """What was measured, on what, how long: one line."""
    about = report.about
    named = (
        ("library", "library"),
        ("skills", "skills"),
        ("relations", "relations"),
        ("seconds", "seconds"),
        ("peak_memory_mb", "MB at most"),
        ("cores", "cores"),
        ("version", "Skillquiver"),
    )
    shown = []
    for key, label in named:
        value = about.get(key)
        if value is None:
            continue
        told = _text(cell_text(round(value) if isinstance(value, float) else value))
        before = key in ("library", "version")
        shown.append(f"<li>{label} <b>{told}</b></li>" if before else f"<li><b>{told}</b> {label}</li>")
    return f'<ul class="facts">{"".join(shown)}</ul>'


def _contents(report: Report) -> str:
    links = [("found", "What we found")]
    links += [(_anchor(section.name), section.title) for section in report.sections]
    links.append(("about", "About this run"))
    items = "".join(f'<li><a href="#{anchor}">{_text(title)}</a></li>' for anchor, title in links)
    return f'<nav aria-label="Contents"><h2>Contents</h2><ol>{items}</ol></nav>'


def _found(report: Report) -> str:
    items = []
    for section in report.sections:
        count = len(section.warnings)
        badge = f'<span class="badge">{count} warning{"s" if count > 1 else ""}</span>' if count else ""
        told = section.headline or (section.warnings[0] if section.warnings else "See the tables.")
        items.append(
            f'<li><h3><a href="#{_anchor(section.name)}">{_text(section.title)}</a>{badge}</h3>'
            f"<p>{_prose(told)}</p></li>"
        )
    return f'<section id="found"><h2>What we found</h2><ul class="found">{"".join(items)}</ul></section>'


# --- a section ---------------------------------------------------------------------------------------


def _answer(section: Section) -> str:
    findings = "".join(f"<li>{_prose(line)}</li>" for line in section.findings)
    told = f"<p>{_prose(section.headline)}</p>" + (f"<ul>{findings}</ul>" if findings else "")
    return f'<div class="answer">{told}</div>' if section.answer else ""


def _section(section: Section, drawings: Drawings) -> str:
    parts = [
        f'<section id="{_anchor(section.name)}"><h2>{_text(section.title)}</h2>',
        f'<p class="question">{_prose(section.question)}</p>',
        _answer(section),
        _warnings(section.warnings),
    ]
    figures = [
        _figure(section, plot, drawings[section.name, number])
        for number, plot in enumerate(section.plots, start=1)
        if (section.name, number) in drawings
    ]
    parts += [f'<div class="figures">{"".join(figures)}</div>'] if figures else []
    parts += [
        _table(section, table, shut=number > OPEN_TABLES and section.name not in READ_WHOLE)
        for number, table in enumerate(section.tables, 1)
    ]
    parts += [_how(section), "</section>"]
    return "\n".join(part for part in parts if part)


def _warnings(warnings: Sequence[str]) -> str:
    items = "".join(f"<li>{_prose(warning)}</li>" for warning in warnings)
    return f'<ul class="warnings">{items}</ul>' if items else ""


def _made(section: Section) -> str:
    """The command by its first words, with a link to the whole at the end of the section."""
    if not section.command:
        return ""
    short = " ".join(section.command.split()[:COMMAND_WORDS])
    more = "" if short == section.command else " …"
    link = f'<a href="#{_anchor(section.name)}-made"><code>{_text(short)}{more}</code></a>'
    return f'<p class="made">Made by {link}</p>'


def _figure(section: Section, plot: Plot, svg: str) -> str:
    caption = f"<figcaption>{_prose(plot.title)}</figcaption>"
    return f'<figure>{caption}<div class="draw">{themed(svg)}</div>{_made(section)}</figure>'


def _how(section: Section) -> str:
    lines = [f"<p>{_prose(section.source)}</p>"] if section.source else []
    took = f" in {section.seconds:,.1f} s" if section.seconds else ""
    made = f'<p id="{_anchor(section.name)}-made">Made by <code>{_text(section.command)}</code>{took}.</p>'
    lines += [made] if section.command else []
    return f'<div class="how">{"".join(lines)}</div>' if lines else ""


# --- tables ------------------------------------------------------------------------------------------


def _table(section: Section, table: Table, *, shut: bool) -> str:
    """A table under its caption; where it is ``shut``, the caption opens it."""
    kinds = [_kind([row[at] for row in table.rows]) for at in range(len(table.columns))]
    head = "".join(
        f'<th scope="col"{_class(kind)}>{_text(name)}</th>'
        for kind, name in zip(kinds, table.columns, strict=True)
    )
    rows = "".join(_row(row, kinds) for row in table.rows)
    wide = ' class="wide"' if len(table.columns) > WIDE_TABLE else ""
    body = f"<table{wide}><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    region = (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{_text(table.caption)}">{body}</div>'
    )
    caption = "" if shut else f"<figcaption>{_prose(table.caption)}</figcaption>"
    shown = f'<figure class="table">{caption}{region}{_made(section)}</figure>'
    return f"<details><summary>{_prose(table.caption)}</summary>{shown}</details>" if shut else shown


def _row(row: Sequence[Cell], kinds: Sequence[str]) -> str:
    first = f'<th scope="row"{_class(kinds[0])}>{_cell(row[0])}</th>' if row else ""
    rest = "".join(
        f"<td{_class(kind)}>{_cell(cell)}</td>" for kind, cell in zip(kinds[1:], row[1:], strict=True)
    )
    return f"<tr>{first}{rest}</tr>"


def _kind(cells: Sequence[Cell]) -> str:
    """``n`` for a column of numbers, ``long`` and ``mid`` for one of longer texts."""
    texts = [cell for cell in cells if isinstance(cell, str)]
    if not texts:
        return "n"
    if all(re.fullmatch(r"[–+−-]?[\d.,]*\s?%?(?: again)?", text) for text in texts):
        return "n"
    longest = max(map(len, texts))
    return "long" if longest >= LONG_CELL else "mid" if longest >= MIDDLE_CELL else ""


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""


def _cell(cell: Cell) -> str:
    if isinstance(cell, Interval):
        bounds = f"[{number_text(cell.low)}, {number_text(cell.high)}]"
        return f'{number_text(cell.value)} <span class="ci" title="n = {cell.n:,}">{bounds}</span>'
    if isinstance(cell, str):
        return _prose(cell)
    return _text(cell_text(cell))


def _about(report: Report) -> str:
    rows = "".join(
        f'<tr><th scope="row">{_text(name)}</th><td class="long">{_text(value)}</td></tr>'
        for name, value in about_lines(report.about)
    )
    return (
        '<section id="about"><h2>About this run</h2>'
        f'<div class="scroll" tabindex="0" role="region" aria-label="About this run">'
        f"<table><tbody>{rows}</tbody></table></div></section>"
    )
