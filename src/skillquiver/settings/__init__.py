"""Every default and the reason for it.

Each name is read from its module when it is asked for: a hook that ranks one prompt must not wait for the
classes of everything else.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skillquiver.settings.diffusing import DiffuseSettings
    from skillquiver.settings.evaluating import AgentSettings, EvalSettings
    from skillquiver.settings.judging import LlmSettings
    from skillquiver.settings.packing import PackSettings
    from skillquiver.settings.ranking import RankSettings
    from skillquiver.settings.reading import DEFAULT_READ, ReadSettings
    from skillquiver.settings.relating import DEFAULT_GRAPH, GraphSettings
    from skillquiver.settings.rewriting import RewriteSettings
    from skillquiver.settings.serving import HttpSettings

__all__ = [
    "DEFAULT_GRAPH",
    "DEFAULT_READ",
    "AgentSettings",
    "DiffuseSettings",
    "EvalSettings",
    "GraphSettings",
    "HttpSettings",
    "LlmSettings",
    "PackSettings",
    "RankSettings",
    "ReadSettings",
    "RewriteSettings",
]

_MODULES = {
    "AgentSettings": "evaluating",
    "DEFAULT_GRAPH": "relating",
    "DEFAULT_READ": "reading",
    "DiffuseSettings": "diffusing",
    "EvalSettings": "evaluating",
    "GraphSettings": "relating",
    "HttpSettings": "serving",
    "LlmSettings": "judging",
    "PackSettings": "packing",
    "RankSettings": "ranking",
    "ReadSettings": "reading",
    "RewriteSettings": "rewriting",
}
"""Name → the module that holds it."""


def __getattr__(name: str) -> object:
    """Import the module that holds ``name`` (PEP 562)."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
