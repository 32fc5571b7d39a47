"""Which candidates may come, each with what it requires; everybody else gets a reason.

Candidates are admitted one at a time, wishes first, then best first. One that is admitted brings its whole
``requires`` closure; whatever comes later must get on with everything that is there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from skillquiver.errors import ConflictError, UnknownSkillError
from skillquiver.retrieve.bundle import Candidate, Omission, PackContext, Role
from skillquiver.retrieve.closure import Blocked, Met, Reason, close
from skillquiver.retrieve.duplicates import Distinct
from skillquiver.retrieve.links import Need, links_of
from skillquiver.settings import PackSettings
from skillquiver.types import SkillId, Status

__all__ = ["Choice", "Unit", "choose", "confidence_floor"]


@dataclass(frozen=True, slots=True)
class Unit:
    """A skill and everything that has to come with it, itself first. ``must`` units may not be dropped.

    ``wanted_by`` names the skill for whose sake alone this one was admitted, without being indispensable to
    it: it comes only if that one does.
    """

    members: tuple[SkillId, ...]
    must: bool = False
    wanted_by: SkillId | None = None
    pointer: bool = False
    """Whether a card is all it gets, and what comes for it alone: what follows a task is not the task."""


@dataclass(slots=True)
class Choice:
    """Who competes for the budget, best first, and why the others do not."""

    units: list[Unit] = field(default_factory=list)
    chosen: dict[SkillId, Candidate] = field(default_factory=dict)
    left_out: dict[SkillId, Reason] = field(default_factory=dict)
    needs: dict[SkillId, list[SkillId]] = field(default_factory=dict)
    """What each chosen skill requires of the others, stand-ins resolved."""
    missing: dict[SkillId, list[SkillId]] = field(default_factory=dict)
    """What each chosen skill requires and nobody brings."""
    stands_for: dict[SkillId, SkillId] = field(default_factory=dict)
    """A skill that is not chosen to the one that does its work: original, alternative or successor."""


def choose(
    ranked: Sequence[Candidate], *, settings: PackSettings, status: Status, context: PackContext
) -> Choice:
    """Admit as many of ``ranked`` (best first) as may stand together.

    Raises ``UnknownSkillError`` for a ``must`` without a record, ``ConflictError`` for one that cannot come:
    it conflicts with another, is wished away, or is one too many.
    """
    chooser = _Chooser(ranked, settings, context)
    for skill_id in dict.fromkeys(context.wishes.must):
        chooser.insist(skill_id)
    best = max((c.confidence for c in ranked if c.role is Role.MATCH and not c.skill.hidden), default=0.0)
    for candidate in ranked:
        if candidate.id not in chooser.choice.chosen:
            floor = confidence_floor(best, settings, matched=candidate.role is Role.MATCH)
            chooser.consider(candidate, floor=floor, status=status)
    return chooser.choice


def confidence_floor(best: float, settings: PackSettings, *, matched: bool = True) -> float:
    """The cut: an absolute floor, or a share of the best visible match's confidence.

    What only relations lead to, not ``matched``, has to clear a higher one.
    """
    ratio = settings.confidence_ratio if matched else settings.reach_ratio
    return max(settings.min_confidence, ratio * best)


class _Chooser:
    """State of one choice."""

    def __init__(self, ranked: Sequence[Candidate], settings: PackSettings, context: PackContext) -> None:
        self.choice = Choice()
        self._settings, self._wishes = settings, context.wishes
        self._known: Mapping[SkillId, Candidate] = {
            **{i: _unranked(context, i) for i in context.support},
            **{c.id: c for c in ranked},
        }
        self._links = links_of(context.relations, settings)
        self._distinct = Distinct(settings)
        self._loaded = sorted(self._wishes.loaded)
        for skill_id in self._loaded:
            if skill_id in self._known:
                self._distinct.keep(self._known[skill_id].skill)

    # --- one skill after the other ---------------------------------------------------------------

    def insist(self, skill_id: SkillId) -> None:
        """Admit a skill that was asked for by name, whatever its rank."""
        if skill_id not in self._known:
            raise UnknownSkillError(skill_id)
        if skill_id in self._wishes.loaded | self._wishes.without:
            raise ConflictError(f"{skill_id} is asked for and, with --without or --loaded, also ruled out")
        for other in self.choice.chosen:
            if other in self._links.conflicts.get(skill_id, ()):
                raise ConflictError(f"{other} and {skill_id} conflict; ask for one of them")
        most = self._settings.max_skills
        if skill_id not in self.choice.chosen and len(self.choice.chosen) >= most:
            raise ConflictError(f"{skill_id} does not fit: {most} skills at most, and others were asked for")
        self._admit(self._known[skill_id], must=True)

    def consider(self, candidate: Candidate, *, floor: float, status: Status) -> None:
        """Admit a candidate, or its successor in its place, with its closure; or note why not."""
        try:
            self._check_welcome(candidate, floor, status)
            self._check_company(candidate)
            self._admit(self._current(candidate))
        except Blocked as blocked:
            self.choice.left_out[candidate.id] = blocked.reason

    def _check_welcome(self, candidate: Candidate, floor: float, status: Status) -> None:
        """Raise ``Blocked`` for what speaks against a candidate whatever else is in the bundle."""
        self._check_barred(candidate.id)
        most = self._settings.max_skills
        if status is Status.NONE:
            raise Blocked(Reason(Omission.LOW_CONFIDENCE, "nothing in the library matches this task"))
        if candidate.confidence < floor:
            detail = f"confidence {candidate.confidence:.3f} is below {floor:.3f}"
            raise Blocked(Reason(Omission.LOW_CONFIDENCE, detail))
        if len(self.choice.chosen) >= most:
            raise Blocked(Reason(Omission.MAX_SKILLS, f"below the first {most}"))

    def _check_barred(self, skill_id: SkillId) -> None:
        if skill_id in self._wishes.loaded:
            raise Blocked(Reason(Omission.LOADED, "the agent has it already"))
        if skill_id in self._wishes.without:
            raise Blocked(Reason(Omission.WITHOUT, "left out by request"))
        if self._known[skill_id].skill.hidden:
            raise Blocked(Reason(Omission.HIDDEN, "its author asks that no model be offered it"))

    def _check_company(self, candidate: Candidate) -> None:
        """Raise ``Blocked`` if what is there already excludes the candidate or makes it superfluous."""
        self._check_conflict(candidate.id, ())
        if (twin := self._distinct.twin(candidate.skill)) is not None:
            self.choice.stands_for[candidate.id] = twin
            raise Blocked(Reason(Omission.NEAR_DUPLICATE, f"a copy of {twin}"))
        if (other := self._alternative(candidate.id)) is not None:
            self.choice.stands_for[candidate.id] = other
            raise Blocked(Reason(Omission.ALTERNATIVE, f"{other} does the job"))

    def _check_conflict(self, skill_id: SkillId, group: Iterable[SkillId]) -> None:
        for other in chain(self.choice.chosen, self._loaded, group):
            if other in self._links.conflicts.get(skill_id, ()):
                raise Blocked(Reason(Omission.CONFLICT, f"must not be loaded with {other}"))

    def _alternative(self, skill_id: SkillId) -> SkillId | None:
        others = self._links.alternatives.get(skill_id, ())
        return next((other for other in chain(self.choice.chosen, self._loaded) if other in others), None)

    def _current(self, candidate: Candidate) -> Candidate:
        """Return the candidate, or in its place the skill that replaces it (then it is left out)."""
        heir = self._successor(candidate.id)
        if heir is None:
            return candidate
        self.choice.stands_for[candidate.id] = heir
        self.choice.left_out[candidate.id] = Reason(Omission.SUPERSEDED, f"replaced by {heir}")
        if heir in self.choice.chosen:
            raise Blocked(self.choice.left_out[candidate.id])
        known = self._known[heir]
        best = max(known.score, candidate.score), max(known.confidence, candidate.confidence)
        evidence = _joined(f"replaces {candidate.id}", known.evidence)
        self._check_company(known)
        return replace(known, score=best[0], confidence=best[1], role=candidate.role, evidence=evidence)

    def _successor(self, skill_id: SkillId) -> SkillId | None:
        """Return the last skill of the chain that replaces this one, as far as it may come."""
        found, seen = None, {skill_id}
        while (heir := self._heir(skill_id, seen)) is not None:
            found = skill_id = heir
            seen.add(heir)
        return found

    def _heir(self, skill_id: SkillId, seen: Collection[SkillId]) -> SkillId | None:
        barred = self._wishes.without | self._wishes.loaded | set(seen)
        heirs = (h for h in self._links.successors.get(skill_id, ()) if h in self._known and h not in barred)
        return next((heir for heir in heirs if not self._known[heir].skill.hidden), None)

    # --- closures ---------------------------------------------------------------------------------

    def _admit(self, head: Candidate, *, must: bool = False, wanted_by: SkillId | None = None) -> None:
        """Take a skill and its closure in; raises ``Blocked`` if a part of the closure cannot come."""

        def obtain(owner: SkillId, need: Need, group: Collection[SkillId]) -> Met | None:
            return self._obtain(owner, need, (head.id, *group))

        closure = close(head.id, lambda owner: self._links.needs.get(owner, ()), obtain, tolerant=must)
        self.choice.chosen.setdefault(head.id, head)
        self.choice.chosen.update(closure.brought)
        for member in closure.members:
            self.choice.left_out.pop(member, None)
            self._distinct.keep(self.choice.chosen[member].skill)
        self.choice.units.append(
            Unit(
                tuple(closure.members),
                must=must,
                wanted_by=wanted_by,
                pointer=head.role is Role.FOLLOW_UP and not must,
            )
        )
        fresh = {head.id, *closure.brought}
        for owner, met in closure.met:
            _note(self.choice.needs, owner, met)
        for owner, lost in closure.missing:
            if owner in fresh:
                _note(self.choice.missing, owner, lost)
        for owner, need in closure.soft:
            if owner in fresh:
                self._bring(owner, need)

    def _bring(self, owner: SkillId, need: Need) -> None:
        """Admit what ``owner`` had better have, or note that it is missing."""
        try:
            met = self._obtain(owner, need, ())
            if met is None:
                return
            if met.candidate is not None:
                self._admit(met.candidate, wanted_by=owner)
            _note(self.choice.needs, owner, met.id)
        except Blocked:
            _note(self.choice.missing, owner, need.id)

    def _obtain(self, owner: SkillId, need: Need, group: Collection[SkillId]) -> Met | None:
        """Say how a need is met; ``group`` is about to come as well."""
        if need.id in self._wishes.loaded:
            return None
        met = self._met(need.id, group)
        if met is None:
            candidate = self._new(self._successor(need.id) or need.id, group)
            self.choice.stands_for |= {need.id: candidate.id} if candidate.id != need.id else {}
            met = Met(candidate.id, self._as_prerequisite(candidate, owner, need))
        return None if met.id in self._wishes.loaded else met

    def _met(self, wanted: SkillId, group: Collection[SkillId]) -> Met | None:
        """Return what is there, or about to come, and is the skill or does its work."""
        heir = self._successor(wanted)
        for skill_id in (wanted, heir):
            if skill_id is not None and (skill_id in self.choice.chosen or skill_id in group):
                return Met(skill_id)
        if wanted not in self._known or heir is not None:
            return None
        twin = self._distinct.twin(self._known[wanted].skill) or self._alternative(wanted)
        if twin is None:
            return None
        self.choice.stands_for[wanted] = twin
        return Met(twin)

    def _new(self, wanted: SkillId, group: Collection[SkillId]) -> Candidate:
        """Return the skill if it may come; else raise ``Blocked``."""
        if wanted not in self._known:
            raise Blocked(Reason(Omission.MISSING_REQUIREMENT, f"requires {wanted}, which is not known"))
        self._check_barred(wanted)
        self._check_conflict(wanted, group)
        most = self._settings.max_skills
        if len(self.choice.chosen.keys() | set(group)) >= most:
            detail = f"with what it requires there would be more than {most} skills"
            raise Blocked(Reason(Omission.MAX_SKILLS, detail))
        return self._known[wanted]

    def _as_prerequisite(self, found: Candidate, owner: SkillId, need: Need) -> Candidate:
        """The skill in its role; as likely to be wanted as its dependant is, times the relation."""
        dependant = self.choice.chosen.get(owner) or self._known[owner]
        return replace(
            found,
            role=Role.PREREQUISITE,
            confidence=max(found.confidence, need.relation.confidence * dependant.confidence),
            evidence=_joined(f"required by {owner}", found.evidence),
            via=(*dependant.via, need.relation),
        )


def _unranked(context: PackContext, skill_id: SkillId) -> Candidate:
    asked = skill_id in context.wishes.must
    role, evidence = (Role.MATCH, "asked for") if asked else (Role.PREREQUISITE, "")
    return Candidate(skill=context.support[skill_id], score=0.0, confidence=0.0, role=role, evidence=evidence)


def _note(notes: dict[SkillId, list[SkillId]], owner: SkillId, other: SkillId) -> None:
    known = notes.setdefault(owner, [])
    known += [other] if other not in known else []


def _joined(first: str, second: str) -> str:
    return f"{first}; {second}" if second else first
