"""What each agent host reads, takes and shows: one table, each fact once, with the version it was tried on.

Where hosts look for skills is the other table, ``skills.hosts``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

__all__ = ["FACTS", "HookWord", "Hooks", "HostFacts", "Instructions", "Listing", "Place", "Rule", "Shape"]

HOOK_SECONDS = 5
"""After this many seconds a host throws a hook's answer away: ours is quick or silent."""


class Shape(StrEnum):
    """How a host writes down an MCP server."""

    COMMAND_ARGS = "command-args"
    """``{"command": "…", "args": […]}``."""
    COMMAND_LIST = "command-list"
    """``{"type": "local", "command": ["…", …], "enabled": true}``."""
    TOML_TABLE = "toml-table"
    """``[parent.name]`` with ``command`` and ``args``."""


@dataclass(frozen=True, slots=True)
class Place:
    """A file of the host: below its folder in the user's home, and below a project."""

    user: str
    project: str


class HookWord(StrEnum):
    """Words after ``quiver hook``."""

    PROMPT = "prompt"
    TOOL = "tool"
    SESSION = "session"


@dataclass(frozen=True, slots=True)
class Hooks:
    """Events a host calls us for: (event, matcher or empty, word after ``quiver hook``)."""

    place: Place
    events: tuple[tuple[str, str, HookWord], ...]
    timeout: int
    """In the host's unit."""


class Instructions(StrEnum):
    """What tells the agent that it may ask."""

    SKILL = "skill"
    """The skill ``find-skills``, as a file of ours."""
    NOTE = "note"
    """A marked section of a file that may hold other things."""
    RULE = "rule"
    """A rule file of ours, always applied."""


class Rule(StrEnum):
    """How a host fits its list of skills into its budget."""

    NAMES_STAY = "names-stay"
    """Every name is listed; texts are kept whole in order of use while they fit."""
    SHORTEN_ALL = "shorten-all"
    """All texts are shortened evenly; if even the names do not fit, the last entries are left out."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A host's budget for its list of skills, and what its own skills take of it."""

    rule: Rule
    share: float
    """Of the context window, in tokens."""
    max_text: int
    """Characters of description and when-to-use that one entry shows at most; 0 is no limit."""
    own: int
    """Characters of the host's own entries, in the version named in ``HostFacts.tried``."""
    settings: Place | None = None
    """The file with the settings that hide entries, where there is one."""


@dataclass(frozen=True, slots=True)
class HostFacts:
    """One agent host. ``folder`` is below the user's home; ``variable`` may name another one."""

    name: str
    title: str
    tried: str
    folder: str
    variable: str
    mcp: Place
    mcp_path: tuple[str, ...]
    shape: Shape
    instructions: tuple[tuple[Instructions, str, str], ...]
    """(kind, file for the user, file for a project); an empty file name: not there."""
    hooks: Hooks | None
    cannot: tuple[str, ...]
    after: tuple[str, ...] = ()
    """What the user has to do before it works."""
    listing: Listing | None = None
    plugin: Place | None = None
    """Folder that the host loads as a plugin because it is there; MCP, hooks and skill go into it."""
    alternatives: tuple[str, ...] = ()
    """Other names of the MCP file: the first that exists is used."""


_SERVER = "skillquiver"
_CLAUDE_EVENTS = (
    ("UserPromptSubmit", "", HookWord.PROMPT),
    ("PostToolUse", "Skill", HookWord.TOOL),
    ("SessionStart", "", HookWord.SESSION),
)

_CLAUDE_CODE = HostFacts(
    name="claude-code",
    title="Claude Code",
    tried="2.1.197",
    folder=".claude",
    variable="CLAUDE_CONFIG_DIR",
    plugin=Place("skills/skillquiver", ".claude/skills/skillquiver"),
    mcp=Place(".mcp.json", ".mcp.json"),
    mcp_path=("mcpServers", _SERVER),
    shape=Shape.COMMAND_ARGS,
    instructions=((Instructions.SKILL, "skills/find-skills/SKILL.md", "skills/find-skills/SKILL.md"),),
    hooks=Hooks(Place("hooks/hooks.json", "hooks/hooks.json"), _CLAUDE_EVENTS, HOOK_SECONDS),
    cannot=(
        "A `/skill` typed by the user does not reach the tool hook; it is seen in the prompt instead.",
        "Versions that do not load plugins from a skills folder ignore it; start those with --plugin-dir.",
    ),
    after=("Start a new session, or say /reload-plugins.",),
    listing=Listing(
        Rule.NAMES_STAY, 0.01, 1536, own=4250, settings=Place("settings.json", ".claude/settings.json")
    ),
)

_CODEX = HostFacts(
    name="codex",
    title="Codex",
    tried="0.171.0",
    folder=".codex",
    variable="CODEX_HOME",
    mcp=Place("config.toml", ".codex/config.toml"),
    mcp_path=("mcp_servers", _SERVER),
    shape=Shape.TOML_TABLE,
    instructions=((Instructions.NOTE, "AGENTS.md", "AGENTS.md"),),
    hooks=Hooks(
        Place("hooks.json", ".codex/hooks.json"),
        (("UserPromptSubmit", "", HookWord.PROMPT), ("SessionStart", "", HookWord.SESSION)),
        HOOK_SECONDS,
    ),
    cannot=("Use of a skill reaches no hook, so it is not learned from.",),
    after=(
        "Codex runs a new hook only after you have reviewed it: say /hooks.",
        "Versions in which hooks are a feature to be switched on need `[features] hooks = true`.",
    ),
    listing=Listing(Rule.SHORTEN_ALL, 0.02, 0, own=922),
)

_CURSOR = HostFacts(
    name="cursor",
    title="Cursor",
    tried="",
    folder=".cursor",
    variable="",
    mcp=Place("mcp.json", ".cursor/mcp.json"),
    mcp_path=("mcpServers", _SERVER),
    shape=Shape.COMMAND_ARGS,
    instructions=(
        (Instructions.SKILL, "skills/find-skills/SKILL.md", ""),
        (Instructions.RULE, "", ".cursor/rules/skillquiver.mdc"),
    ),
    hooks=None,
    cannot=(
        "No prompt context: nothing is suggested before the agent asks; it has to call the MCP tools.",
        "No tool event: use of skills is not learned from.",
        "Rules for all projects live in the application's settings, not in a file; the skill stands in.",
    ),
    after=("Switch the server on in Settings, MCP.",),
)

_GEMINI = HostFacts(
    name="gemini",
    title="Gemini CLI",
    tried="0.61.0",
    folder=".gemini",
    variable="",
    mcp=Place("settings.json", ".gemini/settings.json"),
    mcp_path=("mcpServers", _SERVER),
    shape=Shape.COMMAND_ARGS,
    instructions=((Instructions.NOTE, "GEMINI.md", "GEMINI.md"),),
    hooks=Hooks(
        Place("settings.json", ".gemini/settings.json"),
        (("BeforeAgent", "", HookWord.PROMPT),),
        HOOK_SECONDS * 1000,
    ),
    cannot=("Use of a skill reaches no hook of ours, so it is not learned from.",),
    after=("MCP servers run only in folders that you have told Gemini to trust.",),
)

_OPENCODE = HostFacts(
    name="opencode",
    title="OpenCode",
    tried="1.18.33",
    folder=".config/opencode",
    variable="",
    mcp=Place("opencode.json", "opencode.json"),
    mcp_path=("mcp", _SERVER),
    shape=Shape.COMMAND_LIST,
    instructions=((Instructions.NOTE, "AGENTS.md", "AGENTS.md"),),
    hooks=None,
    cannot=(
        "No prompt context: nothing is suggested before the agent asks; it has to call the MCP tools.",
        "No tool event without a JavaScript plugin: use of skills is not learned from.",
    ),
    alternatives=("opencode.jsonc",),
)

FACTS: Mapping[str, HostFacts] = {
    host.name: host for host in (_CLAUDE_CODE, _CODEX, _CURSOR, _GEMINI, _OPENCODE)
}
"""The hosts by name."""
