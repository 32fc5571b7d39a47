"""Python, JavaScript and R snippets: imported packages, files read and written. Snippets need not be valid."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from skillquiver.skills.shell_facts import ShellFacts
from skillquiver.skills.terms import file_terms, type_of

__all__ = ["read_code"]

_CALL = re.compile(
    r"([A-Za-z_][\w.]{0,99}+)[ ]?\(\s*(?:[rfbuRFBU]{0,2}(['\"])([^'\"\n]{1,200})\2)?\s*(,\s*(?:mode\s*=\s*)?['\"]([rwaxbt+]{1,3})['\"])?"
)
_PATH_CALL = re.compile(r"Path\(\s*[rf]?(['\"])([^'\"\n]{1,200})\1\s*\)\.(read|write)_(?:text|bytes)")
_IMPORT = re.compile(
    r"(?m)^[ \t]*(?:>>> )?(?:from[ \t]+([A-Za-z_]\w*)[\w.]*[ \t]+import\b|import[ \t]+([A-Za-z_][\w., \t]*?)[ \t]*(?:#.*)?$)"
)
_JS_IMPORT = re.compile(r"""(?:\bfrom|\bimport|\brequire\(|\bimport\()\s*['"]([^'"\n]{1,100})['"]""")
_R_IMPORT = re.compile(r"\b(?:library|require)\(\s*['\"]?([A-Za-z][\w.]+)['\"]?\s*\)")

_PYTHON = frozenset({"python", "py", "python3", "ipython", "jupyter"})
_SCRIPT = frozenset({"javascript", "js", "typescript", "ts", "jsx", "tsx", "mjs"})
_PLAIN = frozenset({"", "r"})

_DISTRIBUTIONS = {
    "cv2": "opencv-python",
    "pil": "pillow",
    "sklearn": "scikit-learn",
    "skimage": "scikit-image",
    "bs4": "beautifulsoup4",
    "yaml": "pyyaml",
    "docx": "python-docx",
    "pptx": "python-pptx",
    "fitz": "pymupdf",
    "dotenv": "python-dotenv",
    "bio": "biopython",
    "crypto": "pycryptodome",
    "dateutil": "python-dateutil",
    "jwt": "pyjwt",
    "serial": "pyserial",
    "git": "gitpython",
    "attr": "attrs",
    "ortools": "ortools",
    "faiss": "faiss-cpu",
}
"""Import name (lower case) → name of the package that is installed."""

_LOCAL = frozenset(
    ["app", "apps", "src", "lib", "libs", "core", "common", "utils", "util", "helpers", "helper", "config", "configs", "settings", "models", "model", "main", "module", "modules", "services", "service", "schemas", "schema", "database", "db", "api", "tests", "test", "scripts", "script", "tools", "types", "constants", "your_module", "my_module", "mymodule", "myapp", "my_app", "your_app", "mypackage", "my_package", "package", "project", "handlers", "routes", "views", "components", "shared", "base", "client", "server", "agent", "agents", "pipeline", "your_package", "yourapp", "example", "examples"]
)
"""Import names of the example's own files."""

_NODE = frozenset(
    ["fs", "path", "os", "http", "https", "http2", "url", "util", "crypto", "stream", "events", "child_process", "cluster", "net", "dns", "tls", "zlib", "readline", "assert", "buffer", "process", "querystring", "timers", "vm", "worker_threads", "perf_hooks", "string_decoder", "module", "console", "test"]
)

_READ = {
    "read_csv": ".csv", "read_excel": ".xlsx", "read_json": ".json", "read_parquet": ".parquet", "read_table": "",
    "read_html": ".html", "read_feather": ".feather", "read_hdf": ".h5", "read_stata": ".dta", "read_sas": "",
    "scan_csv": ".csv", "scan_parquet": ".parquet", "load_workbook": ".xlsx", "pdfreader": ".pdf",
    "pdfplumber.open": ".pdf", "fitz.open": ".pdf", "pymupdf.open": ".pdf", "convert_from_path": ".pdf",
    "image.open": "", "imread": "", "librosa.load": "", "sf.read": "", "wavfile.read": ".wav", "torchaudio.load": "",
    "json.load": ".json", "csv.reader": ".csv", "csv.dictreader": ".csv", "np.load": "", "numpy.load": "",
    "loadtxt": "", "genfromtxt": "", "loadmat": ".mat", "rasterio.open": "", "open_dataset": "", "xr.open_dataset": ".nc",
    "read_h5ad": ".h5ad", "read_file": "", "trimesh.load": "", "videocapture": "", "readfilesync": "", "readfile": "",
    "read.csv": ".csv", "readrds": ".rds", "readcsv": ".csv", "seqio.parse": "", "fits.open": ".fits", "nib.load": ".nii",
    "dcmread": ".dcm", "audiosegment.from_file": "", "videofileclip": "", "document": "", "presentation": "",
    "yaml.safe_load": ".yaml", "tomllib.load": ".toml", "pysam.alignmentfile": ".bam", "onnx.load": ".onnx",
}  # fmt: skip
"""Calls that read, with the type they imply when their argument does not say (``""``: none)."""

_WRITE = {
    "to_csv": ".csv", "to_excel": ".xlsx", "to_json": "", "to_parquet": ".parquet", "to_html": "", "to_feather": ".feather",
    "to_stata": ".dta", "to_hdf": ".h5", "to_markdown": "", "savefig": ".png", "write_html": ".html", "write_image": "",
    "write_csv": ".csv", "write_parquet": ".parquet", "write_h5ad": ".h5ad", "imwrite": "", "savetxt": "", "np.save": ".npy",
    "np.savez": ".npz", "np.savez_compressed": ".npz", "json.dump": ".json", "csv.writer": ".csv", "csv.dictwriter": ".csv",
    "writefilesync": "", "writefile": "", "write.csv": ".csv", "saverds": ".rds", "ggsave": "", "sf.write": "",
    "wavfile.write": ".wav", "save": "", "export": "", "write_videofile": ".mp4", "yaml.dump": "", "yaml.safe_dump": "",
    "excelwriter": ".xlsx", "torch.onnx.export": ".onnx", "torch.save": ".pt", "joblib.dump": ".joblib", "to_file": "",
    "savemat": ".mat", "write_text": "", "videowriter": "", "simpledoctemplate": ".pdf", "xlsxwriter.workbook": ".xlsx",
    "screenshot": "", "pdf": "",
}  # fmt: skip

_LITERAL_ONLY = frozenset(
    {"save", "export", "document", "presentation", "pdf", "screenshot", "read_file", "write_text"}
)
"""Names with other meanings: they count only with a file name in the call."""


def read_code(language: str, text: str, facts: ShellFacts) -> None:
    """Add what a snippet shows; languages without rules add nothing."""
    if language in _PYTHON:
        facts.tools.update(_python_packages(text))
    elif language in _SCRIPT:
        facts.tools.update(_script_packages(text))
    elif language == "r":
        facts.tools.update(match[1].lower() for match in _R_IMPORT.finditer(text))
    elif language not in _PLAIN:
        return
    if "(" in text:
        _calls(text, facts)


def _calls(text: str, facts: ShellFacts) -> None:
    for match in _CALL.finditer(text):
        name, literal = match[1].lower(), match[3] or ""
        last = name.rsplit(".", 1)[-1]
        if last == "open" and name in ("open", "io.open") and literal:
            target = facts.writes if match[5] and set(match[5]) & set("wax") else facts.reads
            target.update(file_terms(literal))
            continue
        for table, target in ((_READ, facts.reads), (_WRITE, facts.writes)):
            key = name if name in table else ".".join(name.rsplit(".", 2)[-2:])
            key = key if key in table else last
            if key in table:
                target.update(_of_call(key, table[key], literal))
    for match in _PATH_CALL.finditer(text):
        (facts.reads if match[3] == "read" else facts.writes).update(file_terms(match[2]))


def _of_call(name: str, implied: str, literal: str) -> Iterator[str]:
    if literal and "://" not in literal and type_of(literal):
        yield from file_terms(literal)
    elif implied and not literal and name not in _LITERAL_ONLY:
        yield implied


def _python_packages(text: str) -> Iterator[str]:
    for match in _IMPORT.finditer(text):
        names = (
            [match[1]]
            if match[1]
            else [part.split()[0].split(".")[0] for part in match[2].split(",") if part.split()]
        )
        for name in names:
            if (
                name in sys.stdlib_module_names
                or name.lower() in _LOCAL
                or name.startswith(("_", "my", "your"))
            ):
                continue
            bare = name.lower()
            yield _DISTRIBUTIONS.get(bare, bare.replace("_", "-"))


def _script_packages(text: str) -> Iterator[str]:
    for match in _JS_IMPORT.finditer(text):
        parts = match[1].split("/")
        if match[1].startswith((".", "/", "@/", "~", "#", "node:", "http", "$")) or parts[0] in _NODE:
            continue
        name = "/".join(parts[:2]) if parts[0].startswith("@") else parts[0]
        if re.fullmatch(r"(?:@[a-z0-9-][\w.-]*/)?[a-z][\w.-]*", name):
            yield name.lower()
