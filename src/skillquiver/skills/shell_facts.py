"""Shell code to commands: which programs run, which packages are installed, which files go in and out.

Nothing is executed and no quoting is resolved beyond finding where words end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from skillquiver.skills.terms import file_terms, type_of
from skillquiver.skills.vocabulary import COMMON, INTERPRETERS, LAST_IS_OUTPUT, READERS, WRAPPERS

__all__ = ["RENAMED", "ShellFacts", "read_shell"]

_HEREDOC = re.compile(
    r"<<-?[ \t]*(['\"]?)(\w+)\1([^\n]*)\n.*?(?:^[ \t]*\2[ \t]*$|\Z)", re.DOTALL | re.MULTILINE
)
_TOKEN = re.compile(
    r"""(?P<comment>(?<!\S)\#[^\n]*)|(?P<join>\\\n)|(?P<stop>\n|;;?|\|\|?|&&|(?<![>&0-9])&(?!>|\d))"""
    r"""|(?P<redirect>[0-9&]?>>?(?![&(])|(?<!<)<(?![<(&]))|(?P<skip>[0-9]?>&[0-9-]|[<>]\(|\$?\(|\)|`)"""
    r"""|(?P<word>(?:'[^']{0,2000}'|"(?:\\.|[^"\\]){0,2000}"|\$\{[^}\n]*\}|\\.|[^\s;|&<>()`'"\\])+)|(?P<other>\S)""",
    re.VERBOSE,
)
_FUNCTION = re.compile(r"(?m)^[ \t]*(?:function[ \t]+)?([\w-]+)[ \t]*\(\)")
"""A function of the script itself is no program."""

_PROMPT = re.compile(r"(?m)^[ \t]*(?:\$|❯|➜|%)[ \t]+")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_COMMAND = re.compile(r"[a-z0-9][a-z0-9_.+-]{1,29}")
_SCRIPT = re.compile(
    r"(?:\./|\$?\{?[\w-]*\}?/)?((?:scripts|bin|tools)/[\w./-]+\.(?:py|sh|js|mjs|ts|rb|pl|ps1|R))"
)
_PACKAGE = re.compile(r"@?[A-Za-z][\w.-]*(?:/[\w.-]+)?")
_VERSION_PART = re.compile(r"(?:\[[^\]]*\])?(?:[=<>!~;^].*|(?<=.)@[\w.^~*-]*)?$")

RENAMED = {"python3": "python", "pip3": "pip", "nodejs": "node", "python2": "python"}


_INSTALLERS: dict[str, tuple[str, ...]] = {
    "pip": ("install",),
    "uv": ("add",),
    "poetry": ("add",),
    "conda": ("install",),
    "mamba": ("install",),
    "pipx": ("install",),
    "npm": ("install", "i", "add"),
    "yarn": ("add",),
    "pnpm": ("add", "install", "i"),
    "bun": ("add", "install"),
    "brew": ("install",),
    "apt": ("install",),
    "apt-get": ("install",),
    "dnf": ("install",),
    "yum": ("install",),
    "apk": ("add",),
    "cargo": ("install",),
    "gem": ("install",),
}
"""Program → sub-commands after which packages follow."""

_PLUS_PLUS = ("g++", "c++", "clang++")
_RUNNERS = frozenset({"npx", "uvx", "bunx", "pnpx"})
_SHELL_WORDS_LIMIT = 4000
"""Words read of one block."""

_OUT_FLAGS = re.compile(
    r"--?(?:o|dest|destination|save|save-to|export|(?:[a-z]+-)*(?:output|outfile|out)(?:-?(?:file|path|dir|json|csv))?)"
)
_IN_FLAGS = re.compile(
    r"--?(?:i|in|source|src|from-file|data|(?:[a-z]+-)*(?:input|infile)(?:-?(?:file|path))?)"
)
_NOT_IN_FLAG = frozenset(
    {"sed", "ssh", "scp", "perl", "pip", "curl", "grep", "docker", "npm", "uv", "apt", "apt-get"}
)


@dataclass(slots=True)
class ShellFacts:
    """Sets of terms found in shell code."""

    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    tools: set[str] = field(default_factory=set)
    scripts: set[str] = field(default_factory=set)


@dataclass(slots=True)
class _Call:
    """One simple command: its words and its redirections (operator, target)."""

    words: list[str] = field(default_factory=list)
    redirects: list[tuple[str, str]] = field(default_factory=list)


def read_shell(text: str, facts: ShellFacts, *, prompts_only: bool = False) -> None:
    """Add what a block of shell code shows; with ``prompts_only`` just its ``$ `` lines count."""
    if prompts_only:
        if "$ " not in text:
            return
        text = "\n".join(line for line in text.split("\n") if re.match(r"[ \t]*\$ ", line))
        if not text:
            return
    text = _HEREDOC.sub(r"\3\n", _PROMPT.sub("", text)) if "<<" in text else _PROMPT.sub("", text)
    before = set(facts.tools)
    for call in _calls(text):
        _read_call(call, facts)
    facts.tools -= {match[1] for match in _FUNCTION.finditer(text)} - before


def _calls(text: str) -> Iterator[_Call]:
    call, pending = _Call(), ""
    for count, match in enumerate(_TOKEN.finditer(text)):
        kind = match.lastgroup
        if kind == "word" and pending:
            call.redirects.append((pending[-1], match[0].strip("'\"")))
            pending = ""
        elif kind == "word":
            call.words.append(match[0])
        elif kind == "redirect":
            pending = match[0].rstrip(">") + ">" if ">" in match[0] else "<"
        elif kind in ("stop", "skip"):
            if match[0] != "(" or text[match.start() - 1 : match.start()].isspace():
                yield call  # a word with a bracket right behind it is a call in some other language
            call, pending = _Call(), ""
        if count > _SHELL_WORDS_LIMIT:
            break
    yield call


def _read_call(call: _Call, facts: ShellFacts) -> None:
    for operator, target in call.redirects:
        (facts.writes if operator == ">" else facts.reads).update(file_terms(target))
    words = _after_wrappers(call.words)
    if not words:
        return
    script = _script(words)
    if script:
        facts.scripts.add(script)
    name = _program(words)
    if name:
        facts.tools.add(name)
    if name or script:
        _packages(name, words, facts.tools)
        _files(name, words[1:], facts)


def _after_wrappers(words: list[str]) -> list[str]:
    at = 0
    while at < len(words) and (words[at] in WRAPPERS or _ASSIGNMENT.match(words[at])):
        wrapped = words[at] in ("sudo", "xargs", "timeout", "env", "nice", "watch")
        at += 1
        while (
            wrapped and at < len(words) and (words[at].startswith("-") or words[at].rstrip("smh").isdigit())
        ):
            at += 1
    return words[at:]


def _script(words: list[str]) -> str:
    """A bundled script that the command runs: the first word, or the first file after an interpreter."""
    if words[0].rsplit("/", 1)[-1] in INTERPRETERS:
        words = [word for word in words[1:4] if not word.startswith("-") and word != "run"]
    match = _SCRIPT.fullmatch(words[0].strip("'\"")) if words else None
    return match[1] if match else ""


def _program(words: list[str]) -> str:
    """The program of a command, or ``""`` where the line is prose, a common utility, or a path."""
    name = words[0]
    if not _COMMAND.fullmatch(name) or name in COMMON or name.endswith((".", ":")) or name.isdigit():
        return ""
    if type_of(name) or name.replace(".", "").isdigit() or (name.endswith("+") and name not in _PLUS_PLUS):
        return ""
    if len(words) > 1 and words[1] in (
        "=",
        ":",
        "is",
        "are",
        "the",
        "a",
        "of",
        "and",
        "->",
        "→",
        "-",
        "+=",
        "==",
    ):
        return ""
    return RENAMED.get(name, name)


def _packages(name: str, words: list[str], tools: set[str]) -> None:
    rest = words[1:]
    if name == "python" and rest[:2] == ["-m", "pip"]:
        name, rest = "pip", rest[2:]
    if name == "uv" and rest[:1] in (["pip"], ["tool"]):
        name, rest = "pip", rest[1:]
    if name in _RUNNERS:
        rest = [word for word in rest if not word.startswith("-")][:1]
    elif rest and rest[0] in _INSTALLERS.get(name, ()):
        rest = rest[1:]
    elif name in ("uv", "poetry") and rest[:1] == ["run"] and len(rest) > 1:
        inner = _program(rest[1:])
        tools.update([inner] if inner else [])
        return
    else:
        return
    tools.update(package for package in _package_names(rest) if package not in COMMON)


def _package_names(words: list[str]) -> Iterator[str]:
    skip = False
    for word in words:
        bare = word.strip("'\"")
        if skip or bare.startswith("-"):
            skip = not skip and bare in (
                "-r",
                "-c",
                "-e",
                "-i",
                "-f",
                "--index-url",
                "--extra-index-url",
                "-n",
                "--python",
                "--prefix",
                "-t",
                "-p",
            )
            continue
        bare = _VERSION_PART.sub("", bare)
        if _PACKAGE.fullmatch(bare) and not type_of(bare) and ("/" not in bare or bare.startswith("@")):
            yield bare.lower().replace("_", "-")


def _files(name: str, words: list[str], facts: ShellFacts) -> None:
    """Files after input and output flags, then the plain ones by what the program does with them."""
    plain: list[str] = []
    flag = ""
    for word in words:
        bare = word.strip("'\"")
        if word.startswith("-"):
            flag, _, value = word.partition("=")
            if value:
                _flagged(name, flag, value.strip("'\""), facts)
                flag = ""
            continue
        if flag and type_of(bare) and (name not in LAST_IS_OUTPUT or word is not words[-1]):
            _flagged(name, flag, bare, facts)
        elif type_of(bare) and "://" not in bare and (not flag or name in LAST_IS_OUTPUT):
            plain.append(bare)
        flag = ""
    if name in LAST_IS_OUTPUT and plain:
        facts.writes.update(file_terms(plain.pop()))
    if name in LAST_IS_OUTPUT or name in READERS:
        for path in plain:
            facts.reads.update(file_terms(path))


def _flagged(name: str, flag: str, value: str, facts: ShellFacts) -> None:
    if "://" in value:
        return
    if (_OUT_FLAGS.fullmatch(flag) and flag != "-out") or (name == "wget" and flag == "-O"):
        facts.writes.update(file_terms(value))
    elif _IN_FLAGS.fullmatch(flag) and not (flag == "-i" and name in _NOT_IN_FLAG):
        facts.reads.update(file_terms(value))
