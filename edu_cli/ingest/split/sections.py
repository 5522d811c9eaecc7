"""Document -> Sections: the blocks that stand under one heading path."""

from __future__ import annotations

from collections.abc import Sequence

from edu_cli.types import Block, Document, Section


def to_sections(document: Document) -> tuple[Section, ...]:
    """The document cut at every heading, in order.

    A heading that only leads to deeper headings lives on in their paths. Headings with nothing under them at all (a
    bare list of topics) become one section under what they share, its blocks being the headings. Each entry of an FAQ
    table (they come first) is a section of its own.
    """
    entries = tuple(Section(path=(), blocks=(block,)) for block in document.blocks[: len(document.faq)])
    return (*entries, *_headed(document.blocks[len(document.faq) :]))


def _headed(blocks: Sequence[Block]) -> list[Section]:
    found: list[Section] = []
    path: list[Block] = []
    held: list[Block] = []
    bare: list[Block] = []
    for block in blocks:
        if block.kind != "heading":
            held.append(block)
            continue
        if held:
            _close(found, path, held, bare)
            held = []
        elif path and block.level <= path[-1].level:
            bare.append(path[-1])
        kept = [heading for heading in path if heading.level < block.level]
        if bare and kept != path[:-1]:
            _close_bare(found, path[:-1], bare)
        path = [*kept, block]
    if held:
        _close(found, path, held, bare)
    elif path:
        _close_bare(found, path[:-1], [*bare, path[-1]])
    return found


def _close(found: list[Section], path: list[Block], held: list[Block], bare: list[Block]) -> None:
    _close_bare(found, path[:-1], bare)
    found.append(Section(path=_titles(path), blocks=tuple(held)))


def _close_bare(found: list[Section], path: list[Block], bare: list[Block]) -> None:
    if bare:
        found.append(Section(path=_titles(path), blocks=tuple(bare)))
        bare.clear()


def _titles(path: list[Block]) -> tuple[str, ...]:
    return tuple(heading.text for heading in path)
