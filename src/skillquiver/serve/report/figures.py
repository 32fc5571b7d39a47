"""Plots to SVG with matplotlib: text stays text, the ground is transparent, equal plots give equal bytes."""

from __future__ import annotations

import math
import re
import textwrap
import warnings
from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from skillquiver.errors import UsageError
from skillquiver.evaluate.results import Plot, Series
from skillquiver.skills.sanitize import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["INK", "PALETTE", "RULE", "check_drawing", "draw", "themed"]

PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a5195", "#8c8c8c")
"""Okabe and Ito's colours, which people with any colour vision tell apart, black and yellow replaced."""

INK, RULE = "#6e7781", "#b9c0c7"
"""Text and grid: legible on white and on near black, for a figure that stands by itself."""

MARKERS = "osD^vPX*"

WIDTH, HEIGHT = 6.2, 3.5
"""Inches of 72 units: a figure 450 pixels wide shows text of eleven units as eleven pixels."""

LONG_LABEL = 14
"""Characters of a name from which bars lie: beside each other, such names would overlap."""

FEW_NAMES = 4
"""Places of a standing plot at least: one bar shall not fill it."""

WRAP, SHORTEN = 26, 52
"""Characters of a line of a label, and of the whole label."""

LEGEND_LINE = 0.22
"""Inches that each further line of a legend adds to a figure: it must not take them from the plot."""

FEW_TICKS = 6
"""Most intervals between ticks: numbers of six digits stand side by side then."""

STYLE: Any = {
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.size": 11,
    "font.family": "DejaVu Sans",
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": RULE,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": RULE,
    "grid.linewidth": 0.6,
    "grid.alpha": 0.6,
    "legend.frameon": False,
}


def check_drawing() -> None:
    """Raise ``UsageError`` if matplotlib is missing: before an hour of experiments, not after it."""
    try:
        import_module("matplotlib")
    except ModuleNotFoundError as error:
        raise UsageError("plots need matplotlib: pip install 'skillquiver[eval]'") from error


def draw(plot: Plot, *, salt: str) -> str:
    """A plot as one ``<svg>`` element without script, style sheet or reference to anything outside.

    ``salt`` keeps the ids of two figures of one page apart. Raises ``UsageError`` if matplotlib is missing.
    """
    check_drawing()
    from io import StringIO

    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with mpl.rc_context({**STYLE, "svg.hashsalt": salt}), warnings.catch_warnings():
        # The page's own fonts draw the text: glyphs that matplotlib's lacks matter only for measuring.
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        figure = Figure(figsize=(WIDTH, HEIGHT), layout="constrained")
        FigureCanvasSVG(figure)
        _fill(figure, plot)
        target = StringIO()
        figure.savefig(target, format="svg", transparent=True, metadata=dict.fromkeys(_METADATA))
    return _bare(target.getvalue(), plot)


_METADATA = ("Date", "Creator", "Format", "Type")


def themed(svg: str) -> str:
    """The figure with the page's colours, which are others at night, in the page's font."""
    for number, colour in enumerate(PALETTE, start=1):
        svg = svg.replace(f": {colour}", f": var(--s{number})")
    svg = svg.replace(f": {INK}", ": var(--ink-2)").replace(f": {RULE}", ": var(--rule)")
    # One property or two, as the version of matplotlib has it.
    return re.sub(r"(font(?:-family)?: [^;\"']*?)'DejaVu Sans'[^;\"]*", r"\1var(--font)", svg)


def _bare(svg: str, plot: Plot) -> str:
    """The element alone, with a name for people who do not see it."""
    svg = svg[svg.index("<svg") :].rstrip()
    for pattern in (r"<!--.*?-->\s*", r"<metadata>.*?</metadata>\s*", r"<style type=.*?</style>\s*"):
        svg = re.sub(pattern, "", svg, flags=re.DOTALL)
    svg = re.sub(r' (?:width|height)="[\d.]+pt"', "", svg, count=2)
    name = _escape(plain(plot.title))
    return svg.replace("<svg ", f'<svg role="img" aria-label="{name}" ', 1)


def _escape(text: str) -> str:
    from html import escape

    return escape(text, quote=True)


# --- what is drawn -----------------------------------------------------------------------------------


def _fill(figure: Figure, plot: Plot) -> None:
    axes = figure.subplots()
    series = [one for one in plot.series if one.y]
    names = _names(series)
    if not series:
        axes.text(0.5, 0.5, "no data", ha="center", transform=axes.transAxes)
        axes.set_axis_off()
        return
    if names and (plot.kind == "points" or _lies(names)):
        _lying(figure, axes, plot, series, names)
    elif names:
        _standing(axes, plot, series, names)
    else:
        _numeric(axes, plot, series)
    if len(series) > 1:
        _legend(figure, axes, series)


def _names(series: Sequence[Series]) -> list[str]:
    """Names on the x axis in the order in which they first come; empty if it has numbers."""
    return list(dict.fromkeys(x for one in series for x in one.x if isinstance(x, str)))


def _lies(names: Sequence[str]) -> bool:
    return len(names) > 8 or max(map(len, names)) > LONG_LABEL


def _lying(figure: Figure, axes: Axes, plot: Plot, series: Sequence[Series], names: Sequence[str]) -> None:
    """Names from top to bottom, values to the right."""
    labels = [_wrapped(name) for name in names]
    lines = sum(max(label.count("\n") + 1, 0.62 * len(series) + 0.5) for label in labels)
    figure.set_size_inches(WIDTH, max(1.9, 0.9 + 0.25 * lines))
    place = {name: float(at) for at, name in enumerate(names)}
    for number, one, offset, thick in _groups(series):
        at = [place[str(x)] + offset for x in one.x]
        if plot.kind == "points":
            axes.errorbar(one.y, at, xerr=_errors(one), label=_label(one), **_dots(number))
        else:
            axes.barh(at, one.y, height=thick, color=_colour(number), label=_label(one))
            _whiskers(axes, one, at, lying=True)
            _tips(axes, plot, one, at, len(series) * len(names))
    axes.set_yticks(range(len(names)), labels)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(_label_text(plot.y_label))
    _scale(axes, "x", log=plot.log_y)
    axes.grid(axis="x")
    if plot.kind == "points" and not plot.log_y and _crosses(series):
        axes.axvline(0, color=INK, linewidth=0.8)


def _standing(axes: Axes, plot: Plot, series: Sequence[Series], names: Sequence[str]) -> None:
    """Names from left to right, values up."""
    place = {name: float(at) for at, name in enumerate(names)}
    for number, one, offset, thick in _groups(series):
        at = [place[str(x)] + offset for x in one.x]
        if plot.kind == "lines":
            at = [place[str(x)] for x in one.x]
            axes.plot(at, one.y, marker=MARKERS[number % 8], color=_colour(number), label=_label(one))
            _band(axes, one, at, number)
        else:
            axes.bar(at, one.y, width=thick, color=_colour(number), label=_label(one))
            _whiskers(axes, one, at, lying=False)
    axes.set_xticks(range(len(names)), [_wrapped(name, LONG_LABEL) for name in names])
    axes.tick_params(axis="x", length=0)
    spare = max(0, FEW_NAMES - len(names)) / 2
    axes.set_xlim(-0.5 - spare, len(names) - 0.5 + spare)
    axes.set_xlabel(_label_text(plot.x_label))
    axes.set_ylabel(_label_text(plot.y_label))
    _scale(axes, "y", log=plot.log_y)
    axes.grid(axis="y")


def _numeric(axes: Axes, plot: Plot, series: Sequence[Series]) -> None:
    for number, one in enumerate(series):
        at = [float(x) for x in one.x]
        if plot.kind in ("bars", "histogram"):
            axes.bar(at, one.y, width=_gap(at), color=_colour(number), alpha=0.75, label=_label(one))
            _whiskers(axes, one, at, lying=False)
        elif plot.kind == "points":
            axes.errorbar(at, one.y, yerr=_errors(one), label=_label(one), **_dots(number))
        else:
            axes.plot(at, one.y, marker=MARKERS[number % 8], color=_colour(number), label=_label(one))
            _band(axes, one, at, number)
    axes.set_xlabel(_label_text(plot.x_label))
    axes.set_ylabel(_label_text(plot.y_label))
    _scale(axes, "x", log=plot.log_x)
    _scale(axes, "y", log=plot.log_y)
    _few_ticks(axes, plot, sorted({float(x) for one in series for x in one.x}))
    axes.grid(axis="both")
    if plot.diagonal:
        low, high = axes.get_xlim()
        axes.plot([low, high], [low, high], linestyle="--", linewidth=0.9, color=INK)
        axes.set_xlim(low, high)


# --- parts -------------------------------------------------------------------------------------------


def _groups(series: Sequence[Series]) -> list[tuple[int, Series, float, float]]:
    """(number, series, offset, thickness) of the bars that share a place."""
    thick = 0.8 / len(series)
    return [(n, one, (n - (len(series) - 1) / 2) * thick, thick * 0.92) for n, one in enumerate(series)]


def _colour(number: int) -> str:
    return PALETTE[number % len(PALETTE)]


def _dots(number: int) -> dict[str, Any]:
    return {
        "fmt": MARKERS[number % 8],
        "color": _colour(number),
        "markersize": 5,
        "capsize": 2.5,
        "linewidth": 1.3,
    }


def _errors(one: Series) -> list[list[float]] | None:
    """Distances of the bounds from the points, as matplotlib wants them."""
    if not one.low:
        return None
    below = [max(0.0, y - low) for y, low in zip(one.y, one.low, strict=True)]
    above = [max(0.0, high - y) for y, high in zip(one.y, one.high, strict=True)]
    return [below, above]


def _whiskers(axes: Axes, one: Series, at: Sequence[float], *, lying: bool) -> None:
    if one.low:
        style: dict[str, Any] = {"fmt": "none", "ecolor": INK, "elinewidth": 1.2, "capsize": 2.5}
        if lying:
            axes.errorbar(one.y, at, xerr=_errors(one), **style)
        else:
            axes.errorbar(at, one.y, yerr=_errors(one), **style)


def _band(axes: Axes, one: Series, at: Sequence[float], number: int) -> None:
    if one.low:
        axes.fill_between(at, one.low, one.high, color=_colour(number), alpha=0.15, linewidth=0)


def _tips(axes: Axes, plot: Plot, one: Series, at: Sequence[float], bars: int) -> None:
    """The value at the end of each lying bar, where there is room for it."""
    if bars > 24:
        return
    ends = one.high or one.y
    for place, value, end in zip(at, one.y, ends, strict=True):
        axes.annotate(
            _short(value),
            (max(end, value), place),
            (4, 0),
            textcoords="offset points",
            va="center",
            fontsize=9.5,
        )
    if not plot.log_y:
        axes.margins(x=0.12)


def _short(value: float) -> str:
    if value == int(value) or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}"


def _scale(axes: Axes, axis: str, *, log: bool) -> None:
    """Ticks at 1, 2, 5 of each power of ten, written out."""
    from matplotlib.ticker import AutoLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator

    which = axes.xaxis if axis == "x" else axes.yaxis
    if not log:
        if isinstance(which.get_major_locator(), AutoLocator):
            which.set_major_locator(MaxNLocator(nbins=FEW_TICKS))
        return
    (axes.set_xscale if axis == "x" else axes.set_yscale)("log")
    low, high = which.get_view_interval()
    subs = (1.0, 2.0, 5.0) if high / max(low, 1e-12) < 300 else (1.0,)
    which.set_major_locator(LogLocator(subs=subs, numticks=12))
    which.set_minor_locator(NullLocator())
    which.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    if high / max(low, 1e-12) > 5_000 and axis == "x":
        axes.tick_params(axis="x", labelsize=9.5)


def _few_ticks(axes: Axes, plot: Plot, values: Sequence[float]) -> None:
    """A tick at every value where these are few and far between, as sizes of a library and steps are."""
    if len(values) <= 7 and (plot.log_x or all(value.is_integer() for value in values)):
        axes.set_xticks(values, [f"{value:,.10g}" for value in values])


def _gap(at: Sequence[float]) -> float:
    ordered = sorted(set(at))
    return min((b - a for a, b in pairwise(ordered)), default=1.0) * 0.92


def _crosses(series: Sequence[Series]) -> bool:
    return any(value < 0 for one in series for value in (*one.y, *one.low))


def _legend(figure: Figure, axes: Axes, series: Sequence[Series]) -> None:
    handles, _ = axes.get_legend_handles_labels()
    labels = [_label(one) for one in series]
    columns = max(1, min(len(labels), 66 // (max(map(len, labels)) + 6)))
    spare = LEGEND_LINE * (math.ceil(len(labels) / columns) - 1)
    figure.set_size_inches(figure.get_figwidth(), figure.get_figheight() + spare)
    figure.legend(handles, labels, loc="outside upper left", ncols=columns, fontsize=10)


def _label(one: Series) -> str:
    """Never empty and never with a first ``_``, which would hide it from the legend."""
    return textwrap.shorten(plain(one.label), SHORTEN, placeholder="…").lstrip("_") or "–"


def _label_text(text: str) -> str:
    return textwrap.shorten(plain(text), SHORTEN, placeholder="…")


def _wrapped(name: str, width: int = WRAP) -> str:
    text = textwrap.shorten(plain(name), SHORTEN, placeholder="…") or plain(name)[:SHORTEN]
    return "\n".join(textwrap.wrap(text, width)) or "–"
