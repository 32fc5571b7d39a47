"""Money: prices, and a limit that is checked before each call rather than after."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from skillquiver.errors import UsageError
from skillquiver.graph.llm.protocol import ToolRequest, Usage
from skillquiver.settings import LlmSettings
from skillquiver.skills.tokens import count_tokens

__all__ = ["Budget", "Prices", "dollars", "prices_of", "request_tokens", "worst_case"]

_MILLION = 1_000_000

_TOKENIZER_MARGIN = 1.5
"""A margin, not a measurement: other models' tokenizers may count more than ours."""

_FRAME_TOKENS = 400
"""An allowance for what providers add around a tool call: their own instructions for tool use."""


@dataclass(frozen=True, slots=True)
class Prices:
    """Dollars per million tokens."""

    input: float
    output: float

    def cost(self, usage: Usage) -> float:
        """Dollars for ``usage``."""
        return (usage.input_tokens * self.input + usage.output_tokens * self.output) / _MILLION


def dollars(amount: float) -> str:
    """``amount`` for people: cents, and below one dollar their hundredths."""
    return f"${amount:,.2f}" if amount >= 1 else f"${amount:.4f}"


def prices_of(settings: LlmSettings) -> Prices | None:
    """The prices in ``settings``, if both are given; raises ``UsageError`` for a limit without prices."""
    if settings.input_price is None or settings.output_price is None:
        if settings.max_spend is not None:
            raise UsageError("a spend limit needs input_price and output_price (dollars per million tokens)")
        return None
    return Prices(settings.input_price, settings.output_price)


def request_tokens(request: ToolRequest) -> int:
    """Tokens of everything sent, by the project's own counter."""
    import json

    schema = json.dumps(request.tool.schema, ensure_ascii=False)
    return sum(map(count_tokens, (request.system, request.user, request.tool.description, schema)))


def worst_case(request: ToolRequest) -> Usage:
    """The most one call can use: input with a margin for other tokenizers, output up to its limit."""
    counted = request_tokens(request)
    return Usage(int(counted * _TOKENIZER_MARGIN) + _FRAME_TOKENS, request.max_output_tokens)


class Budget:
    """Spent and reserved dollars of one run. A call reserves its worst case and later pays what it used.

    ``spent + reserved`` never exceeds the limit; without prices nothing is reserved and nothing refused.
    """

    def __init__(self, prices: Prices | None, limit: float | None) -> None:
        self._prices, self._limit = prices, limit
        self._spent = self._reserved = 0.0
        self._in_flight = 0
        self._exhausted = False
        self._changed = threading.Condition()

    @property
    def spent(self) -> float:
        """Dollars paid so far."""
        return self._spent

    @property
    def cost(self) -> float | None:
        """Dollars paid so far, ``None`` where no prices are known."""
        return self._spent if self._prices else None

    @property
    def exhausted(self) -> bool:
        """Whether a call was refused."""
        return self._exhausted

    def reserve(self, request: ToolRequest) -> float | None:
        """Set aside the worst case of ``request``; ``None`` if it does not fit even when all others are done.

        Waits while calls in flight hold money that they may give back.
        """
        if self._prices is None or self._limit is None:
            with self._changed:
                self._in_flight += 1
            return 0.0
        need = self._prices.cost(worst_case(request))
        with self._changed:
            while self._spent + self._reserved + need > self._limit:
                if self._exhausted or not self._in_flight:
                    self._exhausted = True
                    self._changed.notify_all()
                    return None
                self._changed.wait()
            self._reserved += need
            self._in_flight += 1
        return need

    def settle(self, reserved: float, usage: Usage) -> None:
        """Give back what was ``reserved`` and pay for ``usage``."""
        cost = self._prices.cost(usage) if self._prices else 0.0
        with self._changed:
            self._in_flight -= 1
            self._reserved = self._reserved - reserved if self._in_flight > 0 else 0.0
            self._spent += cost
            self._changed.notify_all()
