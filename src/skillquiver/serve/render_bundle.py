"""Bundles to JSON and to text for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillquiver.skills.sanitize import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillquiver.graph.relations import Relation
    from skillquiver.retrieve.bundle import Bundle, BundleEntry
    from skillquiver.retrieve.ranking import Ranked, Ranking

__all__ = ["bundle_data", "bundle_text"]

SHOWN_TERMS = 6
"""Matched terms in the explanation for people; JSON has them all."""


def bundle_data(bundle: Bundle, ranking: Ranking) -> dict[str, Any]:
    """A bundle, its text included. ``match`` is what the ranking says about an entry, if it is in there."""
    ranked = {result.id: result for result in ranking.results}
    return {
        "query": ranking.query,
        "status": bundle.status.value,
        "budget": bundle.budget,
        "tokens": bundle.tokens,
        "arm": bundle.arm,
        "degraded": ranking.degraded,
        "graph_degraded": bundle.graph_degraded,
        "entries": [_entry_data(entry, ranked.get(entry.id)) for entry in bundle.entries],
        "omitted": [
            {"id": one.id, "reason": one.reason.value, "detail": plain(one.detail)} for one in bundle.omitted
        ],
        "text": bundle.text,
    }


def _entry_data(entry: BundleEntry, ranked: Ranked | None) -> dict[str, Any]:
    return {
        "id": entry.id,
        "name": entry.name,
        "role": entry.role.value,
        "tier": entry.tier.value,
        "tokens": entry.tokens,
        "path": entry.path,
        "score": round(entry.score, 4),
        "confidence": round(entry.confidence, 4),
        "evidence": plain(entry.evidence),
        "match": _match_data(ranked) if ranked else None,
        "via": [_relation_data(relation) for relation in entry.via],
        "required_by": list(entry.required_by),
        "missing": list(entry.missing),
    }


def _match_data(ranked: Ranked) -> dict[str, Any]:
    evidence = ranked.evidence
    return {
        "rank": ranked.rank,
        "lexical_rank": evidence.lexical_rank,
        "dense_rank": evidence.dense_rank,
        "cosine": evidence.cosine,
        "terms": evidence.terms,
    }


def _relation_data(relation: Relation) -> dict[str, Any]:
    return {
        "source": relation.source,
        "type": relation.type.value,
        "target": relation.target,
        "provenance": relation.provenance.value,
        "confidence": relation.confidence,
        "quote": plain(relation.evidence.quote),
        "place": plain(relation.evidence.place),
    }


def bundle_text(bundle: Bundle, ranking: Ranking, *, explain: bool) -> str:
    """The text an agent reads; with ``explain`` also why each skill is there, and what was left out."""
    if not explain:
        return bundle.text
    ranked = {result.id: result for result in ranking.results}
    lines = [bundle.text.rstrip(), "", f"{bundle.tokens:,} of {bundle.budget:,} tokens"]
    for entry in bundle.entries:
        lines.append(
            f"  {plain(entry.id)}: {entry.role.value}, {entry.tier.value}, {entry.tokens} tokens; "
            f"confidence {entry.confidence:.2f}; {plain(entry.evidence)}".rstrip("; ")
        )
        lines += [f"    {line}" for line in _reasons(entry, ranked.get(entry.id))]
    lines += ["left out:"] if bundle.omitted else []
    lines += [f"  {plain(one.id)}: {one.reason.value} ({plain(one.detail)})" for one in bundle.omitted]
    lines += [f"({note})" for note in (ranking.degraded, bundle.graph_degraded) if note]
    return "\n".join(lines)


def _reasons(entry: BundleEntry, ranked: Ranked | None) -> Iterator[str]:
    """What led to an entry, one line each."""
    if ranked and ranked.evidence.terms:
        yield f"terms: {', '.join(plain(term) for term in list(ranked.evidence.terms)[:SHOWN_TERMS])}"
    for relation in entry.via:
        quote = plain(relation.evidence.quote)
        said = f': "{quote}"' if quote else ""
        yield (
            f"{plain(relation.source)} {relation.type.value} {plain(relation.target)} "
            f"({relation.provenance.value}, {relation.confidence:.2f}){said}"
        )
    if entry.required_by:
        yield f"required by {', '.join(map(plain, entry.required_by))}"
    if entry.missing:
        yield f"requires, but does not bring, {', '.join(map(plain, entry.missing))}"
