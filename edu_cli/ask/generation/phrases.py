"""What `ask` says by itself, in the language of the question."""

from __future__ import annotations

from collections.abc import Sequence

from edu_cli.ask.generation.context import heading
from edu_cli.text import cjk_share
from edu_cli.types import Passage

REFUSAL = {"zh": "资料中没有相关内容。", "en": "The material does not say."}
NO_LLM = "no LLM is configured: the answer is made of sentences of the material (set EDU_LLM_MODEL for written answers)"
_NEAREST = 3


def language(question: str) -> str:
    """`zh` where the question has any Chinese in it, else `en`."""
    return "zh" if cjk_share(question) > 0 else "en"


def unanswered(question: str, parts: Sequence[str]) -> str:
    """A line for the parts of a question that the material does not answer."""
    zh = language(question) == "zh"
    return ("资料中没有找到可靠的答案：" if zh else "The material holds no reliable answer to: ") + " ".join(parts)


def decline(question: str, passages: Sequence[Passage], contact: str) -> str:
    """A refusal that names the nearest sections and whom to ask."""
    spoken = language(question)
    zh = spoken == "zh"
    lines = ["资料中没有找到可靠的答案。" if zh else "The material holds no reliable answer."]
    if passages:
        lines.append("最接近的内容：" if zh else "Nearest sections:")
        lines += [f"- {place}" for place in dict.fromkeys(heading(p, language=spoken) for p in passages)][:_NEAREST]
    if contact:
        lines.append(f"可以咨询：{contact}" if zh else f"You can ask: {contact}")
    return "\n".join(lines)
