"""Lists the benchmarks; each is run as ``python -m benchmarks.NAME``."""

from __future__ import annotations

import ast
from pathlib import Path

for file in sorted(Path(__file__).parent.glob("*.py")):
    if not file.stem.startswith("_"):
        text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
        print(f"{file.stem:20}{text.splitlines()[0] if text else ''}")
