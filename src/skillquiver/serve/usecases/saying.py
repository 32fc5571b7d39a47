"""What an agent is given to read: by the hook, by a search, as a bundle, or as its host's own list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from skillquiver.serve.hook.advice import advice
from skillquiver.serve.hook.suggest import suggestions
from skillquiver.serve.hosts.facts import FACTS
from skillquiver.serve.hosts.listing import Entry, Outcome, budget_of, fit
from skillquiver.serve.render import ranking_text
from skillquiver.serve.usecases.library import Library
from skillquiver.serve.usecases.searching import bundle, search
from skillquiver.skills.records import Kind, Skill
from skillquiver.skills.sanitize import plain

__all__ = ["host_lists", "said_for"]


def said_for(library: Library, query: str, *, budget: int) -> Mapping[str, str]:
    """The texts that the hook, ``quiver search`` and ``quiver bundle`` give for one task.

    Empty is what says that nothing fits.
    """
    ranking = search(library, query, hidden=False)
    packed = bundle(library, query, budget=budget)[0]
    return {
        "hook": advice(suggestions(ranking)),
        "search": ranking_text(ranking, explain=False),
        "bundle": packed.text if packed.entries else "",
    }


def host_lists(skills: Iterable[Skill], window: int) -> Mapping[str, str]:
    """The list of each host with a known rule, as if ``skills`` were all in its folders, unused so far.

    By the host's title. The host's own entries take their place first, as they do there.
    """
    texts = {
        skill.id: (skill, " - ".join(part for part in (skill.description, skill.when_to_use) if part))
        for skill in skills
        if skill.kind is Kind.SKILL and not skill.hidden
    }
    entries = [
        Entry(skill_id, skill.folder, len(text), len(f"r0/{skill.folder}/SKILL.md"))
        for skill_id, (skill, text) in texts.items()
    ]
    found = {}
    for host in FACTS.values():
        if host.listing is not None:
            shown = fit(entries, host.listing, budget_of(host.listing, window), own=host.listing.own)
            lines = (
                f"- {plain(one.entry.name)}: {texts[one.entry.id][1][: one.characters]}".rstrip(": ")
                for one in shown
                if one.outcome is not Outcome.LEFT_OUT
            )
            found[host.title] = "\n".join(lines)
    return found
