"""A heading for every slide: its title, else its first line, else the title of the slides that it continues."""

from __future__ import annotations

import re
from dataclasses import replace

from edu_cli.ingest.office.pptx_shapes import SlideContent

_LINE_CHARS = range(4, 41)  # a first line within this reads as a title; shorter ones are labels ("令", "解：")
_HAN = re.compile(r"[\u3400-\u9fff]")
_SUFFIX = "（续）"


def titled(content: SlideContent, page: int, last_title: str) -> SlideContent:
    """`content` with a title. A first line that is taken for it leaves the body; `last_title` is the slide before's."""
    if content.title:
        return content
    first = content.blocks[0] if content.blocks else None
    line, _, rest = first.text.partition("\n") if first is not None else ("", "", "")
    line = line.removeprefix("- ").strip()
    if first is None or first.kind not in ("paragraph", "list") or not _is_title(line, content):
        return replace(content, title=_continued(page, last_title))
    left = [replace(first, text=rest)] if rest else []
    return replace(content, title=line, blocks=[*left, *content.blocks[1:]])


def _is_title(line: str, content: SlideContent) -> bool:
    if len(line) not in _LINE_CHARS or line.endswith(("。", "；", "，", "：", ",", ";", ":", ".")):
        return False
    # What OCR reads first is a title on a slide that is a picture; in a picture beside text it is a label of an axis.
    return not content.is_lead_read or (not content.has_text and len(_HAN.findall(line)) >= _LINE_CHARS.start)


def _continued(page: int, last_title: str) -> str:
    return f"{last_title.removesuffix(_SUFFIX)}{_SUFFIX}" if last_title else f"第 {page} 页"
