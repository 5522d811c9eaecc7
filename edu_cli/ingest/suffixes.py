"""What file extensions promise: the formats that are loaded, and why the rest is left out."""

from __future__ import annotations

from typing import Literal

Format = Literal[
    "text", "markdown", "html", "mht", "pdf", "docx", "pptx", "xlsx", "doc", "ppt", "xls", "rtf", "odt", "odp", "ods",
    "wordml", "csv", "image", "code", "notebook", "encrypted-office", "archive",
]  # fmt: skip

TEXTUAL: frozenset[Format] = frozenset({"text", "markdown", "html", "mht", "csv", "code", "notebook"})

_DOCUMENTS: tuple[tuple[Format, str], ...] = (
    ("text", "txt text log rst tex srt vtt"),
    ("markdown", "md markdown mdown mkd mdx rmd qmd"),
    ("html", "html htm xhtml shtml"),
    ("mht", "mht mhtml"),
    ("pdf", "pdf"),
    ("docx", "docx docm dotx dotm"),
    ("pptx", "pptx pptm ppsx ppsm potx potm"),
    ("xlsx", "xlsx xlsm xltx xltm"),
    ("doc", "doc dot wps"),
    ("ppt", "ppt pps pot dps"),
    ("xls", "xls xlt et"),
    ("rtf", "rtf"),
    ("odt", "odt"),
    ("odp", "odp"),
    ("ods", "ods"),
    ("csv", "csv tsv"),
    ("image", "png jpg jpeg jpe jfif gif bmp dib webp tif tiff heic heif avif"),
    ("code", "py pyi java c h cc cpp cxx hpp hh cs go rs js mjs ts jsx tsx vue php rb pl lua r jl kt kts scala swift"),
    ("code", "m mm sh bash zsh bat ps1 sql css scss less asm s v sv vhd vhdl hs ml clj ex erl f f90 pas dart groovy"),
    ("code", "proto yaml yml toml ini cfg conf properties xml xsd cmake gradle"),
    ("notebook", "ipynb"),
)

_SKIPPED: tuple[tuple[str, str], ...] = (
    ("an archive: unpack it first", "rar 7z tar gz tgz bz2 xz zst lz4 cab iso dmg jar war whl deb rpm apk"),
    ("sound or video", "mp3 wav flac aac ogg m4a wma mp4 mkv avi mov wmv flv webm m4v mpg mpeg"),
    ("a program", "exe dll so dylib o a lib obj class pyc pyd bin msi com sys wasm"),
    (
        "a data file",
        "json jsonl ndjson db sqlite sqlite3 mdb accdb pkl pickle npy npz pt pth onnx safetensors h5 parquet",
    ),
    ("a font", "ttf otf ttc woff woff2 eot"),
    ("a drawing", "psd ai sketch fig xmind dwg svg ico emf wmf vsd vsdx drawio"),
    ("a temporary or link file", "tmp temp bak swp swo part crdownload download lock lnk url"),
    ("a format that is not supported", "epub mobi azw3 chm pages key numbers caj"),
)

FORMAT_OF_SUFFIX: dict[str, Format] = {suffix: kind for kind, suffixes in _DOCUMENTS for suffix in suffixes.split()}
REASON_OF_SUFFIX: dict[str, str] = {suffix: reason for reason, suffixes in _SKIPPED for suffix in suffixes.split()}


def suffix_of(name: str) -> str:
    """The extension without its dot, in lower case; "" where there is none."""
    stem, dot, suffix = name.rpartition(".")
    return suffix.strip().casefold() if dot and stem else ""
