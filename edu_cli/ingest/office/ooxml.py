"""An Office Open XML package: its parts as XML trees, its relationships, and the refusal of bombs.

The trees are read with lxml straight from the zip: python-docx and python-pptx refuse strict files and files whose
relationships point nowhere, and show nothing of text boxes, fields, changes, formulas, charts and diagrams.
"""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple
from urllib.parse import unquote

from edu_cli.errors import LoadError
from edu_cli.ingest.scan import shown
from edu_cli.ingest.sniff import ZIP_DAMAGE

# lxml ships no types: an element is Any, and its tag without the namespace is what the readers look at.
Element = Any

# Bounds on what the package says it unpacks to; zipfile stops at the declared size, so that it cannot lie.
_XML_BYTES = 128 * 2**20
_PART_BYTES = 256 * 2**20
_PACKAGE_BYTES = 2 * 2**30
_PARTS = 50_000
_RATIO = 300  # XML packs 10 to 50 times; only bombs pack more than this past the first megabytes
_RATIO_FREE_BYTES = 16 * 2**20

# Strict files say the same in other namespaces; elements are matched by local name, so that only attributes matter.
_RELATIONSHIP = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_STRICT_RELATIONSHIP = "http://purl.oclc.org/ooxml/officeDocument/relationships"


class Relationship(NamedTuple):
    """Where a part points: `kind` is the last word of the type; `target` a part name, or an address if external."""

    kind: str
    target: str
    external: bool


class Package:
    """A docx or pptx file, open for reading. Part names carry no leading slash and are matched without case."""

    def __init__(self, path: Path) -> None:
        self._name = shown(path.name)
        self._zip = zipfile.ZipFile(path)
        try:
            refuse_bomb(self._zip, self._name)
        except LoadError:
            self._zip.close()
            raise
        self._parts = {info.filename.replace("\\", "/").lstrip("/").lower(): info for info in self._zip.infolist()}
        self.warnings: list[str] = []
        self._relationships: dict[str, dict[str, Relationship]] = {}

    def __enter__(self) -> Package:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._zip.close()

    def __contains__(self, part: str) -> bool:
        return part.lower() in self._parts

    def names(self) -> Iterator[str]:
        """The names of all parts, in lower case."""
        return iter(self._parts)

    def data(self, part: str) -> bytes:
        """The bytes of a part; b"" where there is none or it is damaged."""
        info = self._parts.get(part.lower())
        if info is None or info.file_size > _PART_BYTES:
            return b""
        try:
            return self._zip.read(info)
        except ZIP_DAMAGE:
            return b""

    def xml(self, part: str) -> Element | None:
        """The root element of a part; None where there is none.

        Raises LoadError for XML that is broken beyond repair, too large, or that declares entities, as Office never
        does. A part that is cut off is read as far as it goes.
        """
        info = self._parts.get(part.lower())
        if info is None:
            return None
        if info.file_size > _XML_BYTES:
            raise LoadError(f"{self._name} holds {info.file_size >> 20} MB of XML in {part}.", code="too_large")
        try:
            data = self._zip.read(info)
        except ZIP_DAMAGE as error:
            raise LoadError(f"{self._name} is damaged: {part} cannot be unpacked.", hint="save it again") from error
        return _parsed(data, part, self._name)

    def side_xml(self, part: str | None) -> Element | None:
        """As `xml` for a part that the document can do without: where it is damaged, None and a warning."""
        try:
            return self.xml(part) if part else None
        except LoadError as error:
            if error.code != "corrupt":
                raise
            self.warnings.append(f"{part} is damaged and was not read")
            return None

    def main_part(self) -> str:
        """The part that the package is about. Raises LoadError where there is none."""
        for relationship in self.relationships("").values():
            if relationship.kind == "officeDocument" and relationship.target in self:
                return relationship.target
        for usual in ("word/document.xml", "ppt/presentation.xml"):
            if usual in self:
                return usual
        raise LoadError(f"{self._name} is damaged: its main part is missing.", hint="save it again")

    def relationships(self, part: str) -> dict[str, Relationship]:
        """What `part` points to, by id; those that point nowhere are left out."""
        if part not in self._relationships:
            folder, name = posixpath.split(part)
            root = self.side_xml(posixpath.join(folder, "_rels", f"{name}.rels"))
            self._relationships[part] = dict(_relations(root, folder)) if root is not None else {}
        return self._relationships[part]

    def related(self, part: str, kind: str) -> str | None:
        """The first existing part of a kind that `part` points to."""
        for relationship in self.relationships(part).values():
            if relationship.kind == kind and not relationship.external and relationship.target in self:
                return relationship.target
        return None


def refuse_bomb(package: zipfile.ZipFile, name: str) -> None:
    """Raises LoadError for a zip that unpacks to more than any document holds."""
    infos = package.infolist()
    unpacked = sum(info.file_size for info in infos)
    packed = sum(info.compress_size for info in infos)
    is_dense = unpacked > _RATIO_FREE_BYTES and unpacked > _RATIO * max(packed, 1)
    if len(infos) > _PARTS or unpacked > _PACKAGE_BYTES or is_dense:
        raise LoadError(
            f"{name} unpacks to {unpacked >> 20} MB in {len(infos)} parts, as only a zip bomb does.", code="too_large"
        )


def local(element: Element) -> str:
    """The tag without its namespace; "" for comments and processing instructions."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Element, name: str, default: str = "") -> str:
    """An attribute by its local name, in whatever namespace the file writes it."""
    value = element.get(name)
    if value is not None:
        return value
    for key, value in element.attrib.items():
        if key.endswith("}" + name):
            return value
    return default


def whole_number(element: Element | None, name: str = "val", default: int = 0, most: int = 100_000) -> int:
    """A count in an attribute; `default` where it is absent or no number, never past `most`: files lie."""
    text = attribute(element, name) if element is not None else ""
    return min(int(text), most) if text.isascii() and text.isdecimal() and len(text) < 19 else default


def relation_id(element: Element, name: str = "id") -> str:
    """The relationship id in `r:id`, `r:embed`, …; "" where there is none."""
    return element.get(f"{{{_RELATIONSHIP}}}{name}") or element.get(f"{{{_STRICT_RELATIONSHIP}}}{name}") or ""


def child(element: Element | None, *names: str) -> Element | None:
    """The first child along a path of local names; None where a step is missing."""
    for name in names:
        if element is None:
            return None
        element = next((e for e in element if local(e) == name), None)
    return element


def children(element: Element | None, name: str) -> Iterator[Element]:
    """The children of a local name."""
    return (e for e in (element if element is not None else ()) if local(e) == name)


def descendants(element: Element | None, name: str) -> Iterator[Element]:
    """All elements of a local name below (and including) `element`, in document order."""
    return element.iter(f"{{*}}{name}") if element is not None else iter(())


def is_on(element: Element | None) -> bool:
    """A switch such as `w:vanish`: on where it stands without a value or with a true one."""
    return element is not None and attribute(element, "val", "true").lower() not in ("false", "0", "off")


def chosen(alternate: Element) -> Element | None:
    """The branch of `mc:AlternateContent` to read: the first with text, a picture or a formula in it, one only."""
    branches = [branch for branch in alternate if local(branch) in ("Choice", "Fallback")]
    telling = {"t", "blip", "imagedata", "oMath", "chart", "relIds"}
    return next((b for b in branches if any(local(e) in telling for e in b.iter())), branches[0] if branches else None)


def _parsed(data: bytes, part: str, name: str) -> Element | None:
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue] - compiled, without stubs

    def read(*, recover: bool) -> Element | None:
        # huge_tree lifts limits of depth and text length; entities are never expanded and sizes are bounded above.
        parser = etree.XMLParser(
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=True,
            recover=recover,
            remove_comments=True,
        )
        return etree.fromstring(data, parser)

    if not data.strip():
        return None
    if any("<!DOCTYPE".encode(encoding) in data for encoding in ("ascii", "utf-16-le", "utf-16-be")):
        raise LoadError(f"{name} declares XML entities in {part}, as only an entity bomb does.", code="too_large")
    try:
        root = read(recover=False)
    except etree.XMLSyntaxError:
        root = read(recover=True)
    if root is None:
        raise LoadError(f"{name} is damaged: {part} is no XML.", hint="save it again")
    return root


def _relations(root: Element, folder: str) -> Iterator[tuple[str, Relationship]]:
    for element in children(root, "Relationship"):
        target = element.get("Target", "")
        external = element.get("TargetMode") == "External"
        if not external:
            path = unquote(target.replace("\\", "/"))
            target = posixpath.normpath(posixpath.join("/" + folder, path)).lstrip("/")
        kind = element.get("Type", "").rpartition("/")[2]
        yield element.get("Id", ""), Relationship(kind, target, external)
