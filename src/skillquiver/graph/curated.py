"""``relations.yaml``: what people declare about a library, most trusted of all.

One file per root, read by the caller. It adds relations and forbids others; docs/relations.md shows it::

    version: 1
    relations:
      - source: pdf-forms
        type: requires
        target: [pdf, ocr]
        reason: forms are read as pages first
    never:
      - source: git
        target: docker
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from skillquiver.graph.names import key_of
from skillquiver.graph.relations import Evidence, Provenance, Relation, RelationType
from skillquiver.graph.sources import Corpus
from skillquiver.skills.findings import clip
from skillquiver.types import Finding, Severity, SkillId

__all__ = ["CURATED_NAME", "Curated", "CuratedFile", "read_curated"]

CURATED_NAME = "relations.yaml"
"""Name of the file at the top of a root."""

CURATED_VERSION = 1

_MAX_CHARS = 1_000_000
"""Twenty thousand relations; a larger file is not written by hand."""

_RELATION_KEYS = frozenset({"source", "type", "target", "reason", "confidence"})
_NEVER_KEYS = frozenset({"source", "type", "target", "reason"})


@dataclass(frozen=True, slots=True, order=True)
class CuratedFile:
    """The text of one ``relations.yaml`` and the label of the root it stands in."""

    root: str
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Curated:
    """What the files say: relations to add, (source, target, type) to drop, faults.

    A type of ``None`` in ``never`` forbids every relation between the two, whichever way round.
    """

    relations: tuple[Relation, ...] = ()
    never: tuple[tuple[SkillId, SkillId, RelationType | None], ...] = ()
    findings: tuple[Finding, ...] = ()

    def forbids(self, relation: Relation) -> bool:
        """Whether a ``never`` entry covers ``relation``."""
        ends = {relation.source, relation.target}
        return any(
            {source, target} == ends if type_ is None else _same(relation, source, target, type_)
            for source, target, type_ in self.never
        )


def read_curated(files: Iterable[CuratedFile], corpus: Corpus) -> Curated:
    """Read and validate ``files``; every fault is a finding, and the rest of the file still counts."""
    reader = _Reader(corpus)
    for file in sorted(files):
        reader.read(file)
    return Curated(tuple(reader.relations), tuple(reader.never), tuple(sorted(set(reader.findings))))


def _same(relation: Relation, source: SkillId, target: SkillId, type_: RelationType) -> bool:
    return (relation.source, relation.target, relation.type) == (source, target, type_)


class _Reader:
    """Folds files into relations and findings."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self.relations: list[Relation] = []
        self.never: list[tuple[SkillId, SkillId, RelationType | None]] = []
        self.findings: list[Finding] = []

    def read(self, file: CuratedFile) -> None:
        document = self._parse(file)
        if document is None:
            return
        if document.get("version") != CURATED_VERSION:
            self._fault(
                file, "relations-schema", f"version is {document.get('version')!r}", "write version: 1"
            )
        for key in sorted(set(document) - {"version", "relations", "never"}):
            self._fault(file, "relations-schema", f"unknown key {key!r}", "use relations: and never:")
        for i, entry in enumerate(self._list(file, document, "relations"), 1):
            self._relation(file, f"relations[{i}]", entry)
        for i, entry in enumerate(self._list(file, document, "never"), 1):
            self._never(file, f"never[{i}]", entry)

    def _parse(self, file: CuratedFile) -> dict[str, Any] | None:
        if len(file.text) > _MAX_CHARS:
            self._fault(file, "relations-syntax", f"{len(file.text)} characters", "split it over roots")
            return None
        try:
            if any(isinstance(e, yaml.AliasEvent) for e in yaml.parse(file.text, Loader=yaml.SafeLoader)):
                self._fault(file, "relations-syntax", "YAML aliases are not read", "write the values out")
                return None
            document = yaml.safe_load(file.text)
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            told = " ".join(str(error).split())[:200]
            mark = getattr(error, "problem_mark", None)
            line = mark.line + 1 if mark is not None else 0
            self._fault(file, "relations-syntax", f"not YAML: {told}", "correct the syntax", line)
            return None
        if document is None:
            return None
        if not isinstance(document, dict):
            self._fault(file, "relations-schema", "the file is not a map", "begin with version: 1")
            return None
        return document

    def _list(self, file: CuratedFile, document: Mapping[str, Any], key: str) -> Sequence[object]:
        value = document.get(key) or []
        if isinstance(value, list):
            return value
        self._fault(file, "relations-schema", f"{key} is not a list", f"write {key}: as a list")
        return ()

    def _relation(self, file: CuratedFile, where: str, entry: object) -> None:
        fields = self._fields(file, where, entry, _RELATION_KEYS)
        if fields is None:
            return
        type_ = self._type(file, where, fields.get("type"))
        confidence = fields.get("confidence", 1.0)
        if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not 0 < confidence <= 1:
            self._fault(
                file, "relations-schema", f"{where}: confidence {confidence!r}", "use a number in (0, 1]"
            )
            confidence = 1.0
        for source, target in self._ends(file, where, fields):
            if type_ is not None:
                reason = clip(str(fields.get("reason") or ""), 300)
                self.relations.append(
                    Relation(
                        source=source,
                        target=target,
                        type=type_,
                        provenance=Provenance.CURATED,
                        confidence=float(confidence),
                        evidence=Evidence(reason, f"{file.path} {where}"),
                        proposed_by=("curated",),
                        source_hash=self._corpus.skill(source).content_hash,
                        target_hash=self._corpus.skill(target).content_hash,
                    )
                )

    def _never(self, file: CuratedFile, where: str, entry: object) -> None:
        fields = self._fields(file, where, entry, _NEVER_KEYS)
        if fields is None:
            return
        type_ = self._type(file, where, fields["type"]) if "type" in fields else None
        if type_ is None and "type" in fields:
            return
        self.never += [(source, target, type_) for source, target in self._ends(file, where, fields)]

    def _fields(
        self, file: CuratedFile, where: str, entry: object, allowed: frozenset[str]
    ) -> Mapping[str, Any] | None:
        if not isinstance(entry, dict):
            self._fault(file, "relations-schema", f"{where} is not a map", "write source:, type:, target:")
            return None
        for key in sorted(str(k) for k in entry if k not in allowed):
            self._fault(file, "relations-schema", f"{where}: unknown key {key!r}", f"use {sorted(allowed)}")
        return entry

    def _type(self, file: CuratedFile, where: str, value: object) -> RelationType | None:
        try:
            return RelationType(str(value))
        except ValueError:
            known = ", ".join(RelationType)
            self._fault(
                file, "relations-schema", f"{where}: no relation type {value!r}", f"use one of {known}"
            )
            return None

    def _ends(
        self, file: CuratedFile, where: str, fields: Mapping[str, Any]
    ) -> Iterable[tuple[SkillId, SkillId]]:
        sources = self._skills(file, f"{where}.source", fields.get("source"))
        targets = self._skills(file, f"{where}.target", fields.get("target"))
        return [(source, target) for source in sources for target in targets]

    def _skills(self, file: CuratedFile, where: str, value: object) -> list[SkillId]:
        names = value if isinstance(value, list) else [value]
        found = []
        for name in names:
            candidates = self._named(file.root, str(name)) if isinstance(name, str) and name else []
            if len(candidates) == 1:
                found.append(candidates[0])
                continue
            told = f"{where} names {name!r}, which " + (
                f"{len(candidates)} skills share: {', '.join(candidates[:4])}"
                if candidates
                else "is no skill of this library"
            )
            self._fault(file, "relation-target-missing", told, "write the skill's id")
        return found

    def _named(self, root: str, name: str) -> list[SkillId]:
        """An id, an id without the root's label, or a name: of the file's own root if any there has it."""
        for skill_id in (SkillId(name), SkillId(f"{root}/{name}")):
            if skill_id in self._corpus.position:
                return [skill_id]
        alike = self._corpus.names.all_named(key_of(name))
        ids = [self._corpus.skills[i].id for i in alike]
        return [skill_id for skill_id in ids if skill_id.split("/")[0] == root] or ids

    def _fault(self, file: CuratedFile, code: str, message: str, remedy: str, line: int = 0) -> None:
        self.findings.append(Finding(code, file.path, clip(message, 300), remedy, Severity.WARNING, line))
