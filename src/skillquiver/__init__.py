"""Skillquiver finds the smallest set of agent skills that is enough to do a task."""

from skillquiver._version import __version__

__all__ = ["__version__"]
