"""What a host's list shows of the library's skills, and the host's settings that hide the rest on purpose."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from skillquiver.errors import UsageError
from skillquiver.index.store import Store
from skillquiver.serve.hosts.changes import Change
from skillquiver.serve.hosts.config_files import HostFileError, read_file
from skillquiver.serve.hosts.edits import Edit, EditKind
from skillquiver.serve.hosts.facts import FACTS, HostFacts, Listing, Rule
from skillquiver.serve.hosts.jsonc import parse_jsonc, value_of
from skillquiver.serve.hosts.ledger import ledger_path, read_ledger
from skillquiver.serve.hosts.listing import Entry, Outcome, Shown, budget_of, fit
from skillquiver.serve.hosts.plans import Wanted, Where, overrides_file
from skillquiver.serve.usecases.installing import carry_out, holder_of
from skillquiver.skills.hosts import host_roots
from skillquiver.skills.records import Kind, Skill
from skillquiver.types import SkillId

__all__ = ["ListingReport", "list_for_host", "listing_hosts", "undo_overrides", "write_overrides"]

NAME_ONLY = "name-only"
_UNLISTED = ("off", "user-invocable-only")
_OURS = "find-skills"
"""Our own skill is never hidden: it is how the others are found."""


@dataclass(frozen=True, slots=True)
class ListingReport:
    """What ``host`` shows of ``skills`` skills in a window of ``window`` tokens. Sizes in characters.

    ``lost`` lose text by the documented budget alone, ``crowded`` once the host's own entries count too.
    ``everything`` is whether the whole library was taken because none of it is in the host's folders;
    ``hidden`` counts what ``write_overrides`` hides already, ``tail`` names all that it would hide.
    """

    host: HostFacts
    window: int
    budget: int
    skills: int
    lost: tuple[Shown, ...]
    crowded: tuple[Shown, ...]
    everything: bool
    hidden: int
    tail: tuple[str, ...]
    used_known: int
    """Skills with a use in the host's own record."""

    @property
    def failing(self) -> bool:
        """Whether a skill loses text by the documented budget."""
        return bool(self.lost)


def listing_hosts() -> tuple[str, ...]:
    """Hosts whose list has a known budget."""
    return tuple(name for name, host in FACTS.items() if host.listing)


def list_for_host(folder: Path, name: str, *, window: int, where: Where) -> ListingReport:
    """Say which skills of the library ``name`` would list without their text. Reads the host's settings.

    Raises ``UsageError`` for a host without a known budget or an empty window.
    """
    if name not in listing_hosts():
        raise UsageError(f"no budget is known for the host {name!r}; one of: {', '.join(listing_hosts())}")
    if window < 1:
        raise UsageError(f"--window is {window}; give the size of the context window in tokens")
    host = FACTS[name]
    assert host.listing is not None
    settings = _settings(host, where)
    listing, budget = _budget(host.listing, window, settings, where)
    with Store.opened(folder) as store:
        skills = [skill for _, skill in store.all_skills(body=False)]
    chosen, everything = _listed_by(host, skills, where)
    ours = _ours(host, where)
    overrides = _overrides(settings)
    users = {name: value for name, value in overrides.items() if name not in ours}
    entries = _entries(host, chosen, where, overrides)
    alone = _not_whole(fit(entries, listing, budget))
    beside = _not_whole(fit(entries, listing, budget, own=listing.own))
    unhidden = fit(_entries(host, chosen, where, users), listing, budget, own=listing.own)
    tail = {one.entry.name for one in unhidden if one.outcome is Outcome.NAME_ONLY}
    return ListingReport(
        host=host,
        window=window,
        budget=budget,
        skills=len(entries),
        lost=tuple(alone.values()),
        crowded=tuple(one for skill_id, one in beside.items() if skill_id not in alone),
        everything=everything,
        hidden=sum(entry.name in ours for entry in entries),
        tail=tuple(sorted(name for name in tail - {_OURS} if ":" not in name)),
        used_known=sum(entry.uses > 0 for entry in entries),
    )


def write_overrides(report: ListingReport, where: Where, *, dry_run: bool) -> list[Change]:
    """Set every skill that loses its text to ``name-only`` in the host's settings: on purpose, not by chance.

    Skills of plugins, and those whose setting the user chose, are left alone. A second run changes nothing.
    Raises ``UsageError`` for a host without such a setting.
    """
    path = overrides_file(_overridable(report.host), where)
    if not report.tail:
        return carry_out(_holder(report.host, where), None, dry_run=dry_run)
    edit = Edit(EditKind.MEMBERS, json.dumps(dict.fromkeys(report.tail, NAME_ONLY)), ("skillOverrides",))
    return carry_out(_holder(report.host, where), [Wanted(path, (edit,))], dry_run=dry_run)


def undo_overrides(name: str, where: Where, *, dry_run: bool) -> list[Change]:
    """Take out what ``write_overrides`` wrote. Raises ``UsageError`` for a host without such a setting."""
    if name not in FACTS:
        raise UsageError(f"no host {name!r}; one of: {', '.join(listing_hosts())}")
    return carry_out(_holder(_overridable(FACTS[name]), where), None, dry_run=dry_run)


def _overridable(host: HostFacts) -> HostFacts:
    if host.listing is None or host.listing.settings is None:
        able = ", ".join(one.name for one in FACTS.values() if one.listing and one.listing.settings)
        raise UsageError(f"{host.title} has no setting that hides the text of a skill; only: {able}")
    return host


def _holder(host: HostFacts, where: Where) -> str:
    return holder_of(host, where, "overrides")


# --- which skills ----------------------------------------------------------------------------------


def _listed_by(host: HostFacts, skills: list[Skill], where: Where) -> tuple[list[Skill], bool]:
    """Skills in the host's folders; if the library has none of these, all of them."""
    roots = host_roots(where.home, Path.cwd(), host=host.name)
    folders = tuple(f"{root.path}/" for root in roots)
    kinds = (Kind.SKILL, Kind.COMMAND) if host.name == "claude-code" else (Kind.SKILL,)
    listed = [skill for skill in skills if skill.kind in kinds and not skill.hidden]
    inside = [skill for skill in listed if skill.path.startswith(folders)] if folders else []
    return (inside, False) if inside else (listed, True)


def _entries(host: HostFacts, skills: list[Skill], where: Where, chosen: Mapping[str, Any]) -> list[Entry]:
    used = _usage(host, where)
    entries = []
    for skill in skills:
        name = _handle(host, skill)
        if chosen.get(name) in _UNLISTED:
            continue
        text = " - ".join(part for part in (skill.description, skill.when_to_use) if part)
        size = 0 if chosen.get(name) == NAME_ONLY else len(text)
        uses, last = used.get(name, (0, 0))
        entries.append(Entry(skill.id, name, size, len(f"r0/{skill.folder}/SKILL.md"), uses, last))
    return entries


def _not_whole(shown: Iterable[Shown]) -> dict[SkillId, Shown]:
    return {one.entry.id: one for one in shown if one.outcome is not Outcome.WHOLE}


def _handle(host: HostFacts, skill: Skill) -> str:
    """The name in the host's list: of a plugin's skill ``plugin:skill``, else the folder's name."""
    if host.listing is not None and host.listing.rule is not Rule.NAMES_STAY:
        return skill.name
    folder = Path(skill.path).parent if skill.kind is Kind.SKILL else Path(skill.path).with_suffix("")
    plugin = folder.parent.parent
    manifest = plugin / ".claude-plugin" / "plugin.json"
    if not manifest.is_file():
        return folder.name
    try:
        name = json.loads(manifest.read_text(encoding="utf-8")).get("name", "")
    except (OSError, ValueError, AttributeError):  # a broken manifest: the folder's name is the best guess
        name = ""
    return f"{name or plugin.name}:{folder.name}"


# --- the host's own files, read only ---------------------------------------------------------------


def _settings(host: HostFacts, where: Where) -> Mapping[str, Any]:
    if host.listing is None or host.listing.settings is None:
        return {}
    return _json_file(overrides_file(host, where))


def _json_file(path: Path) -> Mapping[str, Any]:
    snapshot = read_file(path)
    if not snapshot.text.strip("\ufeff \t\r\n"):
        return {}
    try:
        data = value_of(snapshot.text, parse_jsonc(snapshot.text))
    except ValueError as error:
        raise HostFileError(f"{path} is not JSON: {error}; correct it there, then run this again") from error
    return data if isinstance(data, dict) else {}


def _budget(listing: Listing, window: int, settings: Mapping[str, Any], where: Where) -> tuple[Listing, int]:
    """The listing and its budget, with the host's settings obeyed."""
    share = settings.get("skillListingBudgetFraction")
    if isinstance(share, int | float) and 0 < share <= 1:
        listing = replace(listing, share=float(share))
    fixed = where.environment.get("SLASH_COMMAND_TOOL_CHAR_BUDGET", "")
    if listing.settings is not None and fixed.isdecimal() and int(fixed):
        return listing, int(fixed)
    return listing, budget_of(listing, window)


def _overrides(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    held = settings.get("skillOverrides")
    return held if isinstance(held, dict) else {}


def _ours(host: HostFacts, where: Where) -> frozenset[str]:
    """Names whose override we wrote."""
    if host.listing is None or host.listing.settings is None:
        return frozenset()
    record = read_ledger(ledger_path())[0].files.get(str(overrides_file(host, where)))
    return frozenset(key for one in record.applied for key in one.how.keys) if record else frozenset()


def _usage(host: HostFacts, where: Where) -> Mapping[str, tuple[int, int]]:
    """(uses, last use in ms) by listed name, from Claude Code's own record; empty for other hosts."""
    if host.name != "claude-code":
        return {}
    moved = where.environment.get(host.variable, "")
    data = _json_file((Path(moved) if moved else where.home) / ".claude.json").get("skillUsage")
    found = {}
    for name, use in (data if isinstance(data, dict) else {}).items():
        if isinstance(use, dict):
            count, last = use.get("usageCount"), use.get("lastUsedAt")
            if isinstance(count, int) and isinstance(last, int):
                found[name] = (count, last)
    return found
