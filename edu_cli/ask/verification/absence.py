"""Sentences that tell of the material instead of its matter: that it does not say. No passage can bear them out."""

from __future__ import annotations

import re

from edu_cli.ask.verification.terms import plain

_MATERIAL = r"(?:资料|材料|文档|段落|文本|上下文|文中|原文|内容)"
_ABSENT = re.compile(
    rf"{_MATERIAL}(?:库|内容|片段)?(?:之?中|里|内|上)?[^。！？!?\n]{{0,4}}?(?:没有|并?未|无)(?:能|直接|明确|具体|详细|任何|足够)*(?:的)?"
    r"(?:提到|提及|提供|说明|给出|指出|包含|涉及|介绍|列出|规定|记载|描述|写|说|讲|找到|相关|关于|信息|答案)|"
    rf"(?:根据|依据|从|由|在)[^。！？!?\n]{{0,8}}?{_MATERIAL}[^。！？!?\n]{{0,6}}(?:无法|不能|没法|没有(?:提到|提及|找到|说明|给出|相关)|未(?:提到|提及|找到|说明|给出))|"
    rf"(?:没有|未|无法|不能)(?:能)?(?:在|从|根据)?[^。！？!?\n，,]{{0,8}}{_MATERIAL}[^。！？!?\n，,]{{0,4}}(?:找到|得知|判断|确定|回答|得出)|"
    r"\b(?:material|passages?|documents?|context|text)\b[^.!?\n]{0,20}\b(?:do(?:es)? not|don't|doesn't|no)\b"
    r"[^.!?\n]{0,12}\b(?:say|mention|state|contain|provide|specify|tell|include|information)"
)


def tells_absence(text: str) -> bool:
    """Whether a sentence says that the material has no word on something: 资料中没有提到…, 根据资料无法确定…."""
    return bool(_ABSENT.search(plain(text)))
