"""LexicalIndex: BM25 over analysed fields, on tantivy's memory-mapped postings.

Three fields, each scored by BM25 with k1 = 1.2 and b = 0.75 (Robertson & Zaragoza, 2009): ``name``;
``card`` (name, description, when-to-use); ``full`` (the card, tags, headings and body). A fourth, ``pairs``,
holds which terms of the full text stand side by side, and is only asked for coverage. A document of
row 0 holds the generation the index stands for, so that text and generation are committed together, and
how many rows were replaced since the index was created: tantivy's statistics count replaced documents.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import StrEnum
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from skillquiver.errors import LibraryError
from skillquiver.index.analyze import analyze

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from skillquiver.skills.records import Skill

__all__ = ["CURRENT", "Field", "FieldTerms", "LexicalIndex", "field_terms", "pair"]

FORMAT = 3
"""Counts changes of the fields or of the analyzer; another number means a rebuild."""

CURRENT = "current"
"""File that names the folder of the published build."""

_BUILD = re.compile(rf"v{FORMAT}-(\d+)")

K1 = 1.2
"""tantivy's BM25 constant, needed to know the highest score a query can reach."""

MAX_QUERY_TERMS = 256
"""Distinct terms of a query that are looked up: the rarest. Only logs pasted into a query have more."""

REMEMBERED = 100_000
"""Terms whose idf is kept: the cards of a library of 10,000 skills hold 30,000."""

WRITER_HEAP = 128_000_000
"""Bytes of postings held before a segment is flushed."""


P = ParamSpec("P")
R = TypeVar("R")


def _sound(work: Callable[P, R]) -> Callable[P, R]:
    """Damage that tantivy meets, which it reports as a ``ValueError`` or a panic, is a ``LibraryError``."""

    @wraps(work)
    def run(*args: P.args, **options: P.kwargs) -> R:
        try:
            return work(*args, **options)
        except BaseException as error:  # a panic is no Exception
            if isinstance(error, ValueError | OSError) or type(error).__name__ == "PanicException":
                raise LibraryError(
                    f"the lexical index is damaged ({error}); run `quiver index --reread` to build it anew"
                ) from error
            raise

    return run


class Field(StrEnum):
    """The indexed fields. ``pairs`` holds neighbouring terms, as ``pair`` writes them."""

    NAME = "name"
    CARD = "card"
    FULL = "full"
    PAIRS = "pairs"


@dataclass(frozen=True, slots=True)
class FieldTerms:
    """The analysed fields of one skill: terms separated by single spaces."""

    row: int
    name: str
    card: str
    full: str
    pairs: str = ""


def field_terms(row: int, skill: Skill) -> FieldTerms:
    """Analyse one skill for indexing."""
    name = analyze(skill.name)
    card = name + analyze(skill.description) + analyze(skill.when_to_use)
    extra = analyze(" ".join((*skill.tags, skill.category)))
    full = card + extra + analyze(skill.body)
    pairs = dict.fromkeys(map(pair, full, full[1:]))
    return FieldTerms(row, " ".join(name), " ".join(card), " ".join(full), " ".join(pairs))


def pair(left: str, right: str) -> str:
    """Two neighbouring terms as one term; no term holds the joint."""
    return f"{left}_{right}"


class LexicalIndex:
    """An open index. Searching never fails on what a query contains: terms are looked up, not parsed."""

    @_sound
    def __init__(self, index: Any) -> None:
        self._index = index
        self._schema = index.schema
        self._searcher = index.searcher()
        self._unpublished: Path | None = None
        self._idf: dict[str, float] = {}
        self.generation, self.replaced = self._marker()
        """The library generation this index stands for (-1 before the first complete commit), and the rows
        replaced or forgotten since it was created."""

    @classmethod
    def open(cls, folder: Path) -> LexicalIndex | None:
        """Open the index in ``folder``; ``None`` if there is none, or it is damaged or of another format."""
        try:
            name = (folder / CURRENT).read_text(encoding="utf-8")
            return cls._open(folder / name) if _BUILD.fullmatch(name) else None
        except (LibraryError, OSError, UnicodeDecodeError):  # half-written or damaged: the caller rebuilds it
            return None

    @classmethod
    @_sound
    def _open(cls, target: Path) -> LexicalIndex | None:
        import tantivy

        if not target.exists() or not tantivy.Index.exists(str(target)):
            return None
        index = tantivy.Index.open(str(target))
        _register(index)
        return cls(index)

    @classmethod
    def create(cls, folder: Path) -> LexicalIndex:
        """Make an empty index in ``folder``; its first ``update`` replaces the one that is there.

        It grows beside the old one: readers go on, and their tantivy may still put lock files there.
        """
        import tantivy

        folder.mkdir(parents=True, exist_ok=True)
        earlier = [int(found[1]) for entry in folder.iterdir() if (found := _BUILD.fullmatch(entry.name))]
        target = folder / f"v{FORMAT}-{max(earlier, default=0) + 1}"
        target.mkdir()
        builder = tantivy.SchemaBuilder()
        for field in Field:
            kept = "basic" if field is Field.PAIRS else "freq"
            builder.add_text_field(field.value, tokenizer_name="terms", index_option=kept)
        builder.add_unsigned_field("row", stored=True, indexed=True, fast=True)
        builder.add_unsigned_field("generation", stored=True)
        builder.add_unsigned_field("replaced", stored=True)
        index = tantivy.Index(builder.build(), path=str(target))
        _register(index)
        made = cls(index)
        made._unpublished = target
        return made

    def _publish(self, target: Path) -> None:
        """Point ``CURRENT`` to this build and delete the others; what resists goes the next time."""
        temporary = target.parent / f"{CURRENT}.new"
        temporary.write_text(target.name, encoding="utf-8")
        temporary.replace(target.parent / CURRENT)
        for entry in target.parent.iterdir():
            if entry.is_dir() and entry != target:
                from shutil import rmtree  # a search does without

                rmtree(entry, ignore_errors=True)
        self._unpublished = None

    def _marker(self) -> tuple[int, int]:
        hits = self._searcher.search(self._row_query(0), 1).hits
        if not hits:
            return -1, 0
        marker = self._searcher.doc(hits[0][1])
        return int(marker.get_first("generation")), int(marker.get_first("replaced"))

    @_sound
    def update(self, add: Iterable[FieldTerms], forget: Sequence[int], generation: int) -> None:
        """Add or replace skills, forget rows, and stand for ``generation``: all in one commit."""
        import tantivy

        writer = self._index.writer(WRITER_HEAP, 1)
        # Not delete_documents_by_term: it takes a Python int for a signed number and matches nothing here.
        writer.delete_documents_by_query(tantivy.Query.term_set_query(self._schema, "row", [0, *forget]))
        for terms in add:
            document = tantivy.Document(name=terms.name, card=terms.card, full=terms.full, pairs=terms.pairs)
            document.add_unsigned("row", terms.row)
            writer.add_document(document)
        marker = tantivy.Document()
        marker.add_unsigned("row", 0)
        marker.add_unsigned("generation", generation)
        marker.add_unsigned("replaced", self.replaced + len(forget))
        writer.add_document(marker)
        writer.commit()
        writer.wait_merging_threads()
        if self._unpublished is not None:
            self._publish(self._unpublished)
        self._index.reload()
        self._searcher = self._index.searcher()
        self._idf.clear()
        self.generation, self.replaced = self._marker()

    @_sound
    def search(self, terms: Mapping[str, float], field: Field, *, top_k: int) -> list[tuple[int, float]]:
        """(row, score) of the ``top_k`` best rows, best first; ties by row.

        The score is the sum over the query's terms of weight times BM25.
        """
        if not terms:
            return []
        query = self._union(terms, field)
        found = self._searcher.search(query, top_k, count=False).hits
        rows = self._searcher.fast_field_values("row", [address for _, address in found])
        pairs = [(int(row), float(score)) for row, (score, _) in zip(rows, found, strict=True)]
        return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))

    @_sound
    def coverage(self, weights: Mapping[str, float], field: Field, rows: Sequence[int]) -> dict[int, float]:
        """Sum of the weights of those terms that ``field`` holds, for each of ``rows`` that holds any."""
        import tantivy

        if not weights or not rows:
            return {}
        should, must = tantivy.Occur.Should, tantivy.Occur.Must
        clauses = []
        for term, weight in sorted(weights.items()):
            query = tantivy.Query.term_query(self._schema, field.value, term, "basic")
            clauses.append((should, tantivy.Query.const_score_query(query, weight)))
        among = tantivy.Query.term_set_query(self._schema, "row", sorted(rows))
        filtered = tantivy.Query.const_score_query(among, 0.0)
        query = tantivy.Query.boolean_query([(must, filtered), (must, tantivy.Query.boolean_query(clauses))])
        found = self._searcher.search(query, len(rows), count=False).hits
        held = self._searcher.fast_field_values("row", [address for _, address in found])
        return {int(row): float(score) for row, (score, _) in zip(held, found, strict=True)}

    @_sound
    def rarest(self, terms: Mapping[str, float]) -> dict[str, float]:
        """Keep the ``MAX_QUERY_TERMS`` rarest terms that the library knows, with their weights."""
        known = {term: n for term in terms if (n := self._searcher.doc_freq(Field.FULL.value, term))}
        kept = sorted(known, key=lambda term: (known[term], term))[:MAX_QUERY_TERMS]
        return {term: terms[term] for term in sorted(kept)}

    @_sound
    def idf(self, term: str) -> float:
        """ln(1 + (N - n + 0.5) / (n + 0.5)), n counted in the full text."""
        known = self._idf.get(term)
        if known is None:
            count = self._searcher.num_docs
            n = self._searcher.doc_freq(Field.FULL.value, term)
            known = math.log(1 + (count - n + 0.5) / (n + 0.5))
            if len(self._idf) < REMEMBERED:
                self._idf[term] = known
        return known

    @_sound
    def term_scores(self, terms: Mapping[str, float], field: Field, row: int) -> dict[str, float]:
        """What each query term adds to the score of ``row``: the evidence behind a lexical hit."""
        scores = {}
        for term, weight in terms.items():
            hit = self._both(term, field, row)
            if hit is not None:
                scores[term] = weight * hit
        return dict(sorted(scores.items(), key=lambda pair: (-pair[1], pair[0])))

    def _both(self, term: str, field: Field, row: int) -> float | None:
        import tantivy

        must = tantivy.Occur.Must
        filtered = tantivy.Query.const_score_query(self._row_query(row), 0.0)
        scored = tantivy.Query.term_query(self._schema, field.value, term, "freq")
        hits = self._searcher.search(tantivy.Query.boolean_query([(must, filtered), (must, scored)]), 1).hits
        return float(hits[0][0]) if hits else None

    def _row_query(self, row: int) -> Any:
        import tantivy

        return tantivy.Query.term_query(self._schema, "row", row)

    def _union(self, terms: Mapping[str, float], field: Field) -> Any:
        import tantivy

        should = tantivy.Occur.Should
        clauses = []
        for term, weight in sorted(terms.items()):
            query = tantivy.Query.term_query(self._schema, field.value, term, "freq")
            clauses.append((should, query if weight == 1 else tantivy.Query.boost_query(query, weight)))
        return tantivy.Query.boolean_query(clauses)


def _register(index: Any) -> None:
    import tantivy

    analyzer = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
    index.register_tokenizer("terms", analyzer)
