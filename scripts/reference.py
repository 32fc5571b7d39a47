"""Writes the generated pages of the documentation; `--check` only compares. A test runs the comparison.

python scripts/reference.py            # rewrite them
python scripts/reference.py --check    # exit 1 if a page is not what the code says
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "skillquiver"
SETTINGS = PACKAGE / "settings"
DOCS = ROOT / "docs"


_GENERATED = "Generated from {} by `python scripts/reference.py`."


def cli_page() -> str:
    """The text of docs/reference/cli.md: every command with its usage, help and options."""
    from skillquiver.serve.cli.main import COMMANDS, main

    root = click.Context(main, info_name="quiver", **main.context_settings)
    parts = [
        "# Command line",
        _GENERATED.format("the commands") + " `quiver` and `skillquiver` are the same program; "
        "`-h` or `--help` after a command shows its help.",
        _EXIT_CODES,
        *_command(main, root, level=2),
    ]
    for name in COMMANDS:
        command = main.get_command(root, name)
        assert command is not None
        parts += _command(command, click.Context(command, info_name=name, parent=root), level=2)
    return "\n\n".join(parts) + "\n"


_EXIT_CODES = """\
| exit code | meaning |
| --- | --- |
| 0 | Done. `search` also exits with 0 when its status is `none`. |
| 1 | `bundle` found nothing; a language model or a host's file cannot be used; or `--strict` and a fault. |
| 2 | The request is wrong: an unknown option, an unknown or ambiguous skill, a root that is no folder. |
| 3 | The library cannot be used: nothing indexed, locked by another process, damaged, another format. |"""


def _command(command: click.Command, context: click.Context, *, level: int) -> Iterator[str]:
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    yield f"{'#' * level} {context.command_path}"
    yield f"```text\n{usage}\n```"
    yield from (" ".join(part.split()) for part in (command.help or "").split("\n\n"))
    rows = [
        _row(option, context) for option in command.get_params(context) if isinstance(option, click.Option)
    ]
    if rows:
        yield "\n".join(["| option | default | what it does |", "| --- | --- | --- |", *rows])
    if isinstance(command, click.Group) and context.parent is not None:
        yield from _subcommands(command, context, level + 1)


def _subcommands(group: click.Group, context: click.Context, level: int) -> Iterator[str]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield from _command(command, click.Context(command, info_name=name, parent=context), level=level)


def _row(option: click.Option, context: click.Context) -> str:
    names = ", ".join([*option.opts, *option.secondary_opts])
    value = "" if option.is_flag or option.count else f" {option.make_metavar(context)}"
    default = f"`{option.default}`" if option.show_default and option.default is not None else ""
    repeat = " Repeatable." if option.multiple else ""
    return f"| `{names}{value}` | {default} | {_cell(option.help or '')}{repeat} |"


def settings_page() -> str:
    """The text of docs/reference/settings.md: every setting with its default and the reason for it."""
    parts = [
        "# Settings",
        _GENERATED.format("`src/skillquiver/settings`") + " The classes are frozen.",
    ]
    modules = [ast.parse(file.read_text(encoding="utf-8")) for file in sorted(SETTINGS.glob("*.py"))]
    for node in (node for module in modules for node in module.body):
        if isinstance(node, ast.ClassDef):
            rows = [f"| `{name}` | `{default}` | {_cell(why)} |" for name, default, why in _fields(node)]
            parts += [
                f"## {node.name}",
                " ".join((ast.get_docstring(node) or "").replace("``", "`").split()),
                "\n".join(["| name | default | what it is, and why |", "| --- | --- | --- |", *rows]),
            ]
    return "\n\n".join(parts) + "\n"


def _fields(node: ast.ClassDef) -> Iterator[tuple[str, str, str]]:
    """(name, default as written, docstring below it) of each field."""
    for field, after in zip(node.body, [*node.body[1:], None], strict=True):
        if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
            continue
        why = ""
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            why = str(after.value.value)
        yield field.target.id, ast.unparse(field.value) if field.value else "", why


LAYERS = ("settings", "skills", "index", "graph", "retrieve", "learn", "evaluate", "serve")
"""Packages from the lowest layer to the highest."""


def mcp_page() -> str:
    """The text of docs/reference/mcp.md: every tool with its arguments and the fields of its answer."""
    from skillquiver.serve.mcp.contract import TOOLS, input_schema, output_schema

    parts = [
        "# MCP tools",
        _GENERATED.format("the tools' schemas") + " All tools read only. [How to](../how-to/mcp.md).",
    ]
    for spec in TOOLS:
        taken, given = input_schema(spec), output_schema(spec)
        rows = [_argument(name, schema, taken["required"]) for name, schema in taken["properties"].items()]
        parts += [f"## {spec.name}", spec.description]
        if rows:
            parts.append("\n".join(["| argument | type | default |", "| --- | --- | --- |", *rows]))
        fields = [f"| `{name}` | {_type(schema)} |" for name, schema in given["properties"].items()]
        parts.append("\n".join(["| field of the answer | type |", "| --- | --- |", *fields]))
    return "\n\n".join(parts) + "\n"


def _argument(name: str, schema: dict[str, Any], required: list[str]) -> str:
    what = _type(schema) + (f": {_cell(schema['description'])}" if "description" in schema else "")
    default = "required" if name in required else f"`{json.dumps(schema['default'])}`"
    return f"| `{name}` | {what} | {default} |"


def _type(schema: dict[str, Any]) -> str:
    """A schema in words."""
    if "anyOf" in schema:
        return " or ".join(map(_type, schema["anyOf"]))
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if schema["type"] == "array":
        items = schema["items"]
        fields = ", ".join(f"`{name}`" for name in items.get("properties", ()))
        return f"list of objects with {fields}" if fields else f"list of {_type(items)}"
    bounds = [
        f"{word} {schema[key]}" for key, word in (("minimum", "from"), ("maximum", "to")) if key in schema
    ]
    return " ".join([schema["type"], *bounds])


def http_page() -> str:
    """The text of docs/reference/http.md: every operation of the gateway with its parameters and fields."""
    from skillquiver.serve.http.gateway import OPERATIONS
    from skillquiver.serve.http.openapi import REFUSALS, openapi

    document = openapi(OPERATIONS, tokens=True)
    parts = [
        "# HTTP",
        _GENERATED.format("the OpenAPI document of the server")
        + " A server has that at `/openapi.json`. [How to](../how-to/serve.md).",
    ]
    for path, methods in document["paths"].items():
        parts += _http_operation(path, methods, document["components"]["schemas"])
    parts += [
        "## POST /mcp",
        "Model Context Protocol, streamable HTTP without sessions; `library` as above. [Tools](mcp.md).",
        "## GET /openapi.json",
        "This page for programs. Needs no token.",
        "## Refusals",
        "Each is an `application/problem+json` with `type`, `title`, `status`, `detail`.",
        "\n".join(
            [
                "| status | meaning |",
                "| --- | --- |",
                *(f"| {code} | {told} |" for code, told in REFUSALS.items()),
            ]
        ),
    ]
    return "\n\n".join(parts) + "\n"


def _http_operation(path: str, methods: dict[str, Any], schemas: dict[str, Any]) -> Iterator[str]:
    operation = methods["get"]
    yield f"## {', '.join(map(str.upper, methods))} {path}"
    yield operation["summary"] + (" Needs no token." if operation.get("security") == [] else "")
    rows = [_http_parameter(parameter) for parameter in operation.get("parameters", ())]
    if rows:
        yield "\n".join(["| parameter | type | default |", "| --- | --- | --- |", *rows])
    content = operation["responses"]["200"]["content"]
    if "application/json" in content:
        record = schemas[content["application/json"]["schema"]["$ref"].rpartition("/")[2]]
        yield "Fields of the answer: " + ", ".join(f"`{name}`" for name in record["properties"]) + "."


def _http_parameter(parameter: dict[str, Any]) -> str:
    schema = parameter["schema"]
    what = _type(schema) + (f": {_cell(parameter['description'])}" if "description" in parameter else "")
    default = "" if schema.get("default") is None else f"`{json.dumps(schema['default'])}`"
    return f"| `{parameter['name']}` | {what} | {'required' if parameter.get('required') else default} |"


def modules_page() -> str:
    """The text of docs/reference/modules.md: each module with the first line of its docstring."""
    parts = [
        "# Modules",
        _GENERATED.format("the modules' docstrings") + " Layers from the lowest to the highest.",
    ]
    for layer in ("", *LAYERS):
        files = (PACKAGE / layer).rglob("*.py") if layer else PACKAGE.glob("*.py")
        rows = [
            f"| `{file.relative_to(PACKAGE).as_posix()}` | {_first_line(file)} |" for file in sorted(files)
        ]
        head = f"## {layer}" if layer else "## skillquiver"
        parts += [head, "\n".join(["| module | what it does |", "| --- | --- |", *rows])]
    return "\n\n".join(parts) + "\n"


def _first_line(file: Path) -> str:
    docstring = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return _cell(docstring.split("\n\n")[0])


def decisions_page() -> str:
    """The text of docs/decisions/index.md: the decisions by number."""
    files = sorted((DOCS / "decisions").glob("[0-9]*.md"))
    titles = [file.read_text(encoding="utf-8").split("\n", 1)[0].removeprefix("# ") for file in files]
    parts = [
        "# Decisions",
        "Each page: context, decision, alternatives, how we would know it was wrong. Negative results are "
        "decisions too. " + _GENERATED.format("the pages' titles"),
        "\n".join(f"- [{title}]({file.name})" for title, file in zip(titles, files, strict=True)),
    ]
    return "\n\n".join(parts) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").replace("``", "`").split())


PAGES = {
    "reference/cli.md": cli_page,
    "reference/settings.md": settings_page,
    "reference/mcp.md": mcp_page,
    "reference/http.md": http_page,
    "reference/modules.md": modules_page,
    "decisions/index.md": decisions_page,
}
"""Generated pages below docs/."""


def main(arguments: list[str]) -> int:
    """Write the pages, or compare them; returns the exit code."""
    stale = 0
    for name, page in PAGES.items():
        file, text = DOCS / name, page()
        if "--check" not in arguments:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != text:
            print(f"docs/{name} is out of date; run `python scripts/reference.py`")
            stale = 1
    return stale


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
