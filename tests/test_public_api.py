"""What every module promises: the names it publishes, the codes it reports, what importing it costs."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType

import pytest

import skillquiver
from skillquiver.skills.findings import FAULTS

SOURCE = Path(skillquiver.__file__).parent
MODULES = sorted(
    module.name
    for module in walk_packages([str(SOURCE)], "skillquiver.")
    if not module.name.endswith(("__main__", "_version"))
)
UNLISTED = {
    "skillquiver.index.encoders": {"processors"},
    "skillquiver.graph.llm.prompts": {"neutralise", "nonce_for"},
    "skillquiver.graph.build": {"chosen_sources"},
    "skillquiver.graph.report": {"share_by_provenance"},
    "skillquiver.graph.resolve": {"contradictions", "strength"},
}
"""Names that are still to be published or made private. This table only shrinks."""

HEAVY = (
    "numpy",
    "onnxruntime",
    "tokenizers",
    "tantivy",
    "rich",
    "tiktoken",
    "yaml",
    "pyromark",
    "hypothesis",
)


def defined(module: ModuleType) -> set[str]:
    """Public classes and functions that a module defines itself; click commands are for the group."""
    found = set()
    for name, value in vars(module).items():
        own = getattr(value, "__module__", None) == module.__name__
        if own and not name.startswith("_") and (inspect.isclass(value) or inspect.isfunction(value)):
            found.add(name)
    return found


def imports_between_modules() -> Iterator[tuple[str, str, str]]:
    """(importing file, module, name) of every ``from skillquiver.x import y``."""
    for file in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("skillquiver."):
                for alias in node.names:
                    yield str(file.relative_to(SOURCE)), str(node.module), alias.name


@pytest.mark.parametrize("name", MODULES)
def test_a_module_publishes_what_it_lists(name: str) -> None:
    module = import_module(name)
    listed = list(getattr(module, "__all__", []))
    assert len(set(listed)) == len(listed)
    assert [entry for entry in listed if not hasattr(module, entry)] == []
    assert [entry for entry in listed if entry.startswith("_")] == []
    if hasattr(module, "__all__"):
        assert sorted(defined(module) - set(listed) - UNLISTED.get(name, set())) == []


def test_no_module_imports_a_private_name_of_another() -> None:
    private = [
        f"{file}: {name} of {module}"
        for file, module, name in imports_between_modules()
        if name.startswith("_") and not name.startswith("__")
    ]
    assert private == []


def test_every_module_opens_with_what_it_is() -> None:
    assert [name for name in MODULES if not (import_module(name).__doc__ or "").strip()] == []


def test_every_public_class_and_function_says_what_it_is() -> None:
    silent = [
        f"{name}.{entry}"
        for name in MODULES
        for entry in getattr(import_module(name), "__all__", [])
        if inspect.isroutine(value := getattr(import_module(name), entry)) or inspect.isclass(value)
        if not inspect.getdoc(value)
    ]
    assert silent == []


def test_every_finding_code_in_the_source_stands_in_the_table_and_every_one_there_is_used() -> None:
    used = set()
    for file in SOURCE.rglob("*.py"):
        if file.name != "findings.py" and file.parent.name != "graph":  # that layer has a table of its own
            text = file.read_text(encoding="utf-8")
            used |= {word for word in re.findall(r'"([a-z0-9]+(?:-[a-z0-9]+)*)"', text) if word in FAULTS}
            for call in re.findall(r'(?:\bfinding|\._say|Finding)\(\s*"([a-z0-9-]+)"', text):
                assert call in FAULTS, f"{file.name}: {call}"
    assert sorted(set(FAULTS) - used) == []


# --- what an import costs ----------------------------------------------------------------------------


def loaded_by(code: str) -> set[str]:
    """Top-level packages that a fresh interpreter has after ``code``."""
    script = (
        f"{code}\nimport sys\nsys.stderr.write(' '.join(sorted({{m.split('.')[0] for m in sys.modules}})))"
    )
    environment = {"PYTHONPATH": ":".join(str(entry) for entry in sys.path if entry)}
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, encoding="utf-8", env=environment, check=True
    )
    return set(run.stderr.split())


def test_the_package_and_the_command_line_import_nothing_heavy() -> None:
    loaded = loaded_by(
        "import skillquiver, skillquiver.serve.cli.main, skillquiver.errors, skillquiver.types"
    )
    assert loaded.isdisjoint(HEAVY)


@pytest.mark.parametrize("command", ["--help", "search --help", "bundle --help", "doctor --help"])
def test_help_imports_nothing_heavy(command: str) -> None:
    code = (
        "from skillquiver.serve.cli.main import main\n"
        f"main({command.split()!r}, standalone_mode=False, prog_name='quiver')"
    )
    assert loaded_by(code).isdisjoint(HEAVY)


@pytest.mark.parametrize(
    "command", ["search pdf --lexical --json", "search pdf --lexical", "show pdf", "doctor"]
)
def test_what_needs_no_vectors_loads_neither_numpy_nor_a_model(sample: Path, command: str) -> None:
    code = (
        "from skillquiver.serve.cli.main import main\n"
        f"main({[*command.split(), '--library', str(sample)]!r}, standalone_mode=False, prog_name='quiver')"
    )
    assert loaded_by(code).isdisjoint({"numpy", "onnxruntime", "tokenizers", "tiktoken", "rich"})
