"""What a host's list shows, to JSON and to text for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from skillquiver.serve.hosts.facts import Rule
from skillquiver.serve.hosts.listing import Outcome, Shown
from skillquiver.serve.render_install import changes_diff, changes_lines
from skillquiver.skills.sanitize import plain

if TYPE_CHECKING:
    from skillquiver.serve.hosts.changes import Change
    from skillquiver.serve.usecases.listings import ListingReport

__all__ = ["listing_data", "listing_text", "overrides_data", "overrides_text"]

_RULES = {
    Rule.NAMES_STAY: "every name is listed; texts are kept whole in order of use while they fit",
    Rule.SHORTEN_ALL: "all texts are shortened evenly; if even the names do not fit, the last are left out",
}

_ORDERS = {
    Rule.NAMES_STAY: "most used first by the host's own record; unused ones by name, as seen in version {}",
    Rule.SHORTEN_ALL: "by name, as seen in version {}",
}

_MARK = {
    Outcome.SHORTENED: "shortened",
    Outcome.NAME_ONLY: "loses its text",
    Outcome.LEFT_OUT: "left out",
}


def listing_data(report: ListingReport) -> dict[str, Any]:
    """A listing, with what it was computed from."""
    listing = report.host.listing
    assert listing is not None
    return {
        "host": report.host.name,
        "window": report.window,
        "budget": report.budget,
        "own": listing.own,
        "skills": report.skills,
        "basis": "library" if report.everything else "host-folders",
        "rule": _RULES[listing.rule],
        "order": _ORDERS[listing.rule].format(report.host.tried),
        "used_known": report.used_known,
        "hidden": report.hidden,
        "lost": [_shown_data(one) for one in report.lost],
        "crowded": [_shown_data(one) for one in report.crowded],
    }


def _shown_data(one: Shown) -> dict[str, Any]:
    return {
        "id": one.entry.id,
        "name": one.entry.name,
        "outcome": one.outcome.value,
        "characters": one.entry.characters,
        "shown": one.characters,
    }


def listing_text(report: ListingReport) -> str:
    """A listing for people."""
    listing = report.host.listing
    assert listing is not None
    host = report.host
    basis = "all of this library: none is in its folders" if report.everything else "those in its folders"
    lines = [
        f"{host.title} with a window of {report.window:,} tokens: {report.budget:,} characters for the list",
        f"  skills: {report.skills:,} ({basis})",
        f"  rule: {_RULES[listing.rule]}",
        f"  order: {_ORDERS[listing.rule].format(host.tried)}; a use is known of {report.used_known:,}",
    ]
    if report.hidden:
        lines.append(f"  set to name-only by `--write-overrides`: {report.hidden:,}")
    if not report.lost:
        lines.append("every skill keeps its text within this budget")
    else:
        lines += [f"{len(report.lost):,} do not keep their text:", *_names(report.lost)]
    if report.crowded:
        own = f"{host.title} {host.tried} spends {listing.own:,} of the characters on entries of its own"
        lines += [f"{own}; {len(report.crowded):,} more lose to them:", *_names(report.crowded)]
    return "\n".join(lines)


def _names(shown: Sequence[Shown]) -> list[str]:
    return [
        f"  - {plain(one.entry.name)}: {_MARK[one.outcome]}"
        + (f" to {one.characters:,} of {one.entry.characters:,} characters" if one.characters else "")
        for one in shown
    ]


def overrides_data(changes: Sequence[Change], *, dry_run: bool) -> dict[str, Any]:
    """What was written into the host's settings."""
    return {
        "dry_run": dry_run,
        "changed": any(change.writes for change in changes),
        "files": [
            {"path": str(change.snapshot.path), "action": change.action.value, "note": change.note}
            for change in changes
        ],
    }


def overrides_text(changes: Sequence[Change], *, dry_run: bool) -> str:
    """The same for people."""
    if not any(change.writes for change in changes):
        return "settings: nothing to change"
    diff = [changes_diff(tuple(changes))] if dry_run else []
    head = "settings would become, nothing was written" if dry_run else "settings written"
    return "\n".join([*diff, f"{head}:", *changes_lines(tuple(changes))])
