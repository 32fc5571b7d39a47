"""Loads the encoder in the background: answers are lexical until it is there, and never wait for it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from enum import StrEnum
from threading import Condition, Thread
from typing import TYPE_CHECKING

from skillquiver.index.encoders import open_encoder
from skillquiver.serve.memory import give_memory_back

if TYPE_CHECKING:
    from skillquiver.types import Encoder

__all__ = ["EncoderState", "EncoderWarmup"]

WARMING = "the encoder is warming up: lexical only"

_log = logging.getLogger(__name__)


class EncoderState(StrEnum):
    """``cold``: nobody asked for it; ``warming``; ``ready``; ``failed``: it cannot be opened."""

    COLD = "cold"
    WARMING = "warming"
    READY = "ready"
    FAILED = "failed"


class EncoderWarmup:
    """One encoder for a whole process, opened by a thread of its own when it is first wanted.

    ``open_`` opens an encoder by its registered name. Safe to share between threads.
    """

    def __init__(self, open_: Callable[[str], Encoder] = open_encoder) -> None:
        self._open = open_
        self._change = Condition()
        self._thread: Thread | None = None
        self._wanted = ""
        self._name = ""
        self._encoder: Encoder | None = None
        self._fault = ""
        self._state = EncoderState.COLD
        self.epoch = 0
        """Counts what became of the encoder: an answer made under another count may be made better now."""

    @property
    def state(self) -> EncoderState:
        """How far it is."""
        return self._state

    @property
    def fault(self) -> str:
        """Why the encoder cannot be opened; empty if it can, or nobody tried."""
        return self._fault

    def get(self, name: str) -> tuple[Encoder | None, str]:
        """Return the encoder registered as ``name``, or ``None`` and why; never waits, loads nothing."""
        with self._change:
            self._wanted = name
            if self._name != name:
                return None, WARMING
            if self._encoder is None and self._fault:
                return None, f"the encoder cannot be opened ({self._fault}): lexical only"
            return self._encoder, "" if self._encoder else WARMING

    def start(self) -> None:
        """Begin to load what ``get`` was last asked for, unless that is done or under way."""
        with self._change:
            if not self._wanted or self._wanted == self._name or self._state is EncoderState.WARMING:
                return
            self._name, self._encoder, self._fault = self._wanted, None, ""
            self._state = EncoderState.WARMING
            self._thread = Thread(
                target=self._load, args=(self._name,), name="skillquiver-encoder", daemon=True
            )
            self._thread.start()

    def wait(self, timeout: float) -> bool:
        """Wait until loading ended, at most ``timeout`` seconds; returns whether the encoder is there."""
        with self._change:
            self._change.wait_for(lambda: self._state is not EncoderState.WARMING, timeout)
            return self._state is EncoderState.READY

    def join(self) -> None:
        """Wait for the thread, which cannot be interrupted: about half a second at most."""
        if self._thread is not None:
            self._thread.join()

    def _load(self, name: str) -> None:
        encoder, fault = None, ""
        try:
            encoder = self._open(name)
            encoder.encode(["warm up"])  # the model itself is only loaded by its first text
        except Exception as error:  # whatever a third party's encoder raises: lexical search goes on
            _log.warning("the encoder %r cannot be opened: lexical search only", name, exc_info=True)
            encoder, fault = None, f"{type(error).__name__}: {error}"
        give_memory_back()
        with self._change:
            self._encoder, self._fault = encoder, fault
            self._state = EncoderState.READY if encoder is not None else EncoderState.FAILED
            self.epoch += 1
            self._change.notify_all()
