"""Traditional and Simplified Chinese, so that a question in one script finds text in the other."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path

_UNENCODABLE = re.compile("[\ud800-\udfff]")  # lone surrogates, which no UTF-8 converter takes


def simplified(text: str) -> str:
    """`text` with Traditional characters as Simplified ones, phrase by phrase (計畫 -> 计划, but 圖畫 -> 图画)."""
    if text.isascii():
        return text
    return _converter("t2s")(_UNENCODABLE.sub("\ufffd", text))


def traditional(text: str) -> str:
    """`text` with Simplified characters as Traditional ones, phrase by phrase."""
    return _converter("s2t")(_UNENCODABLE.sub("\ufffd", text))


@functools.cache
def _converter(name: str) -> Callable[[str], str]:
    import opencc

    # An absolute path: given a bare name, OpenCC would prefer a file of that name in the working directory.
    return opencc.OpenCC(str(Path(opencc.__file__).parent / "clib" / "share" / "opencc" / f"{name}.json")).convert
