"""Prepared home folders, and what can be compared between two states of one."""

from __future__ import annotations

import hashlib
from pathlib import Path

EXISTING: dict[str, bytes] = {
    ".claude/settings.json": b'{\r\n  "hooks": {"Stop": []},\r\n  "enabledPlugins": {"x@y": true}\r\n}',
    ".claude/skills/mine/SKILL.md": b"---\nname: mine\ndescription: Mine.\n---\nx\n",
    ".codex/config.toml": b'# mine\nmodel = "x"   # odd\n\n[mcp_servers.other]\ncommand = "y"',
    ".codex/hooks.json": b'{"hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command","command":"z"}]}]}}',
    ".codex/AGENTS.md": b"# Mine",
    ".cursor/mcp.json": b'{\n\t"mcpServers": {\n\t\t"x": {"url": "u"}\n\t}\n}\n',
    ".gemini/settings.json": b'\xef\xbb\xbf{\n  // c\n  "mcpServers": {\n    "x": {}, /* y */\n  },\n}\n',
    ".gemini/GEMINI.md": b"line\r\n",
    ".config/opencode/opencode.json": b"",
}
"""Configurations with comments, odd formatting, other servers and hooks, CRLF, a BOM, nothing at all."""


def write_home(home: Path) -> None:
    """Write ``EXISTING`` below ``home``."""
    for name, data in EXISTING.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def state(*folders: Path) -> dict[str, str]:
    """Every path below the folders: a file with its hash and mode, a link with its target, a folder."""
    found = {}
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_symlink():
                found[str(path)] = f"-> {path.readlink()}"
            elif path.is_dir():
                found[str(path)] = "folder"
            else:
                found[str(path)] = f"{path.stat().st_mode:o} {hashlib.sha256(path.read_bytes()).hexdigest()}"
    return found
