"""Pages of forms that the project's reader does not know -> (file name, text) of pages that it reads."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path

_FONT = re.compile(r"\\f[A-Z]|\\f\([A-Z]{2}|\\f\[\w*\]")
_REQUEST = re.compile(r"^[.']\s*([A-Za-z]{1,3})\b\s*(.*)$")
_PARAGRAPH = frozenset(("PP", "LP", "P", "TP", "IP", "HP", "sp", "br", "RS", "RE"))
_SHOWN = frozenset(("B", "I", "BR", "IR", "RB", "RI", "BI", "IB", "SM", "SB"))  # requests whose words are text
_NAME = re.compile(r"^(.+?)\s*(?:-{1,2}|—|–)\s+(.+)$", re.DOTALL)


def man_page(path: Path) -> Iterator[tuple[str, str]]:
    """A manual page: its one-line description is the heading of its first longer section; the others keep theirs."""
    name = path.name.removesuffix(".gz")
    sections = _man_sections(gzip.decompress(path.read_bytes()).decode("utf-8", "replace"))
    if len(sections) < 2 or not (named := _NAME.match(sections[0][1].strip())):
        return
    said = " ".join(named[2].split())
    body = [f"# {name.rsplit('.', 1)[0]}"]
    for heading, text in sections[1:]:
        told = len(text) > 120 and said  # the synopsis is no answer
        body.append(f"## {said if told else heading}\n\n{text}")
        said = "" if told else said
    yield f"{name}.md", "\n\n".join(body) + "\n"


def _man_sections(source: str) -> list[tuple[str, str]]:
    """(heading, text) of the sections of a page in man's macros."""
    sections: list[tuple[str, list[str]]] = []
    for raw in source.splitlines():
        request = _REQUEST.match(raw)
        text = _plain(request[2] if request else raw)
        if request and request[1] in ("SH", "SS"):
            sections.append((text.strip('" '), []))
        elif sections and request and request[1] in _PARAGRAPH:
            sections[-1][1].append("\n\n" + (text.strip('" ') if request[1] == "IP" else ""))
        elif sections and (not request or request[1] in _SHOWN):
            sections[-1][1].append(text.replace('"', "") if request else text)
    return [(heading, re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()) for heading, lines in sections]


def _plain(line: str) -> str:
    line = _FONT.sub("", line)
    line = re.sub(r'\\"(?:.*)$', "", line)
    return re.sub(r"\\[&|^/,)]", "", line).replace(r"\-", "-").replace(r"\e", "\\").replace("\\ ", " ")


def linux_command(path: Path) -> Iterator[tuple[str, str]]:
    """A command's page: the line that says what it does is the heading of the section under it."""
    text = path.read_text(encoding="utf-8")
    head, _, rest = text.partition("\n## ")
    lines = [line.strip() for line in head.splitlines() if line.strip(" =")]
    if len(lines) < 2 or not rest:
        return
    _, _, body = rest.partition("\n")  # its own heading says only that more is told
    yield f"{path.stem}.md", f"# {lines[0]}\n\n## {lines[1].rstrip('。')}\n\n{body}"


def mallard(path: Path) -> Iterator[tuple[str, str]]:
    """A page of GNOME's help."""
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue] - compiled, without stubs

    root = etree.parse(str(path), etree.XMLParser(resolve_entities=False, no_network=True)).getroot()
    lines: list[str] = []
    for node in root.iter():
        kind = etree.QName(node).localname if isinstance(node.tag, str) else ""
        if kind not in ("title", "p") or "info" in {etree.QName(a).localname for a in node.iterancestors()}:
            continue
        words = " ".join("".join(node.itertext()).split())
        above = node.getparent()
        under = etree.QName(above).localname if above is not None else ""
        lines.append({"page": f"# {words}", "section": f"## {words}"}.get(under, words) if kind == "title" else words)
    yield f"{path.stem}.md", "\n\n".join(lines) + "\n"


def electron_pages(path: Path) -> Iterator[tuple[str, str]]:
    """All pages of Electron's documentation in Simplified Chinese, which one file holds."""
    for slug, page in sorted(json.loads(path.read_text(encoding="utf-8"))["zh-CN"].items()):
        yield f"{slug.replace('/', '-')}.html", f"<html><body>{page['html']}</body></html>"
