"""Tiny office files, written as raw XML where python-docx and python-pptx cannot say what a test needs."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

from edu_cli.errors import OcrUnavailableError
from edu_cli.ingest.office.docx import read_docx
from edu_cli.ingest.office.pptx import read_pptx
from edu_cli.ingest.options import LoadOptions, PictureText
from edu_cli.types import Block, Document

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006"
NAMESPACES = " ".join(
    f'xmlns:{prefix}="{uri}"'
    for prefix, uri in {
        "w": W,
        "r": f"{_OFFICE}/relationships",
        "m": f"{_OFFICE}/math",
        "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
        "p": "http://schemas.openxmlformats.org/presentationml/2006/main",
        "c": "http://schemas.openxmlformats.org/drawingml/2006/chart",
        "dgm": "http://schemas.openxmlformats.org/drawingml/2006/diagram",
        "pic": "http://schemas.openxmlformats.org/drawingml/2006/picture",
        "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
        "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
        "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
        "v": "urn:schemas-microsoft-com:vml",
        "o": "urn:schemas-microsoft-com:office:office",
    }.items()
)
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
# Any bytes that are long enough to be taken for a picture; the fakes below read them as text.
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(300)


class ScriptedPictures:
    """A PictureReader that reads every picture as the same text, or cannot load."""

    def __init__(self, text: str, *, loads: bool = True) -> None:
        self._text = text
        self._loads = loads
        self.n_read = 0

    def read(self, data: bytes) -> PictureText:
        if not self._loads:
            raise OcrUnavailableError("libGL.so.1 is missing.", hint="apt-get install libgl1")
        self.n_read += 1
        return PictureText((Block("paragraph", self._text),), 0.9)


def relations(*entries: tuple[str, str, str]) -> str:
    """A .rels part of (id, last word of the type, target)."""
    body = "".join(
        f'<Relationship Id="{key}" Type="{_OFFICE}/relationships/{kind}" Target="{target}"/>'
        for key, kind, target in entries
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{body}</Relationships>'


def write_docx(path: Path, body: str, parts: Mapping[str, str | bytes] | None = None, *, rels: str = "") -> Path:
    """A docx whose body is `body`; `parts` adds or replaces parts, `rels` those of the document."""
    default_rels = relations(
        ("rS", "styles", "styles.xml"),
        ("rN", "numbering", "numbering.xml"),
        ("rF", "footnotes", "footnotes.xml"),
        ("rE", "endnotes", "endnotes.xml"),
    )
    contents: dict[str, str | bytes] = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"/>',
        "_rels/.rels": relations(("r1", "officeDocument", "word/document.xml")),
        "word/_rels/document.xml.rels": rels or default_rels,
        "word/document.xml": f"<w:document {NAMESPACES}><w:body>{body}</w:body></w:document>",
        **(parts or {}),
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    return path


def part(name: str, inside: str) -> str:
    """A part of WordprocessingML: `part("styles", …)`."""
    return f"<w:{name} {NAMESPACES}>{inside}</w:{name}>"


def p(text: str, properties: str = "") -> str:
    """A paragraph of one run."""
    before = f"<w:pPr>{properties}</w:pPr>" if properties else ""
    return f'<w:p>{before}<w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>'


def cell(inside: str, properties: str = "") -> str:
    """A table cell."""
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{inside}</w:tc>"


def row(*cells: str, properties: str = "") -> str:
    """A table row of texts or finished cells."""
    made = "".join(c if c.startswith("<w:tc>") else cell(p(c)) for c in cells)
    return f"<w:tr><w:trPr>{properties}</w:trPr>{made}</w:tr>"


def table(*rows: str) -> str:
    """A table of finished rows."""
    return f"<w:tbl>{''.join(rows)}</w:tbl>"


def style(style_id: str, name: str, inside: str = "", based_on: str = "") -> str:
    """A paragraph style."""
    base = f'<w:basedOn w:val="{based_on}"/>' if based_on else ""
    return f'<w:style w:type="paragraph" w:styleId="{style_id}"><w:name w:val="{name}"/>{base}{inside}</w:style>'


def docx(path: Path, body: str, **parts: str) -> Document:
    """The document that is read of `body`; keyword arguments are the insides of styles, numbering, footnotes, …"""
    written = {f"word/{name}.xml": part(name, inside) for name, inside in parts.items()}
    return read_docx(write_docx(path / "测试.docx", body, written), LoadOptions())


def texts(document: Document) -> list[str]:
    """The text of every block."""
    return [block.text for block in document.blocks]


def pptx(path: Path, options: LoadOptions | None = None) -> Document:
    """Reads a deck."""
    return read_pptx(path, options or LoadOptions())
