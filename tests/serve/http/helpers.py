"""A gateway over two small libraries, asked in this process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from skillquiver.serve.http.app import Access, build_app
from skillquiver.serve.http.tokens import TokenFile, add_token
from skillquiver.serve.live import LiveLibrary
from skillquiver.settings import HttpSettings
from tests.libraries import hashing, index, put

CREATED = "2026-01-01T00:00:00+00:00"


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass(frozen=True)
class Place:
    """Folders of two libraries, `tools` and `media`, and a file of tokens."""

    folder: Path

    @property
    def tokens(self) -> Path:
        return self.folder / "tokens.json"

    def token(self, name: str, *libraries: str) -> dict[str, str]:
        """Headers with a new token."""
        secret = add_token(self.tokens, name, libraries, created=CREATED)
        return {"authorization": f"Bearer {secret}"}

    @contextmanager
    def client(self, *names: str, tokens: bool = True, **options: Any) -> Iterator[TestClient]:
        """A client of a server over the named libraries."""
        access = Access(
            tokens=TokenFile(self.tokens) if tokens else None,
            hosts=options.pop("hosts", frozenset({"localhost"})),
        )
        clock = options.pop("clock", Clock())
        with ExitStack() as stack:
            lives = {
                name: stack.enter_context(LiveLibrary(self.folder / name, open_encoder=hashing))
                for name in names
            }
            app = build_app(lives, access, settings=HttpSettings(**options), clock=clock)
            yield stack.enter_context(TestClient(app, base_url="http://localhost"))


def make_place(folder: Path) -> Place:
    """Write and index the two libraries."""
    put(folder / "tools-skills", "pdf", "Fill in pdf forms.")
    put(folder / "tools-skills", "merge", "Merge pdf files into one.")
    put(folder / "tools-skills", "secret", "Deploys pdf forms.", **{"disable-model-invocation": "true"})
    put(folder / "tools-skills", "one/same", "Answers letters.", "Open the letter.")
    put(folder / "tools-skills", "two/same", "Sorts letters.", "Take a box.")
    put(folder / "media-skills", "video", "Cut a video into scenes.")
    for name in ("tools", "media"):
        index(folder / name, folder / f"{name}-skills")
    return Place(folder)
