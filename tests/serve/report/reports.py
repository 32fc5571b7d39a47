"""A report with everything in it that can go wrong on a page."""

from __future__ import annotations

import math

from skillquiver.evaluate.results import Interval, Plot, Report, Section, Series, Table

HOSTILE = "</script><svg onload=alert(1)>"
CELL = "| a | ![x](http://evil.example/i.png) `b` <b>"

BARS = Plot(
    kind="bars",
    title=f"Bars {HOSTILE}",
    x_label="cause",
    y_label="share (%)",
    series=(
        Series(
            label=HOSTILE,
            x=("one", "a rather long name of a cause"),
            y=(1.0, 2.0),
            low=(0.5, 1.5),
            high=(1.5, 3),
        ),
        Series(label="_hidden", x=("one", "two $x$"), y=(3.0, 4.0)),
    ),
)

LINES = Plot(
    kind="lines",
    title="Lines",
    x_label="skills",
    y_label="ms",
    series=(
        Series(label="search", x=(100.0, 300.0), y=(1.0, 2.0), low=(0.5, 1.5), high=(1.5, 2.5)),
        Series(label="技能", x=(100.0, 300.0), y=(2.0, 4.0)),
    ),
    log_x=True,
    log_y=True,
)

MISSES = Section(
    name="misses",
    title="Misses",
    question="What does a task not get?",
    source="The first cause that applies; see `docs`.",
    answer=f"set: 50.0% [20.0%, 80.0%] of 2 tasks; {HOSTILE}",
    tables=(
        Table(
            caption=f"Every miss {HOSTILE}",
            columns=("query", "share", "rank", "why"),
            rows=(
                ("q1", Interval(0.5, 0.2, 0.8, 2), 3, CELL),
                (HOSTILE, None, 12345, "技能 " * 30),
                ("q3", Interval(math.nan, math.nan, math.nan, 0), 1.23456, "x\x1b[2J\u202e\ud800y"),
            ),
        ),
        Table(caption="Nothing in it", columns=("a", "b"), rows=()),
    ),
    plots=(BARS, LINES),
    samples={"set: complete": {"q1": 1.0, "q2": math.nan}},
    warnings=(f"only 2 tasks {HOSTILE}", "no graph"),
    command=f"quiver eval run misses 'a {HOSTILE}.jsonl'",
    seconds=1.5,
)

SKIPPED = Section(
    name="scaling",
    title="Scaling",
    question="Does it scale?",
    source="",
    answer="",
    warnings=("not run: needs a query",),
)

REPORT = Report(
    about={
        "library": f"lib {HOSTILE}",
        "skills": 8786,
        "seconds": 12.34,
        "peak_memory_mb": None,
        "files": [{"kind": "queries", "name": "a.jsonl", "sha256": "ab" * 32}],
        "settings": {"seed": 0, "level": 0.95},
        "resumed": [],
    },
    sections=(MISSES, SKIPPED),
)
