"""The options that choose a language model, shared by the commands that may ask one."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import click

from skillquiver.settings import LlmSettings

__all__ = ["model_options"]

F = TypeVar("F", bound=Callable[..., None])

_OPTIONS = (
    click.option("--model", default="", metavar="PROVIDER:MODEL", help="Language model to ask."),
    click.option(
        "--base-url", default="", metavar="URL", help="Address of the server; default: the provider's."
    ),
    click.option("--input-price", type=float, metavar="X", help="Dollars per million input tokens."),
    click.option("--output-price", type=float, metavar="Y", help="Dollars per million output tokens."),
    click.option("--max-spend", type=float, metavar="Z", help="Dollars to spend at most; needs both prices."),
    click.option(
        "--concurrency", type=int, metavar="N", help=f"Calls in flight; default: {LlmSettings().concurrency}."
    ),
    click.option("--dry-run", is_flag=True, help="Print calls, tokens and price; send and write nothing."),
)


def model_options(command: F) -> F:
    """Add the options; the command receives a ``ModelChoice`` as ``choice``, and ``dry_run``."""

    @wraps(command)
    def run(*args: Any, **options: Any) -> None:
        from skillquiver.serve.usecases.graph_llm import ModelChoice

        names = ("model", "base_url", "input_price", "output_price", "max_spend", "concurrency")
        choice = ModelChoice(**{name: options.pop(name) for name in names})
        command(*args, choice=choice, **options)

    for option in reversed(_OPTIONS):
        run = option(run)
    return run  # type: ignore[return-value]
