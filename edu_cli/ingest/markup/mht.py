"""Web archives (.mht) -> the page inside them."""

from __future__ import annotations

import contextlib
import tempfile
from dataclasses import replace
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from pathlib import Path

from edu_cli.errors import LoadError
from edu_cli.ingest.markup.html import read_html
from edu_cli.ingest.options import LoadOptions
from edu_cli.ingest.scan import shown
from edu_cli.types import Document


def read_mht(path: Path, options: LoadOptions) -> Document:
    """The first HTML part, in the encoding that its header names; its pictures are left out."""
    message = BytesParser(policy=policy.default).parsebytes(path.read_bytes())
    part = next((part for part in message.walk() if part.get_content_type() == "text/html"), None)
    data = part.get_payload(decode=True) if isinstance(part, EmailMessage) else None
    if not isinstance(data, bytes) or part is None:
        raise LoadError(f"{shown(path.name)} holds no web page.", hint="save it as HTML")
    charset = part.get_content_charset()
    if charset:
        # The mark outranks what the page says of itself; where the header is wrong, the decoder judges the bytes.
        with contextlib.suppress(LookupError, UnicodeDecodeError):
            data = data.decode(charset).encode("utf-8-sig")
    with tempfile.TemporaryDirectory(prefix="edu-mht-") as folder:
        page = Path(folder) / "page.html"
        page.write_bytes(data)
        return replace(read_html(page, options), format="mht", encoding=charset)
