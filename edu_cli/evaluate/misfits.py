"""Labels that nothing in the corpus can fit: a section, page or text that its document does not have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from edu_cli.evaluate.items import Item, Relevant
from edu_cli.evaluate.nearest import nearest
from edu_cli.evaluate.relevance import fits_page, fits_section, fits_text
from edu_cli.types import StoredParent

ParentsOf = Callable[[str], Iterable[StoredParent]]
_WANTED_BY = 3  # questions that a remark names
_SHOWN = 40  # characters of a text that is not there


def misfits(items: Sequence[Item], docs: Iterable[str], parents_of: ParentsOf) -> list[str]:
    """A remark on each label that no passage of its document fits; `parents_of` gives a document's by its path.

    Labels that name no document are not looked up (the whole corpus would be read), nor those of unknown documents.
    """
    known = set(docs)
    wanted: dict[str, dict[Relevant, list[str]]] = {}
    for item in items:
        for entry in item.relevant:
            if entry.doc in known and entry.grain != "file":
                wanted.setdefault(entry.doc or "", {}).setdefault(entry, []).append(item.id)
    return list(_remarks(wanted, parents_of))


def _remarks(wanted: dict[str, dict[Relevant, list[str]]], parents_of: ParentsOf) -> Iterator[str]:
    for doc, entries in wanted.items():
        parents = list(parents_of(doc))
        for entry, ids in entries.items():
            reason = _misfit(entry, parents)
            if reason:
                more = " …" if ids[_WANTED_BY:] else ""
                yield f"{doc!r} has no {reason} (wanted by {', '.join(ids[:_WANTED_BY])}{more})"


def _misfit(entry: Relevant, parents: Sequence[StoredParent]) -> str:
    """What the document has not, and what it has instead; "" where a passage fits the entry."""
    left = list(parents)
    if entry.section is not None:
        left = [parent for parent in left if fits_section(entry.section, parent.section)]
        if not left:
            return _no_section(entry.section, parents)
    where = f" in section {entry.section!r}" if entry.section else ""
    if entry.page is not None:
        pages = sorted({page for one in left for page in (one.page, one.page_end) if page is not None})
        left = [parent for parent in left if fits_page(entry.page, parent.page, parent.page_end)]
        if not left:
            return f"page {entry.page}{where}; {_named(pages)}"
        where += f" on page {entry.page}"
    if entry.contains is not None and not any(fits_text(entry.contains, parent.text) for parent in left):
        shown = entry.contains if len(entry.contains) <= _SHOWN else entry.contains[:_SHOWN] + "…"
        return f"passage{where} that contains {shown!r}"
    return ""


def _named(pages: Sequence[int]) -> str:
    if not pages:
        return "it has no pages"
    return f"its pages are {pages[0]} to {pages[-1]}" if pages[1:] else f"its only page is {pages[0]}"


def _no_section(section: str, parents: Sequence[StoredParent]) -> str:
    headings = list(dict.fromkeys(heading for parent in parents for heading in parent.section))
    instead = f"the nearest is {nearest(section, headings)!r}" if headings else "it has no headings"
    return f"section {section!r}; {instead}"
