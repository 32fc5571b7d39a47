"""Rank, follow relations, pack: where the stages of a bundle meet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from skillquiver.errors import UsageError
from skillquiver.graph.neighbourhood import CLOSURE_NODES, neighbourhood
from skillquiver.graph.relations import Relation, RelationType, pair_of
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.graph.stored import GraphState, graph_state, relations_of
from skillquiver.index.store import Store
from skillquiver.retrieve.bundle import Bundle, Candidate, PackContext, Role, Wishes
from skillquiver.retrieve.choice import confidence_floor
from skillquiver.retrieve.diffuse import Arm, Move
from skillquiver.retrieve.expand import FLOWING, Expanded, expand, seeds_of
from skillquiver.retrieve.pack import pack
from skillquiver.retrieve.ranking import Ranked, Ranking
from skillquiver.serve.usecases.library import Library, find_skill
from skillquiver.settings import DiffuseSettings, PackSettings
from skillquiver.skills.records import Skill
from skillquiver.types import SkillId, Status

__all__ = ["BUNDLE_POOL", "Asked", "bundle_ranking", "bundle_task"]

BUNDLE_POOL = 30
"""Skills that compete for a bundle: several times what one holds, copies included."""

_NO_WISHES = Wishes()

_PACKED = sorted(
    type_.value for type_ in RelationType if type_ not in (RelationType.SIMILAR_TO, RelationType.COMPLEMENTS)
)
"""Types that packing acts on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a caller asks for besides: skills by id, or by a name that only one has."""

    must: Sequence[str] = ()
    without: Sequence[str] = ()
    loaded: Sequence[str] = ()
    explain: bool = False
    """Whether the ranking says which terms matched: a third more time."""

    def resolved(self, store: Store) -> Wishes:
        """Look the names up. Raises ``UnknownSkillError``, ``AmbiguousNameError``, ``UsageError``."""
        must, without, loaded = (
            [find_skill(store, name)[1].id for name in names]
            for names in (self.must, self.without, self.loaded)
        )
        return Wishes(must=tuple(must), without=frozenset(without), loaded=frozenset(loaded))


def bundle_task(
    library: Library, query: str, *, budget: int, settings: PackSettings, arm: Arm, asked: Asked
) -> tuple[Bundle, Ranking]:
    """Rank the library for ``query``, follow relations as ``arm`` says, pack into ``budget`` tokens.

    A library without a graph gives a bundle without relations that says so; where the library changed since
    the graph was built, relations of changed skills are not used.
    """
    if budget < 1:
        raise UsageError(f"--budget is {budget}; a bundle needs at least one token")
    if settings.max_skills < 1:
        raise UsageError(f"--max-skills is {settings.max_skills}; ask for at least 1")
    wishes = asked.resolved(library.store)
    ranking = library.ranker.rank(query, top_k=BUNDLE_POOL, explain=asked.explain)
    packed = bundle_ranking(library.store, ranking, budget=budget, settings=settings, arm=arm, wishes=wishes)
    return packed, ranking


def bundle_ranking(
    store: Store,
    ranking: Ranking,
    *,
    budget: int,
    settings: PackSettings,
    arm: Arm,
    wishes: Wishes = _NO_WISHES,
) -> Bundle:
    """Follow relations from a ranking of ``BUNDLE_POOL`` skills as ``arm`` says, and pack."""
    with store.snapshot():
        gathered = _gather(store, ranking, arm, wishes, settings)
    packed = pack(
        gathered.candidates,
        budget=budget,
        settings=settings,
        status=ranking.status,
        context=PackContext(relations=gathered.relations, support=gathered.support, wishes=wishes),
    )
    return replace(packed, arm=arm.value, graph_degraded=gathered.degraded)


@dataclass(frozen=True, slots=True)
class _Gathered:
    candidates: Sequence[Candidate]
    relations: Sequence[Relation]
    support: Mapping[SkillId, Skill]
    degraded: str


def _gather(store: Store, ranking: Ranking, arm: Arm, wishes: Wishes, settings: PackSettings) -> _Gathered:
    """Collect candidates, and everything the relations say about them, from one state of the store."""
    asked = (*wishes.must, *sorted(wishes.loaded))
    state = GraphState.OK if arm is Arm.FLAT else graph_state(store)
    if arm is Arm.FLAT or state is GraphState.MISSING or (ranking.status is Status.NONE and not asked):
        known = _records(store, [*(result.id for result in ranking.results), *asked])
        candidates = [_plain(result, known[result.id]) for result in ranking.results if result.id in known]
        return _Gathered(candidates, (), _others(known, candidates), state.told)
    around = _around(store, ranking, state)
    expansion = expand(ranking, around, arm=arm, settings=DiffuseSettings())
    competing = expansion.skills[:BUNDLE_POOL]
    relations = _relations(store, [*(one.id for one in competing), *asked])
    ends = {end for relation in relations for end in relation.pair}
    known = _records(store, sorted({*(one.id for one in competing), *asked, *ends}))
    candidates = _candidates(competing, known, ranking, around, settings)
    fresh = [r for r in relations if _is_fresh(r, known)]
    return _Gathered(candidates, fresh, _others(known, candidates), state.told)


def _candidates(
    competing: Sequence[Expanded],
    known: Mapping[SkillId, Skill],
    ranking: Ranking,
    around: SkillGraph,
    settings: PackSettings,
) -> list[Candidate]:
    """Turn an expansion into candidates. What matches well enough by itself stays a match."""
    best = max((result.confidence for result in ranking.results if not result.hidden), default=0.0)
    floor = confidence_floor(best, settings)
    ranked = {result.id: result for result in ranking.results}
    by_ends = {(*r.pair, r.type): r for r in around.relations}
    found = []
    for one in competing:
        result = ranked.get(one.id)
        matched = one.role is Role.MATCH or (result is not None and result.confidence >= floor)
        if one.id in known:
            candidate = Candidate(
                skill=known[one.id],
                score=one.score,
                confidence=one.confidence,
                role=Role.MATCH if matched else one.role,
                evidence=_why(result),
                via=() if result is not None and matched else _steps(one.path, by_ends),
            )
            found.append(candidate)
    return found


def _around(store: Store, ranking: Ranking, state: GraphState) -> SkillGraph:
    """Return the neighbourhood of the best matches, without relations that no longer hold."""
    settings = DiffuseSettings()
    seeds = list(seeds_of(ranking, settings))
    graph = neighbourhood(store, seeds, hops=settings.hops, types=FLOWING, max_nodes=settings.max_nodes)
    if state is GraphState.OK:
        return graph
    rows = store.rows_of(graph.ids)
    known = {skill.id: skill for skill in store.skills(list(rows.values()), body=False).values()}
    return SkillGraph.of(graph.ids, (r for r in graph.relations if _is_fresh(r, known)))


def _relations(store: Store, ids: Sequence[SkillId]) -> Sequence[Relation]:
    """Return the relations among ``ids``, what they require, and what replaces any of these."""
    table = store.relations
    known = {node: skill_id for skill_id, node in table.nodes(ids).items()}
    frontier = list(known)
    while frontier and len(known) < CLOSURE_NODES:
        reached = {edge[1] for edge in table.leaving(frontier, [RelationType.REQUIRES.value])}
        reached |= {edge[0] for edge in table.entering(frontier, [RelationType.SUPERSEDES.value])}
        new = table.ids(sorted(reached - known.keys()))
        known |= new
        frontier = list(new)
    return relations_of(table.among(known, _PACKED), known)


def _records(store: Store, ids: Sequence[SkillId]) -> Mapping[SkillId, Skill]:
    rows = store.rows_of(ids)
    return {skill.id: skill for skill in store.skills(list(rows.values())).values()}


def _others(known: Mapping[SkillId, Skill], candidates: Sequence[Candidate]) -> Mapping[SkillId, Skill]:
    taken = {candidate.id for candidate in candidates}
    return {skill_id: skill for skill_id, skill in known.items() if skill_id not in taken}


def _is_fresh(relation: Relation, known: Mapping[SkillId, Skill]) -> bool:
    """Whether both ends still have the text they had when the relation was judged."""
    ends = ((relation.source, relation.source_hash), (relation.target, relation.target_hash))
    return all(i in known and known[i].content_hash == hash_ for i, hash_ in ends)


def _steps(
    path: Sequence[Move], by_ends: Mapping[tuple[SkillId, SkillId, RelationType], Relation]
) -> tuple[Relation, ...]:
    return tuple(by_ends[(*pair_of(move.origin, move.goal), move.type)] for move in path)


def _plain(result: Ranked, skill: Skill) -> Candidate:
    return Candidate(skill=skill, score=result.score, confidence=result.confidence, evidence=_why(result))


def _why(result: Ranked | None) -> str:
    """The places a skill has in the ranking and in its channels."""
    if result is None:
        return ""
    parts = [f"rank {result.rank}"]
    if result.evidence.lexical_rank:
        parts.append(f"lexical {result.evidence.lexical_rank}")
    if result.evidence.dense_rank:
        parts.append(f"dense {result.evidence.dense_rank}")
    return ", ".join(parts)
