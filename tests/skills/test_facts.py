from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillquiver.skills.facts import MAX_TERMS, Facts, find_facts
from skillquiver.skills.markdown import read_markdown


def facts(body: str = "", description: str = "", **fields: Any) -> Facts:
    named = {key.replace("_", "-"): value for key, value in fields.items()}
    return find_facts(named, description, read_markdown(body))


def code(language: str, text: str) -> Facts:
    return facts(f"# T\n\n```{language}\n{text}\n```\n")


# shell


@pytest.mark.parametrize(
    ("line", "tools"),
    [
        ("sudo ffmpeg -i a.mp4", ("ffmpeg",)),
        ("FOO=1 env -i jq . | rg x && cd /tmp", ("jq", "rg")),
        ("for f in *.pdf; do pdftotext $f; done", ("pdftotext",)),
        ("python3 -m pip install 'pandas>=2' numpy -r req.txt", ("numpy", "pandas", "python")),
        ("uv pip install scikit_learn==1.5", ("scikit-learn", "uv")),
        ("npm install -g @scope/pkg@1.2 left-pad", ("@scope/pkg", "left-pad", "npm")),
        ("npx -y create-thing init", ("create-thing", "npx")),
        ("apt-get install -y poppler-utils", ("apt-get", "poppler-utils")),
        ("uv run pytest -q", ("pytest", "uv")),
        ("echo 'git push; rm x' # kubectl apply", ()),
        ("helper() {\n  echo x\n}\nhelper now", ()),
        ("cat <<'EOF' > x.txt\nkubectl apply\nEOF\ndocker ps", ("docker",)),
        ("terraform plan \\\n  -out=x && helm ls", ("helm", "terraform")),
        ("Error: something is wrong\nThis is prose", ()),
        ("name = value", ()),
        ("((page++))\ng++ -c x.cpp", ("g++",)),
        ("send_message(to='x')\nbr ready", ("br",)),
        ("jq '\n  all(.[]; .x)\n' data.json", ("jq",)),
    ],
)
def test_the_programs_and_packages_of_a_shell_line_are_its_tools(line: str, tools: tuple[str, ...]) -> None:
    assert code("bash", line).tools == tools


@pytest.mark.parametrize(
    ("line", "inputs", "outputs"),
    [
        ("ffmpeg -i talk.mp4 -vn talk.wav", (".mp4", "talk.mp4"), (".wav", "talk.wav")),
        ("tool --output out.json --input=in.csv", (".csv",), (".json",)),
        ("tool > log.txt 2>&1 < words.csv", (".csv", "words.csv"), (".txt", "log.txt")),
        ("tool 2>/dev/null >/dev/null", (), ()),
        ("pandoc paper.md -o paper.pdf", (".md", "paper.md"), (".pdf", "paper.pdf")),
        ("sed -i s/a/b/ conf.yaml", (), ()),
        ("curl -o page.html https://example.com/index.html", (), (".html",)),
        ("tool -o $OUT/{name}.png", (), (".png",)),
        ("ssh -i key.pem host", (), ()),
    ],
)
def test_the_files_of_a_shell_line_go_in_or_out(
    line: str, inputs: tuple[str, ...], outputs: tuple[str, ...]
) -> None:
    found = code("bash", line)
    assert (found.inputs, found.outputs) == (inputs, outputs)


def test_an_unlabelled_block_counts_only_where_it_shows_a_prompt() -> None:
    assert code("", "$ jq . data.json\nkubectl is a tool").tools == ("jq",)


# Python, JavaScript


def test_python_reads_writes_and_imports_are_told_apart() -> None:
    found = code(
        "python",
        "import os, json\nimport pandas as pd\nfrom PIL import Image\nfrom utils import x\n"
        "df = pd.read_csv('sales.csv')\ndf.to_excel(path)\nplt.savefig('chart.svg')\n"
        "with open('notes.md', 'w') as f: pass\nx = open('words.txt').read()\njson.dump(x, f)\n"
        "Path('plan.json').read_text()\n",
    )
    assert found.tools == ("pandas", "pillow")
    assert found.inputs == (".csv", ".json", ".txt", "plan.json", "sales.csv", "words.txt")
    assert found.outputs == (".json", ".md", ".svg", ".xlsx", "chart.svg", "notes.md")


def test_names_with_other_meanings_count_only_with_a_file() -> None:
    assert code("python", "model.save()\nuser.export('csv')\nDocument(x)") == Facts()
    assert code("python", "doc.save('letter.docx')").outputs == (".docx", "letter.docx")


def test_javascript_imports_leave_out_its_own_modules_and_relative_files() -> None:
    found = code(
        "ts",
        "import fs from 'node:fs'\nimport path from 'path'\nimport x from './x'\nimport { z } from 'zod'\n"
        "const a = require('@scope/a/lib')\nfs.writeFileSync('out.json', s)",
    )
    assert (found.tools, found.outputs) == (("@scope/a", "zod"), (".json",))


def test_broken_code_is_read_as_far_as_it_goes() -> None:
    assert code("python", "import pandas as pd\nif x:\n  ...unfinished (").tools == ("pandas",)


# sections and descriptions


def test_input_and_output_sections_name_files() -> None:
    found = facts(
        "# T\n\n## Inputs\n\n- `sensors.csv` or any `.parquet`\n- see [setup](docs/setup.md)\n\n"
        "## Steps\n\n`other.json`\n\n## Deliverables\n\n### Files\n\n- `report.pdf`, `mask.npz`\n"
    )
    assert found.inputs == (".csv", ".parquet", "sensors.csv")
    assert found.outputs == (".npz", ".pdf", "mask.npz")


def test_a_schema_section_names_its_data_objects() -> None:
    inner = '{"type": "object", "properties": {"innerThing": {}}}'
    schema = f'{{"type": "object", "properties": {{"gapAnalysis": {inner}, "status": {{}}, "scanId": {{}}}}}}'
    body = f"# T\n\n## Output Schema\n\n```json\n{schema}\n```\n"
    assert facts(body).outputs == ("gap-analysis",)


@pytest.mark.parametrize(
    ("description", "inputs", "outputs"),
    [
        ("Convert PDF files to Markdown.", (".pdf",), (".md",)),
        ("Extract tables from PDFs and export CSV.", (".pdf",), (".csv",)),
        ("Create Word documents and PowerPoint decks.", (), (".docx", ".pptx")),
        ("Edit .xlsx and .csv files.", (".csv", ".xlsx"), (".csv", ".xlsx")),
        ("Use when the task mentions JSON API design.", (), ()),
        ("Build a REST API. JSON is its format.", (), ()),
        ("Reads a spreadsheet. Never writes PDF.", (".xlsx",), ()),
        ("Transcribe MP3 to SRT.", (".mp3",), (".srt",)),
        ("Extract tables from PDF files into Excel.", (".pdf",), (".xlsx",)),
        ("Summarise CSV files to find trends.", (), ()),
    ],
)
def test_a_verb_of_the_description_gives_a_file_type_its_direction(
    description: str, inputs: tuple[str, ...], outputs: tuple[str, ...]
) -> None:
    found = facts(description=description)
    assert (found.inputs, found.outputs) == (inputs, outputs)


# frontmatter


def test_declared_inputs_and_outputs_are_texts_lists_or_maps() -> None:
    found = facts(
        inputs=[{"name": "Mask Instructions", "format": "json"}, "segments.csv"],
        outputs="summary report, pdf",
    )
    assert found.inputs == (".csv", ".json", "mask-instructions", "segments.csv")
    assert found.outputs == (".pdf", "summary-report")


def test_binaries_and_pip_packages_of_the_frontmatter_are_tools_and_nothing_else() -> None:
    found = facts(dependencies=["pandas>=2", "Some paid API"], requires={"bins": ["git", "python3", "cat"]})
    assert found == Facts(tools=("git", "pandas", "python"))


def test_binaries_in_metadata_written_as_json_text_are_found() -> None:
    assert facts(metadata='{"clawdbot": {"requires": {"bins": ["jq"]}}}').tools == ("jq",)


def test_tools_that_may_run_are_named_by_the_program_and_generic_ones_are_not() -> None:
    assert facts(allowed_tools="Read Bash(gh pr:*) mcp__github__search").tools == (
        "gh",
        "mcp__github__search",
    )


def test_scripts_that_run_or_are_linked_are_entrypoints() -> None:
    text = "Run `python scripts/fill.py x`, see [b](./scripts/b.sh)."
    body = f"{text}\n\n```bash\nbash scripts/c.sh\ngit add scripts/d.py\n```\n"
    assert facts(body).entrypoints == ("scripts/b.sh", "scripts/c.sh", "scripts/fill.py")


# bounds


def test_terms_are_bounded_and_sorted() -> None:
    found = code("bash", "\n".join(f"prog{n:03} x" for n in range(200)))
    assert found.tools == tuple(f"prog{n:03}" for n in range(MAX_TERMS))


@given(st.text(max_size=200), st.sampled_from(["bash", "python", "js", "", "r"]))
def test_no_code_makes_it_raise_and_every_term_is_one_lower_case_word(text: str, language: str) -> None:
    found = find_facts({}, text, read_markdown(f"```{language}\n{text}\n```\n"))
    for term in (*found.inputs, *found.outputs, *found.tools):
        assert term == term.lower()
        assert not any(character.isspace() for character in term)


@pytest.mark.parametrize(
    "text", ["'" * 3000, '"' * 3000, "a." * 3000, "(" * 3000, "<<A\n" * 500, "[{" * 2000, "- x" * 2000]
)
def test_pathological_text_ends(text: str) -> None:
    for language in ("bash", "python"):
        code(language, text)
    facts(description=text)
