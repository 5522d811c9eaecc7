"""What an office file says of itself: `docProps/core.xml` -> metadata."""

from __future__ import annotations

from edu_cli.ingest.office.ooxml import Package, local

_KEYS = {"creator": "author", "modified": "modified", "subject": "subject", "keywords": "keywords"}


def office_metadata(package: Package) -> dict[str, str]:
    """Author, subject, keywords and the ISO time of the last change, as far as they are filled in."""
    root = package.side_xml(package.related("", "core-properties") or "docProps/core.xml")
    found = {local(e): " ".join((e.text or "").split()) for e in (root if root is not None else ())}
    return {key: found[name] for name, key in _KEYS.items() if found.get(name)}
