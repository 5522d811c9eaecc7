"""What people wrote into a PDF: comments, and form fields whose value is not painted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from edu_cli.ingest.layout.line import Line
from edu_cli.ingest.pdf.glyphs import clean

_LINK, _FREE_TEXT, _POPUP, _WIDGET = 1, 2, 16, 19


def comments(page: Any, painted: str) -> list[str]:
    """The contents of notes, highlights and the like, and of text boxes that the text layer lacks."""
    shown = _bare(painted)
    found = []
    for annotation in page.annots():
        content = clean(str(annotation.info.get("content") or "").replace("\r", "\n")).strip()
        kind = annotation.type[0]
        if not content or kind in (_LINK, _POPUP, _WIDGET) or (kind == _FREE_TEXT and _bare(content) in shown):
            continue
        found.append(content)
    return list(dict.fromkeys(found))


def unpainted_fields(page: Any, lines: Sequence[Line], em: float) -> list[Line]:
    """Values of form fields that no line shows, as lines in the place of the field."""
    shown = _bare("".join(line.text for line in lines))
    found = []
    for field in page.widgets():
        value = clean(str(field.field_value or "")).strip()
        if field.field_type_string not in ("Text", "ComboBox", "ListBox") or not value or _bare(value) in shown:
            continue
        x0, y0, x1, y1 = field.rect
        middle = (y0 + y1) / 2
        found.append(Line(value, (x0, middle - em / 2, x1, middle + em / 2), em))
    return found


def _bare(text: str) -> str:
    return re.sub(r"\s+", "", text)
