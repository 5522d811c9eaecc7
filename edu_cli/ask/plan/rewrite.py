"""Question -> what is searched for in its place; by the LLM, or by rule where there is none."""

from __future__ import annotations

import re
from collections.abc import Sequence

from edu_cli.ask.generation.reply import parse_json
from edu_cli.ask.plan.follow_up import is_follow_up, without_opening
from edu_cli.ask.verification.markers import MARKER
from edu_cli.ask.verification.terms import plain
from edu_cli.prompts import Prompt
from edu_cli.protocols import ChatModel
from edu_cli.types import Message, SessionTurn

_MOST_QUESTIONS = 5
# Small models answer the follow-up that they were to complete, or go on with the talk.
_ASKS = re.compile(
    r"[?？]|什么|多少|怎么|怎样|如何|为何|哪|谁|几|多久|吗|呢|是否|能否|可否|能不能|^\s*(?:wh(?:at|y|ich|o|en|ere)|how)\b",
    re.IGNORECASE,
)
_TALK = re.compile(r"^[问答][：:]|\s[问答][：:]")
_LONGEST = 400  # characters of a question or passage that a rewrite may give


def hypothetical(question: str, chat: ChatModel, prompt: Prompt) -> str:
    """A passage that might answer the question, "" for a reply that is none. Raises ChatError."""
    return _one_piece(_asked(question, chat, prompt)[:_LONGEST])  # it is only searched with: its beginning is enough


def general_question(question: str, chat: ChatModel, prompt: Prompt) -> str:
    """The more general question behind one's own case, "" for a reply that is none. Raises ChatError."""
    text = _one_piece(_asked(question, chat, prompt))
    return "" if plain(text) == plain(question) else text


def rephrased(question: str, why: str, chat: ChatModel, prompt: Prompt) -> str:
    """The question in other words, "" for a reply that is none; `why` tells what was wrong before. Raises ChatError."""
    text = _one_piece(_asked(f"{question}\n\n（之前的结果：{why}）", chat, prompt))
    return "" if plain(text) == plain(question) else text


def sub_questions(question: str, chat: ChatModel, prompt: Prompt) -> tuple[str, ...]:
    """Two to five questions that cover it; () where neither the reply nor its repair has them. Raises ChatError."""
    found = _questions(_asked(question, chat, prompt))
    if len(found) < 2:
        repair = f'{question}\n\n（上次的输出不是 JSON 数组，请只输出形如 ["…", "…"] 的数组。）'
        found = _questions(_asked(repair, chat, prompt))
    return found if len(found) >= 2 else ()


def standalone_by_llm(question: str, turns: Sequence[SessionTurn], chat: ChatModel, prompt: Prompt) -> str:
    """The follow-up made complete from the conversation. Raises ChatError.

    "" for a reply that is none: an answer in the place of a question, an earlier question, the follow-up as it was.
    """
    talk = "\n".join(f"问：{turn.standalone}\n答：{turn.answer[:200]}" for turn in turns[-3:])
    text = _one_piece(_asked(f"{talk}\n追问：{question}\n改写：", chat, prompt))
    return text if _completes(text, question, turns) else ""


def _completes(text: str, question: str, turns: Sequence[SessionTurn]) -> bool:
    """Whether a rewrite asks, and asks something that neither was asked before nor still points at it."""
    said = plain(text)
    answers = (_ASKS.search(question) and not _ASKS.search(text)) or MARKER.search(text) or _TALK.search(text)
    old = any(said == plain(turn.standalone) or said in plain(turn.answer) for turn in turns)
    same = said == plain(question) and is_follow_up(without_opening(question))
    return not (answers or old or same)


def _asked(question: str, chat: ChatModel, prompt: Prompt) -> str:
    messages = [Message("system", prompt.text), Message("user", question)]
    return chat.complete(messages, temperature=0.0).text


def _one_piece(reply: str) -> str:
    reply = re.split(r"改写[:：]", reply)[-1]  # a prompt's example that is carried on
    text = re.sub(r"^(?:改写(?:后的问题)?|完整问题|问题|答|回答)\s*[:：]\s*", "", " ".join(reply.split())).strip(
        '"“”「」'
    )
    return text if 1 < len(text) <= _LONGEST else ""


def _questions(reply: str) -> tuple[str, ...]:
    try:
        value = parse_json(reply)
        lines = value if isinstance(value, list) else next((v for v in value.values() if isinstance(v, list)), [])
    except (ValueError, AttributeError):
        lines = reply.splitlines() if "\n" in reply else []
    cleaned = (re.sub(r"^\s*(?:[-*•]|\d+[.、)）])\s*", "", str(line)).strip().strip('"“”,') for line in lines)
    found = dict.fromkeys(
        line for line in cleaned if 2 < len(line) <= _LONGEST and not line.endswith((":", "：", "。"))
    )
    return tuple(found)[:_MOST_QUESTIONS]
