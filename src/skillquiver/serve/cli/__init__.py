"""The command line: parse input, call a use case, render. No logic lives here."""

from __future__ import annotations

from skillquiver.serve.cli.main import main

__all__ = ["main"]
