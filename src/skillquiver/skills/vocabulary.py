"""Words the engine knows: file types, programs, packages, calls and verbs. Data only; each table says why.

The tables are evidence rules, not a catalogue: a missing word costs recall, a wrong one makes false edges.
"""

from __future__ import annotations

from collections.abc import Mapping


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _pairs(text: str) -> dict[str, str]:
    """``a=b`` words; ``a=`` stands for an empty value, ``_`` in a key for a blank."""
    return dict(pair.split("=", 1) for pair in text.split())


KNOWN_TYPES = _words(
    """
    .pdf .docx .doc .xlsx .xls .xlsm .pptx .ppt .odt .ods .odp .rtf .epub .tex .bib .ris .md .mdx .rst .adoc
    .txt .html .htm .css .scss .ipynb .eml .msg .mbox .ics .vcf .vsdx .drawio .excalidraw .mmd .puml .canvas
    .csv .tsv .json .jsonl .ndjson .json5 .yaml .yml .toml .xml .xsd .xsl .parquet .feather .arrow .avro
    .orc .sqlite .db .duckdb .sql .hdf5 .h5 .h5ad .loom .mat .npy .npz .pkl .rds .sav .dta .sas7bdat .proto
    .ini .graphql .log .har .pcap .pcapng .evtx .stix .sarif .lock .env .conf .cfg .properties .plist .png
    .jpg .jpeg .gif .svg .webp .tif .tiff .bmp .heic .psd .ico .eps .dcm .nii .wav .mp3 .m4a .flac .ogg .aac
    .mid .mp4 .mov .avi .mkv .webm .srt .vtt .ass .stl .obj .glb .gltf .step .stp .iges .dxf .dwg .ply .usdz
    .3mf .gcode .fbx .blend .ifc .las .laz .fasta .fa .fastq .fq .bam .sam .cram .bed .gff .gtf .pdb .cif
    .mol .mol2 .sdf .smi .xyz .mzml .fits .nc .grib .shp .geojson .gpkg .kml .kmz .gpx .tcx .fit .edf .nwb
    .nwk .newick .phy .inp .pddl .lp .mps .onnx .pt .pth .safetensors .gguf .tflite .pb .joblib .zip .tar
    .gz .tgz .7z .whl .jar .apk .ipa .exe .dll .so .wasm .sol .abi .tf .tfvars .tfstate .hcl .v .sv .vhd
    .pem .crt .key .p12 .pyc .elf .bin .hex .dockerfile .py .js .ts .tsx .jsx .mjs .sh .ps1 .r .rb .go .rs
    .java .kt .swift .c .cpp .h .cs .php .lua .vue
    """
)
"""File types that are evidence of an artifact; other suffixes are more often a domain or a member."""

SAME_TYPE: Mapping[str, str] = _pairs(
    """
    .yml=.yaml .htm=.html .jpeg=.jpg .tif=.tiff .ndjson=.jsonl .hdf5=.h5 .stp=.step .fq=.fastq .fa=.fasta
    .tgz=.gz .newick=.nwk
    """
)
"""Spellings of one type."""

TYPE_WORDS: Mapping[str, str] = {
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
"""Words of prose for file types, in any case."""

ACRONYMS: Mapping[str, str] = {
    word: f".{word.lower()}"
    for word in _words(
        """
        PDF DOCX XLSX XLS PPTX CSV TSV JSON JSONL YAML XML HTML SVG PNG JPG GIF WEBP EPUB MP3 MP4 WAV FLAC SRT
        VTT STL DXF DWG GPX KML BAM VCF PDB SDF PCAP SARIF ODT RTF TOML ZIP GLTF GLB IFC SQLITE
        """
    )
} | {"JPEG": ".jpg", "DICOM": ".dcm"}
"""Words in capitals that are file types as they stand."""

GENERIC_STEMS = _words(
    """
    input output in out file files data dataset example sample test doc document documents report result
    results my foo bar name filename path temp tmp image img photo picture video audio page pages image1
    image2 file1 file2 doc1 doc2 a b c x y z new old source src target dest copy final draft text content
    contents
    """
)
"""Names of examples, not of artifacts: only their type counts."""

FRAMEWORKS = _words(
    """
    node.js next.js vue.js nuxt.js react.js express.js three.js d3.js chart.js socket.io p5.js alpine.js
    ember.js backbone.js angular.js discord.js ethers.js web3.js day.js moment.js tensorflow.js
    transformers.js hyperledger.js nest.js fabric.js konva.js plotly.js leaflet.js gsap.js video.js hls.js
    anime.js lemonsqueezy.js phaser.js babylon.js bull.js pixi.js matter.js solid.js supabase.js
    puppeteer.js mermaid.js reveal.js asp.net
    """
)
"""Libraries that are spelled like files."""

WRAPPERS = _words(
    """
    sudo time nohup env exec command xargs then do else if elif while until ! nice timeout watch doas
    caffeinate
    """
)
"""Words of a shell line before the program that runs."""

COMMON = _words(
    """
    cd echo printf ls cat mkdir rm rmdir cp mv ln touch chmod chown pwd export set unset source alias read
    test true false exit return break continue shift trap wait eval local declare typeset readonly let
    function for case esac done fi in select until head tail sort uniq wc cut tr tee less more grep egrep
    fgrep sed awk find which whereis type whoami id date sleep kill pkill ps top df du diff basename dirname
    realpath readlink stat file clear history man seq yes tput stty umask ulimit hash help jobs fg bg pushd
    popd printenv hostname uname sh bash zsh fish su open start end note example output input error warning
    usage if while the this you your and or not to of is it etc run use see step add install with as on at
    by be get gzip gunzip tar zip unzip package pkg library lib name your-package my-package package-name
    root main mount all part round suffix player expires sync function end begin select from where insert
    create update delete not-found no ok
    """
)
"""Builtins, core utilities, placeholders and words of prose: they say nothing about a skill."""

INTERPRETERS = _words(
    """
    Rscript bash bun deno node npx perl pwsh python python2 python3 ruby sh source tsx uv zsh
    """
)
"""Programs whose first argument may be a bundled script."""

LAST_IS_OUTPUT = _words(
    """
    ffmpeg convert magick pdftotext pdftoppm pdftohtml qpdf sox gs wkhtmltopdf mmdc inkscape cwebp
    rsvg-convert ogr2ogr gdal_translate gdalwarp ebook-convert docx2txt html2text pdfunite
    """
)
"""Converters whose last file is what they write."""

READERS = _words(
    """
    pandoc soffice libreoffice tesseract ffprobe jq yq duckdb pdfinfo pdffonts exiftool samtools bcftools
    """
)
"""Programs whose named files are read."""

DISTRIBUTIONS: Mapping[str, str] = _pairs(
    """
    cv2=opencv-python pil=pillow sklearn=scikit-learn skimage=scikit-image bs4=beautifulsoup4 yaml=pyyaml
    docx=python-docx pptx=python-pptx fitz=pymupdf dotenv=python-dotenv bio=biopython crypto=pycryptodome
    dateutil=python-dateutil jwt=pyjwt serial=pyserial git=gitpython attr=attrs faiss=faiss-cpu
    """
)
"""Python import name (lower case) → name of the package that is installed."""

LOCAL_MODULES = _words(
    """
    app apps src lib libs core common utils util helpers helper config configs settings models model main
    module modules services service schemas schema database db api tests test scripts script tools types
    constants your_module my_module mymodule myapp my_app your_app mypackage my_package package project
    handlers routes views components shared base client server agent agents pipeline your_package yourapp
    example examples
    """
)
"""Import names of an example's own files."""

NODE_MODULES = _words(
    """
    fs path os http https http2 url util crypto stream events child_process cluster net dns tls zlib
    readline assert buffer process querystring timers vm worker_threads perf_hooks string_decoder module
    console test
    """
)
"""Modules that Node.js brings itself."""

READ_CALLS: Mapping[str, str] = _pairs(
    """
    read_csv=.csv read_excel=.xlsx read_json=.json read_parquet=.parquet read_table= read_html=.html
    read_feather=.feather read_hdf=.h5 read_stata=.dta read_sas= scan_csv=.csv scan_parquet=.parquet
    load_workbook=.xlsx pdfreader=.pdf pdfplumber.open=.pdf fitz.open=.pdf pymupdf.open=.pdf
    convert_from_path=.pdf image.open= imread= librosa.load= sf.read= wavfile.read=.wav torchaudio.load=
    json.load=.json csv.reader=.csv csv.dictreader=.csv np.load= numpy.load= loadtxt= genfromtxt=
    loadmat=.mat rasterio.open= open_dataset= xr.open_dataset=.nc read_h5ad=.h5ad read_file= trimesh.load=
    videocapture= readfilesync= readfile= read.csv=.csv readrds=.rds readcsv=.csv seqio.parse=
    fits.open=.fits nib.load=.nii dcmread=.dcm audiosegment.from_file= videofileclip= document=
    presentation= yaml.safe_load=.yaml tomllib.load=.toml pysam.alignmentfile=.bam onnx.load=.onnx
    """
)
"""Calls that read, with the type they imply when their argument does not say."""

WRITE_CALLS: Mapping[str, str] = _pairs(
    """
    to_csv=.csv to_excel=.xlsx to_json= to_parquet=.parquet to_html= to_feather=.feather to_stata=.dta
    to_hdf=.h5 to_markdown= savefig=.png write_html=.html write_image= write_csv=.csv write_parquet=.parquet
    write_h5ad=.h5ad imwrite= savetxt= np.save=.npy np.savez=.npz np.savez_compressed=.npz json.dump=.json
    csv.writer=.csv csv.dictwriter=.csv writefilesync= writefile= write.csv=.csv saverds=.rds ggsave=
    sf.write= wavfile.write=.wav save= export= write_videofile=.mp4 yaml.dump= yaml.safe_dump=
    excelwriter=.xlsx torch.onnx.export=.onnx torch.save=.pt joblib.dump=.joblib to_file= savemat=.mat
    write_text= videowriter= simpledoctemplate=.pdf xlsxwriter.workbook=.xlsx screenshot= pdf=
    """
)
"""Calls that write, with the type they imply when their argument does not say."""

INWARD = _words(
    """
    read reads reading parse parses parsing extract extracts extracting analyze analyzes analyzing analyse
    load loads loading import imports importing ingest ingests ingesting open opens process processes
    processing from merge merges merging split splits splitting fill fills filling ocr
    """
)
"""Words of a description after which a file type is read."""

OUTWARD = _words(
    """
    write writes writing create creates creating generate generates generating produce produces producing
    export exports exporting save saves saving output outputs build builds building render renders rendering
    draft drafts drafting
    """
)
"""… is written."""

BOTH_WAYS = _words(
    """
    edit edits editing modify modifies modifying manipulate manipulates manipulating manipulation annotate
    annotates annotating redact redacts redacting
    """
)
"""… is read and written."""

CONVERTING = _words(
    """
    transcribe transcribes transcribing convert converts converting conversion transform transforms
    transforming turn turns translate translates
    """
)
"""… is read, and after the next ``to`` is written."""

CLAUSE_ENDS = _words(
    """
    . ; ! ? not never without when if instead
    """
)
"""What ends the reach of a verb."""

PROTOCOL_WORDS = _words(
    """
    api apis injection ld parser path rpc schema schemas token tokens validation viewer web
    """
)
"""``JSON API``, ``JSON-LD``, ``XML injection``: not a file that goes in or out."""

ATTRIBUTES = _words(
    """
    id ids name names type types timestamp date time format level levels mode threshold count status version
    url size limit score enabled options depth scope range rate seconds minutes days key method language
    framework
    """
)
"""Last words of property names that say how, not what."""
