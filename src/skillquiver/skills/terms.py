"""Artifact terms: which words are file types or file names, and in what form they are compared.

A term is a file type (``.xlsx``), a file name (``budget.xlsx``), or the declared name of a data object
(``mask-instructions``). All are lower case.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["KNOWN_TYPES", "TYPE_WORDS", "file_terms", "name_term", "type_of"]

KNOWN_TYPES = frozenset(
    # documents and office
    ".pdf .docx .doc .xlsx .xls .xlsm .pptx .ppt .odt .ods .odp .rtf .epub .tex .bib .ris .md .mdx .rst .adoc "
    ".txt .html .htm .css .scss .ipynb .eml .msg .mbox .ics .vcf .vsdx .drawio .excalidraw .mmd .puml .canvas "
    # data
    ".csv .tsv .json .jsonl .ndjson .json5 .yaml .yml .toml .xml .xsd .xsl .parquet .feather .arrow .avro .orc "
    ".sqlite .db .duckdb .sql .hdf5 .h5 .h5ad .loom .mat .npy .npz .pkl .rds .sav .dta .sas7bdat .proto .ini "
    ".graphql .log .har .pcap .pcapng .evtx .stix .sarif .lock .env .conf .cfg .properties .plist "
    # images, sound, video, geometry
    ".png .jpg .jpeg .gif .svg .webp .tif .tiff .bmp .heic .psd .ico .eps .dcm .nii .wav .mp3 .m4a .flac .ogg "
    ".aac .mid .mp4 .mov .avi .mkv .webm .srt .vtt .ass .stl .obj .glb .gltf .step .stp .iges .dxf .dwg .ply .usdz "
    ".3mf .gcode .fbx .blend .ifc .las .laz "
    # science
    ".fasta .fa .fastq .fq .bam .sam .cram .vcf .bed .gff .gtf .pdb .cif .mol .mol2 .sdf .smi .xyz .mzml .fits "
    ".nc .grib .shp .geojson .gpkg .kml .kmz .gpx .las .tcx .fit .edf .nwb .nwk .newick .phy .inp .pddl .lp .mps "
    # models, packages, code that is an artifact of its own
    ".onnx .pt .pth .safetensors .gguf .tflite .pb .joblib .zip .tar .gz .tgz .7z .whl .jar .apk .ipa .exe .dll .so "
    ".wasm .sol .abi .tf .tfvars .tfstate .hcl .v .sv .vhd .pem .crt .key .p12 .pyc .elf .bin .hex .dockerfile "
    ".py .js .ts .tsx .jsx .mjs .sh .ps1 .r .rb .go .rs .java .kt .swift .c .cpp .h .cs .php .lua .vue".split()
)
"""File types that are evidence of an artifact. A suffix outside this list is more often a domain or a member."""

_SAME = {
    ".yml": ".yaml",
    ".htm": ".html",
    ".jpeg": ".jpg",
    ".tif": ".tiff",
    ".ndjson": ".jsonl",
    ".hdf5": ".h5",
    ".stp": ".step",
    ".fq": ".fastq",
    ".fa": ".fasta",
    ".tgz": ".gz",
    ".newick": ".nwk",
}

TYPE_WORDS = {
    "excel": ".xlsx",
    "spreadsheet": ".xlsx",
    "spreadsheets": ".xlsx",
    "powerpoint": ".pptx",
    "word document": ".docx",
    "word documents": ".docx",
    "word doc": ".docx",
    "markdown": ".md",
    "jupyter notebook": ".ipynb",
    "jupyter notebooks": ".ipynb",
    "parquet": ".parquet",
    "geotiff": ".tiff",
    "latex": ".tex",
    "bibtex": ".bib",
    "epub": ".epub",
    "geojson": ".geojson",
    "shapefile": ".shp",
    "shapefiles": ".shp",
    "fasta": ".fasta",
    "fastq": ".fastq",
    "netcdf": ".nc",
    "hdf5": ".h5",
    "onnx": ".onnx",
}
"""Words of prose for file types; ``Excel`` is matched in any case, acronyms such as ``PDF`` are in capitals."""

ACRONYMS = {
    word: "." + word.lower()
    for word in ["PDF", "DOCX", "XLSX", "XLS", "PPTX", "CSV", "TSV", "JSON", "JSONL", "YAML", "XML", "HTML", "SVG", "PNG", "JPG", "GIF", "WEBP", "EPUB", "MP3", "MP4", "WAV", "FLAC", "SRT", "VTT", "STL", "DXF", "DWG", "GPX", "KML", "ICS", "BAM", "VCF", "SAM", "DICOM", "PDB", "SDF", "PCAP", "SARIF", "ODT", "RTF", "TOML", "ZIP", "GLTF", "GLB", "STEP", "IFC", "SQLITE"]
} | {"JPEG": ".jpg", "DICOM": ".dcm"}

_GENERIC_STEMS = frozenset(
    ["input", "output", "in", "out", "file", "files", "data", "dataset", "example", "sample", "test", "doc", "document", "documents", "report", "result", "results", "my", "foo", "bar", "name", "filename", "path", "temp", "tmp", "image", "img", "photo", "picture", "video", "audio", "page", "pages", "image1", "image2", "file1", "file2", "doc1", "doc2", "a", "b", "c", "x", "y", "z", "new", "old", "source", "src", "target", "dest", "copy", "final", "draft", "text", "content", "contents"]
)
"""Names of examples, not of artifacts: only their type counts."""

_FILE = re.compile(
    r"(?<![\w@/.~-])(?P<path>[\w./~{}$<>*%\[\]-]*?)(?P<name>[\w{}$<>*%\[\]-]*)(?P<type>\.[A-Za-z0-9]{1,10})(?![\w-]|\.\w|[(/@])"
)
_HOLE = re.compile(r"[{}$<>*%\[\]]")
_NAME_WORDS = re.compile(r"[a-z0-9]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_MAX_NAME = 48


def type_of(path: str) -> str:
    """The known file type at the end of ``path`` in its usual spelling, or ``""``."""
    dot = path.rfind(".")
    ending = path[dot:].lower() if dot >= 0 else ""
    return _SAME.get(ending, ending) if ending in KNOWN_TYPES else ""


def file_terms(text: str) -> Iterator[str]:
    """Terms of every file type and file name in ``text``; names with holes or of examples give their type only."""
    if "." not in text:
        return
    for match in _FILE.finditer(text):
        ending = match["type"].lower()
        if ending not in KNOWN_TYPES or "://" in match["path"]:
            continue
        if not match["name"] and match["path"].strip("*/."):
            continue
        yield _SAME.get(ending, ending)
        name = match["name"].lower()
        if name and not _HOLE.search(name) and not _is_generic(name):
            yield f"{name}{ending}"


def name_term(text: str) -> str:
    """A declared name as a term: ``Mask Instructions`` and ``maskInstructions`` are ``mask-instructions``."""
    words = _NAME_WORDS.findall(_CAMEL.sub(" ", text).lower())
    term = "-".join(words)
    return term if 0 < len(words) <= 5 and 3 <= len(term) <= _MAX_NAME else ""


def _is_generic(name: str) -> bool:
    words = _NAME_WORDS.findall(name)
    return all(word in _GENERIC_STEMS or word.isdigit() or len(word) < 2 for word in words)
