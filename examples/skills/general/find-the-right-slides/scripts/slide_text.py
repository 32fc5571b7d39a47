#!/usr/bin/env python3
"""List or search the text of slides in .pptx files, in show order, optionally with speaker notes."""

import argparse
import csv
import posixpath
import re
import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
PACKAGE = "{http://schemas.openxmlformats.org/package/2006/relationships}"
TITLES = {"title", "ctrTitle"}
LARGEST_PART = 20_000_000  # bytes; a slide's XML is far smaller


def read(deck: zipfile.ZipFile, part: str) -> ElementTree.Element:
    if deck.getinfo(part).file_size > LARGEST_PART:
        raise ValueError(f"{part} is too large")
    data = deck.read(part)
    if b"<!DOCTYPE" in data:  # office files have none; entity tricks do
        raise ValueError(f"{part} declares a document type")
    return ElementTree.fromstring(data)


def relations(deck: zipfile.ZipFile, part: str) -> dict[str, tuple[str, str]]:
    """Map relation id to (type, target part)."""
    folder, name = posixpath.split(part)
    path = f"{folder}/_rels/{name}.rels"
    if path not in deck.namelist():
        return {}
    found = {}
    for relation in read(deck, path).iter(f"{PACKAGE}Relationship"):
        target = posixpath.normpath(posixpath.join(folder, relation.get("Target", "")))
        found[relation.get("Id", "")] = (relation.get("Type", "").rsplit("/", 1)[-1], target.lstrip("/"))
    return found


def paragraphs(element: ElementTree.Element) -> list[str]:
    lines = ("".join(run.text or "" for run in p.iter(f"{A}t")) for p in element.iter(f"{A}p"))
    return [line.strip() for line in lines if line.strip()]


def title_of(slide: ElementTree.Element) -> str:
    for shape in slide.iter(f"{P}sp"):
        place = shape.find(f"{P}nvSpPr/{P}nvPr/{P}ph")
        if place is not None and place.get("type") in TITLES:
            return " ".join(paragraphs(shape))
    lines = paragraphs(slide)
    return lines[0] if lines else "(no text)"


def slides(path: Path):
    """Yield (number, title, text, notes) in the order of the show."""
    main = "ppt/presentation.xml"
    with zipfile.ZipFile(path) as deck:
        links = relations(deck, main)
        for number, item in enumerate(read(deck, main).iter(f"{P}sldId"), start=1):
            part = links[item.get(f"{R}id")][1]
            slide = read(deck, part)
            title = title_of(slide) + (" (hidden)" if slide.get("show") == "0" else "")
            notes = [target for kind, target in relations(deck, part).values() if kind == "notesSlide"]
            spoken = " ".join(line for target in notes for line in paragraphs(read(deck, target)))
            yield number, title, " ".join(paragraphs(slide)), spoken


def decks(place: Path) -> list[Path]:
    return sorted(place.rglob("*.pp*")) if place.is_dir() else [place]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("places", type=Path, nargs="+", help="files or folders")
    parser.add_argument("--grep", help="regular expression, case ignored")
    parser.add_argument("--notes", action="store_true", help="search speaker notes too")
    parser.add_argument("--output", type=Path, help="write file, number, title, text, notes as CSV")
    args = parser.parse_args()
    pattern = re.compile(args.grep or "", re.IGNORECASE)
    rows = []
    for path in (path for place in args.places for path in decks(place)):
        if path.suffix.lower() != ".pptx":
            if path.suffix.lower() == ".ppt":
                print(f"skipped (old format): {path}", file=sys.stderr)
            continue
        try:
            found = list(slides(path))
        except (zipfile.BadZipFile, KeyError, ValueError, ElementTree.ParseError) as error:
            print(f"skipped ({error}): {path}", file=sys.stderr)
            continue
        rows += [(str(path), *slide) for slide in found]
    hits = [row for row in rows if pattern.search(row[3]) or (args.notes and pattern.search(row[4]))]
    for file, number, title, _, _ in hits:
        print(f"{file}:{number}  {title}")
    if args.output:
        with args.output.open("w", encoding="utf-8", newline="") as target:
            writer = csv.writer(target)
            writer.writerow(["file", "number", "title", "text", "notes"])
            writer.writerows(hits)
    return 0 if hits else 1


if __name__ == "__main__":
    sys.exit(main())
