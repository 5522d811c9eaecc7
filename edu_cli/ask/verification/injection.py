"""Sentences of the material that address the assistant instead of the reader: data all the same, but no evidence."""

from __future__ import annotations

import functools
import re

from edu_cli.ask.verification.terms import plain
from edu_cli.text import sentences

_OVERRIDE = re.compile(
    r"(?:忽略|无视|不要理会|不要遵守|忘记|忘掉|抛开|覆盖)[^。！？!?\n]{0,12}(?:规则|指令|指示|提示|要求|说明|设定|对话|内容)|"
    r"(?:从现在(?:起|开始)|接下来|今后)[^。！？!?\n]{0,20}(?:回答|回复|输出|扮演|只说)|无论[^。！？!?\n]{0,12}(?:问|提问)[^。！？!?\n]{0,12}(?:回答|回复|输出|说)|"
    r"(?:你|请)(?:现在)?(?:必须|只能|务必|应当)?(?:扮演|假装|充当)|(?:作为|你是)[^。！？!?\n]{0,10}(?:ai|人工智能助手|语言模型|助手)[^。！？!?\n]{0,20}(?:必须|应当|请|要)|"
    r"(?:泄露|输出|打印|告诉我)[^。！？!?\n]{0,8}(?:系统提示|system prompt|提示词|密钥|api key)|标为来源|"
    r"\b(?:ignore|disregard|forget|override)\b[^.!?\n]{0,40}\b(?:instructions?|rules?|prompts?|context|above|previous)\b|"
    r"\b(?:you are now|from now on|act as|pretend to be|reply only with|respond only with|"
    r"always (?:answer|reply|respond))\b|"
    r"^\s*(?:system|assistant|developer)\s*[:：]|<\|im_start\|>|\[/?inst\]",
    re.IGNORECASE,
)
_PAYLOAD = re.compile(r"[“\"「『'`]([^”\"」』'`\n]{2,60})[”\"」』'`]")
_FORGED_TURN = re.compile(
    r"^\s*(?:#+\s*)?(?:question|answer|user|assistant|system|human|问题|回答|答案|用户|助手|系统)\s*[:：]",
    re.IGNORECASE,
)


@functools.lru_cache(maxsize=512)
def instructions(text: str) -> tuple[tuple[int, int], ...]:
    """Spans of the sentences in `text` that give orders to an assistant, and of those that repeat what they dictate."""
    spans = sentences(text)
    ordering = [span for span in spans if _OVERRIDE.search(plain(text[span[0] : span[1]]))]
    if not ordering:
        return ()
    dictated = {plain(m) for start, end in ordering for m in _PAYLOAD.findall(text[start:end])}
    return tuple(
        (start, end)
        for start, end in spans
        if (start, end) in ordering
        or any(payload in plain(text[start:end]) for payload in dictated)
        or _FORGED_TURN.match(text[start:end])
    )


def evidence(text: str) -> str:
    """`text` with those sentences blanked out, offsets kept: what may bear out a claim or be quoted as an answer."""
    for start, end in instructions(text):
        text = text[:start] + " " * (end - start) + text[end:]
    return text
