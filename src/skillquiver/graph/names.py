"""Which skill a string names, seen from the skill that says it: the nearest one wins.

Nearness is counted in folders. A skill beside the speaker is near; a skill in another corner of a large
library shares a name with it by accident unless the text is explicit (form) and the name unique.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from skillquiver.graph.facts import Form, Mention, SkillFacts
from skillquiver.skills.records import Skill

__all__ = ["NameIndex", "key_of"]

_NEIGHBOURHOOD = 400
"""Skills under the nearest common folder up to which a folder counts as one body of work. The largest
collections of one author in public libraries have about that many; marketplaces have thousands."""

_ORDINARY = 12
"""Skills that use a name as a plain or marked word, outside of its own folder, from which on the word is
part of the trade's vocabulary (``git-flow``, ``scikit-learn``) and needs an explicit form."""

_EXPLICIT = frozenset({Form.PATH, Form.WIKI, Form.QUALIFIED, Form.CUED})
_SEPARATORS = re.compile(r"[\s_.]+")
_SKILL_FILE = re.compile(r"/?skill\.md$", re.IGNORECASE)
_NO_NAME = frozenset(
    (
        "a",
        "an",
        "the",
        "this",
        "that",
        "each",
        "every",
        "other",
        "another",
        "new",
        "your",
        "my",
        "our",
        "which",
    )
)
"""What stands before the word *skill* without being a skill's name."""
_ALIAS_FIELDS = frozenset({"skillid", "skillkey", "slug"})
_COMMAND = re.compile(r"/[\w-]+:[\w-]+", re.ASCII)
"""What is typed to start a skill, ``command: /ar:loop``. Without a label it says no more than the name."""
_ALIAS_DEPTH = 2
"""Maps inside the frontmatter that are searched: hosts keep their fields in ``metadata.<host>``."""
_WORD = re.compile(r"\S+")
_SUFFIX = re.compile(r"[-\s]*(?:agent\s+)?skills?$", re.IGNORECASE)


def key_of(name: str) -> str:
    """Return the form names are compared in: lower case, hyphens for blanks, dots and underscores.

    >>> key_of("API Design_Principles")
    'api-design-principles'
    """
    return _SEPARATORS.sub("-", name.strip().lower()).strip("-")


@dataclass(frozen=True, slots=True)
class _Entry:
    position: int
    parts: tuple[str, ...]
    is_name: bool


class NameIndex:
    """Resolves the strings of a library's texts to its skills. Building it reads no text twice."""

    def __init__(self, skills: Sequence[Skill], facts: Sequence[SkillFacts]) -> None:
        self._skills = skills
        self._parts = [tuple(skill.id.split("/")) for skill in skills]
        self._by_folder = {"/".join(parts): i for i, parts in enumerate(self._parts)}
        self._entries: dict[str, list[_Entry]] = defaultdict(list)
        self._tail: dict[str, list[int]] = defaultdict(list)
        self._size: Counter[tuple[str, ...]] = Counter()
        for i, skill in enumerate(skills):
            self._add(i, skill)
        self._used = self._count_use(facts)

    def _add(self, i: int, skill: Skill) -> None:
        parts = self._parts[i]
        for depth in range(1, len(parts) + 1):
            self._size[parts[:depth]] += 1
        name = key_of(skill.name)
        self._entries[name].append(_Entry(i, parts, True))
        for alias in sorted({key_of(parts[-1]), *_aliases(skill.metadata, 0)} - {name, ""}):
            self._entries[alias].append(_Entry(i, parts, False))
        self._tail[parts[-1].lower()].append(i)

    def _count_use(self, facts: Sequence[SkillFacts]) -> Counter[str]:
        used: Counter[str] = Counter()
        for own in facts:
            seen = {key_of(m.raw) for m in own.mentions if m.form >= Form.ITEM}
            used.update(key for key in seen if key in self._entries)
        return used

    def is_known(self, key: str) -> bool:
        """Whether any skill has this name or folder name."""
        return key in self._entries

    def is_ordinary(self, key: str) -> bool:
        """Whether the name is also a word or a package that texts use without meaning the skill."""
        return "-" not in key or self._used[key] >= _ORDINARY

    def resolve(self, mention: Mention, source: int) -> tuple[int, int] | None:
        """Return the skill that ``mention`` names in skill ``source``, or ``None``.

        The second number is the offset into ``mention.raw`` at which the name begins. A skill that names
        itself resolves to itself.
        """
        if mention.form == Form.PATH:
            return _at(self._path(mention.raw, source))
        if mention.form == Form.QUALIFIED:
            plugin, _, name = mention.raw.partition(":")
            return _at(self._qualified(key_of(plugin), key_of(name), source))
        for key, offset in _keys(mention):
            found = self.nearest(key, source, explicit=mention.form in _EXPLICIT)
            if found is not None:
                return found, offset
        return None

    def resolve_name(self, name: str, source: int) -> int | None:
        """Return the skill that a declared ``name`` means: an id, a path, ``plugin:skill`` or a name."""
        if name in self._by_folder:
            return self._by_folder[name]
        if "/" in name:
            return self._path(name, source)
        if ":" in name:
            plugin, _, last = name.partition(":")
            return self._qualified(key_of(plugin), key_of(last), source)
        return self.nearest(key_of(name), source, explicit=True)

    def is_near_name(self, name: str, source: int) -> bool:
        """Whether ``name`` resolves to a skill in the neighbourhood of ``source``."""
        found = self.resolve_name(name, source)
        return found is not None and self._is_near(found, source)

    def are_near(self, a: int, b: int) -> bool:
        """Whether two skills belong to one body of work: side by side, or under one folder of modest size."""
        return self._is_near(a, b)

    def common_size(self, a: int, b: int) -> int:
        """Number of skills under the nearest folder that holds both."""
        depth = _common(self._parts[a], self._parts[b])
        return self._size[self._parts[a][:depth]]

    def all_named(self, key: str) -> list[int]:
        """Every skill of this name, or, if there is none, of this folder name; in order of id."""
        entries = self._entries.get(key, [])
        return sorted({e.position for e in entries if e.is_name} or {e.position for e in entries})

    def nearest(self, key: str, source: int, *, explicit: bool) -> int | None:
        """Return the skill called ``key`` nearest to ``source``, if one is plausible and unique.

        ``explicit`` says that the text leaves no doubt that a skill is meant; it admits skills far away.
        """
        entries = self._entries.get(key)
        if not entries:
            return None
        best = self._closest(entries, source)
        if best is None or best == source:
            return best
        if self._is_near(best, source):
            return best
        far_ok = explicit and not self.is_ordinary(key) and self._one_body(entries)
        return best if far_ok else None

    def _closest(self, entries: Iterable[_Entry], source: int) -> int | None:
        here = self._parts[source]
        ranked = sorted((-_common(entry.parts, here), not entry.is_name, entry.position) for entry in entries)
        first = ranked[0]
        ties = {position for depth, alias, position in ranked if (depth, alias) == first[:2]}
        if source in ties:
            return source
        bodies = {self._skills[i].body_hash or self._skills[i].content_hash for i in ties}
        return first[2] if len(bodies) == 1 else None

    def _is_near(self, target: int, source: int) -> bool:
        here, there = self._parts[source], self._parts[target]
        depth = _common(there, here)
        if depth >= len(here) - 1 or depth == len(there):
            return depth > 0
        return depth > 0 and self._size[here[:depth]] <= _NEIGHBOURHOOD

    def _one_body(self, entries: Iterable[_Entry]) -> bool:
        bodies = {
            self._skills[e.position].body_hash or self._skills[e.position].content_hash for e in entries
        }
        return len(bodies) == 1

    def _qualified(self, plugin: str, name: str, source: int) -> int | None:
        """The skill of that name in the speaker's neighbourhood, else the one inside a folder ``plugin``.

        A plugin's label need not be its folder (``hub`` for *agenthub*), but ``bun:sqlite`` is no plugin.
        """
        entries = self._entries.get(name, [])
        near = [e for e in entries if self._is_near(e.position, source)]
        named = [e for e in near or entries if plugin in map(key_of, e.parts[:-1])]
        pool = named or [e for e in near if "-" in name or any(plugin in key_of(p) for p in e.parts[:-1])]
        return self._closest(pool, source) if pool else None

    def _path(self, raw: str, source: int) -> int | None:
        path = _SKILL_FILE.sub("", raw.replace("\\", "/")).rstrip("/")
        if path in ("", "."):
            return None
        here = "/".join(self._parts[source])
        exact = posixpath.normpath(posixpath.join(here, path))
        if exact in self._by_folder:
            return self._by_folder[exact]
        if raw != path or "/" in path:
            return self._by_tail(
                tuple(part for part in path.split("/") if part not in (".", "..", "~")), source
            )
        return None

    def _by_tail(self, tail: tuple[str, ...], source: int) -> int | None:
        """A path written from some other folder: its last parts must match, at least two of them."""
        if len(tail) < 2:
            return None
        hits = [
            i
            for i in self._tail.get(tail[-1].lower(), ())
            if self._parts[i][-len(tail) :] == tail
            or (tail[-2] == "skills" and self._parts[i][-2:] == tail[-2:])
        ]
        near = [_Entry(i, self._parts[i], True) for i in hits if self._is_near(i, source)]
        return self._closest(near, source) if near else None


def _common(a: tuple[str, ...], b: tuple[str, ...]) -> int:
    """Length of the common prefix of two paths, the last part of each left out unless one holds the other."""
    depth = 0
    for left, right in zip(a, b, strict=False):
        if left != right:
            break
        depth += 1
    return depth


def _aliases(fields: Mapping[str, object], depth: int) -> Iterator[str]:
    """Further names that a skill gives itself in its frontmatter: ``skill-id: SK-004``."""
    for key, value in fields.items():
        if isinstance(value, str) and key_of(str(key)).replace("-", "") in _ALIAS_FIELDS:
            yield key_of(value)
        elif isinstance(value, str) and key == "command" and _COMMAND.fullmatch(value):
            yield key_of(value[1:])
        elif isinstance(value, Mapping) and depth < _ALIAS_DEPTH:
            yield from _aliases(value, depth + 1)


def _at(found: int | None) -> tuple[int, int] | None:
    return None if found is None else (found, 0)


def _keys(mention: Mention) -> Iterator[tuple[str, int]]:
    """The names a mention may stand for and where in it they begin, longest first."""
    if mention.form != Form.CUED:
        key = key_of(_SUFFIX.sub("", mention.raw))
        if key:
            yield key, 0
        return
    starts = [match.start() for match in _WORD.finditer(mention.raw)]
    for start in starts:
        if (key := key_of(mention.raw[start:])) not in _NO_NAME:
            yield key, start
    last = mention.raw[starts[-1] :] if starts else ""
    if ":" in last:
        yield key_of(last.rpartition(":")[2]), starts[-1]
