"""Hooks: programs that agent hosts start at a prompt, after a tool's use and at a session's start.

A host waits for them, so that nothing is imported here before it is needed.
"""
