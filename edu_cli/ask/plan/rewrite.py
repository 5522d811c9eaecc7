"""Question -> what is searched for in its place; by the LLM, or by rule where there is none."""

from __future__ import annotations

import re
from collections.abc import Sequence

from edu_cli.ask.generation.reply import parse_json
from edu_cli.ask.verification.terms import plain
from edu_cli.prompts import Prompt
from edu_cli.protocols import ChatModel
from edu_cli.types import Message, SessionTurn

_MOST_QUESTIONS = 5
_LONGEST = 400  # characters of a question or passage that a rewrite may give
# A follow-up: it points at what was said before, or has no matter of its own.
_POINTS = re.compile(
    r"^(?:那|那么|然后|还有|另外|所以|但是|可是|它|他|她|这|该|上面|前面|刚才|第[一二三四五六七八九十\d]+(?:个|条|点|种|步)|继续|接着|为什么呢|怎么说|具体(?:点|呢|说)|"
    r"举个例子|比如)|"
    r"(?:它|他们|她|它们|这个|那个|这种|那种|这些|那些|前者|后者|上述|两者|二者|其中)|呢[?？]?$"
)
_PRONOUN = re.compile(r"它们|它|他们|她们|这个|那个|这种|那种|这些|那些|上述|该(?=[一-鿿])")
_TOPIC_TAIL = re.compile(
    r"(?:是什么意思|是什么|指什么|怎么样|怎么办|怎么算|怎么做|怎么用|怎么|如何|为什么|多少钱|是多少|多少|有哪些|有什么|什么时候|在哪里|在哪|是谁|几个|吗|呢).*$"
)


def hypothetical(question: str, chat: ChatModel, prompt: Prompt) -> str:
    """A passage that might answer the question, "" for a reply that is none. Raises ChatError."""
    return _one_piece(_asked(question, chat, prompt))


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
    """The follow-up made complete from the conversation, itself for an unusable reply. Raises ChatError."""
    talk = "\n".join(f"问：{turn.standalone}\n答：{turn.answer[:200]}" for turn in turns[-3:])
    return _one_piece(_asked(f"{talk}\n追问：{question}", chat, prompt)) or question


def is_follow_up(question: str) -> bool:
    """Whether a question cannot be understood without the ones before it."""
    text = plain(question)
    return bool(_POINTS.search(text)) or len(re.sub(r"\W", "", text)) <= 4


def standalone_by_rule(question: str, turns: Sequence[SessionTurn]) -> str:
    """The follow-up with the last question's topic in the place of its pronoun, or before it."""
    topic = topic_of(turns[-1].standalone)
    if not topic or plain(topic) in plain(question):
        return question
    bare = re.sub(r"^(?:那么|那|然后|还有|另外|所以|但是|可是)[，,]?", "", question.strip())
    if _PRONOUN.search(bare):
        return _PRONOUN.sub(topic, bare, count=1)
    swapped = re.match(r"(.{1,16}?)呢[?？]?$", bare)
    if swapped and not re.match(r"为什么|怎么|什么|具体", swapped[1]):
        whose, of, _ = topic.partition("的")  # "Python 课程的学费": it is the course that changes
        return turns[-1].standalone.replace(whose if of else topic, swapped[1], 1)
    return f"{topic}{'' if topic.endswith('的') else '，'}{bare}"


def topic_of(question: str) -> str:
    """What a question is about: its words before what asks ("退费怎么算" -> "退费"; "什么是闭包" -> "闭包")."""
    text = question.strip().rstrip("?？。!！ ")
    text = re.sub(
        r"^(?:请问|请|老师，?|我想知道|介绍一下|介绍|解释一下|解释|说说|讲讲|什么是|什么叫|为什么|怎么|如何)+", "", text
    )
    head = _TOPIC_TAIL.sub("", text).strip("，,的 ")
    return head if 1 < len(head) <= 30 else text[:30]


def _asked(question: str, chat: ChatModel, prompt: Prompt) -> str:
    messages = [Message("system", prompt.text), Message("user", question)]
    return chat.complete(messages, temperature=0.0).text


def _one_piece(reply: str) -> str:
    text = re.sub(r"^(?:改写后的问题|完整问题|问题|答|回答)\s*[:：]\s*", "", " ".join(reply.split())).strip('"“”「」')
    return text if 1 < len(text) <= _LONGEST else ""


def _questions(reply: str) -> tuple[str, ...]:
    try:
        value = parse_json(reply)
        lines = value if isinstance(value, list) else next((v for v in value.values() if isinstance(v, list)), [])
    except (ValueError, AttributeError):
        lines = reply.splitlines() if "\n" in reply else []
    cleaned = (re.sub(r"^\s*(?:[-*•]|\d+[.、)）])\s*", "", str(line)).strip().strip('"“”,') for line in lines)
    found = dict.fromkeys(line for line in cleaned if 2 < len(line) <= _LONGEST and not line.endswith((":", "：")))
    return tuple(found)[:_MOST_QUESTIONS]
