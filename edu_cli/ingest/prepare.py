"""A loaded document -> what the catalog will hold of it: parents, children, and ids that depend on content alone."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from edu_cli.config import SplitSettings
from edu_cli.errors import LoadError
from edu_cli.ingest.plan import PlannedFile
from edu_cli.ingest.split.splitter import choose_profile, encoding_text, split
from edu_cli.text import content_id
from edu_cli.types import CatalogChild, CatalogDocument, CatalogParent, Document, Parent, Profile


@dataclass(frozen=True, slots=True)
class Place:
    """Where a document belongs."""

    root_id: int
    tenant: str
    recipe: str


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document ready to be stored, the encoding texts of its children by key, and the time it took."""

    file: PlannedFile
    document: CatalogDocument
    texts: Mapping[str, str]
    seconds: float = 0.0


def prepare(
    file: PlannedFile, document: Document, place: Place, *, profile: Profile | None, settings: SplitSettings
) -> Prepared:
    """Splits a document (`profile` None: as its content asks) and names its parts.

    A child's id depends on all that its vector row holds, so that rows never change: they come and go.
    """
    document = _encodable(document)
    chosen = profile or choose_profile(document)
    seen: Counter[str] = Counter()
    texts: dict[str, str] = {}
    parents = tuple(_named(file, document.title, parent, seen, texts) for parent in split(document, chosen, settings))
    ids = [parent.parent_id for parent in parents] + [c.child_id for parent in parents for c in parent.children]
    kept = replace(
        _bare(file, place, document.format),
        digest=content_id(file.doc_id, file.path, file.subject, document.title, *ids),
        title=document.title,
        encoding=document.encoding,
        pages=document.pages,
        pages_ocr=document.pages_ocr,
        warnings=document.warnings,
        metadata=document.metadata,
        faq=document.faq,
        profile=chosen,
        parents=parents,
    )
    return Prepared(file, kept, texts)


def prepare_failed(file: PlannedFile, error: LoadError, place: Place) -> Prepared:
    """A document that could not be loaded: it keeps its place, and nothing of it can be found."""
    said = f"{error.message.removesuffix('.')} ({error.hint})." if error.hint else error.message
    return Prepared(file, replace(_bare(file, place, ""), error=(error.code, said)), {})


def _bare(file: PlannedFile, place: Place, format_: str) -> CatalogDocument:
    return CatalogDocument(
        doc_id=file.doc_id,
        root_id=place.root_id,
        path=file.path,
        tenant=place.tenant,
        subject=file.subject,
        stamp=file.stamp,
        content_hash=file.content_hash,
        recipe=place.recipe,
        format=format_,
        digest="",
    )


def _named(file: PlannedFile, title: str, parent: Parent, seen: Counter[str], texts: dict[str, str]) -> CatalogParent:
    """A parent with its ids. Equal parents of a document are told apart by how many came before, not by their place,
    so that an insertion leaves the ids of all that follows as they were.
    """
    content = content_id(json.dumps(parent.section), parent.text)
    parent_id = content_id("parent", file.doc_id, content, str(seen[content]))
    seen[content] += 1
    children = []
    for child in parent.children:
        text = encoding_text(title, parent, child)
        key = content_id(text)
        texts[key] = text
        child_id = content_id("child", parent_id, file.subject, str(child.start), str(child.end), key)
        children.append(CatalogChild(child_id, child, key))
    return CatalogParent(parent_id, parent, tuple(children))


def _encodable(document: Document) -> Document:
    """The document without lone surrogates, which neither SQLite nor JSON can keep."""
    try:
        document.title.encode()
        for block in document.blocks:
            block.text.encode()
            block.header.encode()
    except UnicodeEncodeError:
        blocks = tuple(replace(b, text=_mended(b.text), header=_mended(b.header)) for b in document.blocks)
        warnings = (*document.warnings, "characters that no encoding knows were replaced by ?")
        return replace(document, title=_mended(document.title), blocks=blocks, warnings=warnings)
    return document


def _mended(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
