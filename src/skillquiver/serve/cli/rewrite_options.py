"""The options that have a query rewritten, shared by the commands that rank."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import click

__all__ = ["rewrite_options"]

F = TypeVar("F", bound=Callable[..., None])

_OPTIONS = (
    click.option(
        "--rewrite", is_flag=True, help="Rank a long task by its goal, steps, artifacts and keywords."
    ),
    click.option(
        "--model",
        default="",
        metavar="PROVIDER:MODEL",
        help="With --rewrite: language model that is sent the task; default: rules.",
    ),
    click.option(
        "--base-url", default="", metavar="URL", help="Address of its server; default: the provider's."
    ),
)


def rewrite_options(command: F) -> F:
    """Add the options; the command receives a ``RewriteChoice`` as ``rewriting``."""

    @wraps(command)
    def run(*args: Any, **options: Any) -> None:
        from skillquiver.serve.usecases.rewriting import RewriteChoice

        choice = RewriteChoice(
            wanted=options.pop("rewrite"), model=options.pop("model"), base_url=options.pop("base_url")
        )
        command(*args, rewriting=choice, **options)

    for option in reversed(_OPTIONS):
        run = option(run)
    return run  # type: ignore[return-value]
