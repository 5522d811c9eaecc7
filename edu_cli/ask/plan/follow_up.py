"""A follow-up -> a question of its own, by rule: what it points at is taken from the last question and its answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from edu_cli.ask.verification.terms import plain
from edu_cli.types import SessionTurn

_COUNTER = r"(?:个|条|点|种|步|项|类|款|部分)"
# A follow-up: it points at what was said before, or has no matter of its own.
_POINTS = re.compile(
    r"^(?:那|那么|然后|还有|另外|所以|但是|可是|它|他|她|这|该|上面|前面|刚才|最后一|继续|接着|为什么呢|怎么说|"
    rf"第[一二三四五六七八九十\d]+{_COUNTER}|具体(?:点|呢|说)|举个例子|比如)|"
    r"(?:它|他们|她|它们|这个|那个|这种|那种|这些|那些|前者|后者|上述|两者|二者|其中)|呢[?？]?$"
)
_DEFINES = re.compile(r"^(?:什么是|什么叫|何谓)[^它这那他她]|^[^它这那他她].*(?:是什么|是啥|指什么)$")
_PRONOUN = re.compile(r"它们|它|他们|她们|这个|那个|这种|那种|这些|那些|上述|该(?=[一-鿿])")
_OPENING = re.compile(r"^(?:(?:那么|那|然后|所以|但是|可是)[，,\s]*|(?:还有|另外)[，,]\s*)")
_TOPIC_HEAD = re.compile(
    r"^(?:请问|请(?![假求示教愿帖])|老师，?|我想知道|介绍一下|介绍|解释一下|解释|说说|讲讲|什么是|什么叫|为什么|怎么|如何|有哪些|有什么|都有)+"
)
_TOPIC_TAIL = re.compile(
    r"(?:应该|应当|需要|可以)?(?:是什么意思|是什么|指什么|怎么样|怎么办|怎么算|怎么做|怎么用|怎么|如何|为什么|多少钱|是多少|多少|有哪些|有什么|什么时候|在哪里|在哪|是谁|几个|吗|呢).*$"
)
_ORDINAL = re.compile(
    rf"(?:上面|前面|刚才)?(?:你)?(?:说|讲|提到|列)?的?(?:第(?P<nth>[一二三四五六七八九十]|\d{{1,2}})|(?P<last>最后一)){_COUNTER}"
)
_OF_TWO = re.compile(r"前者|后者")
_PAIR = re.compile(
    r"(?:比较|对比)?(?:一下)?(?P<a>[^，。？?]{1,24}?)(?:和|与|跟|还是|\s*vs\.?\s*)(?P<b>[^，。？?]{1,24}?)"
    r"(?=之间|有什么|有何|有哪些|各|分别|哪个|哪种|怎么|如何|的(?:区别|不同|异同|关系|优缺点)|在|是|$)"
)
_NUMBERS = {digit: n for n, digit in enumerate("一二三四五六七八九十", 1)}
_LISTED = re.compile(
    r"^\s*(?:[-*•]|[（(]?\d{1,2}[.、)）]|[①-⑩]|[（(]?[一二三四五六七八九十][)）、])\s*(?P<item>.+)$", re.MULTILINE
)
_INLINE = re.compile(
    r"(?:(?<=^)|(?<=[：:；;。，,\s]))(?:[（(]?\d{1,2}[.、)）]|[①-⑩]|第[一二三四五六七八九十][，,、：:])\s*"
)
_PART = r"[^。；;，,：:\n]+"
_CHAIN = re.compile(
    rf"(?:有|包括|分为|分成|包含|如下)[^。；;，,、\n]{{0,12}}?[：:]?\s*(?P<chain>{_PART}(?:、{_PART})+)"
)
_ONLY_CHAIN = re.compile(rf"^\s*(?P<chain>{_PART}(?:、{_PART})+)[。.]?\s*$")  # an answer that is nothing else
_LONGEST_ITEM = 30
_BARE = 8  # characters: a longer question that begins with a pronoun mostly names its matter later


def is_follow_up(question: str) -> bool:
    """Whether a question cannot be understood without the ones before it."""
    text = plain(question).rstrip("?？。.!！ ")
    if _POINTS.search(text):
        return True
    return len(re.sub(r"\W", "", text)) <= 4 and not _DEFINES.search(text)


def without_opening(question: str) -> str:
    """A follow-up without the words that only join it to what went before: 那, 然后, 还有，."""
    return _OPENING.sub("", question.strip())


def points_at_nothing(question: str) -> bool:
    """Whether all that a question is about is a pronoun: alone, it can only be guessed what it asks ("它怎么用？")."""
    text = re.sub(r"\W", "", _OPENING.sub("", plain(question)))
    return len(text) <= _BARE and bool(_PRONOUN.match(text))


def standalone_by_rule(question: str, turns: Sequence[SessionTurn]) -> str:
    """The follow-up with what it points at in the place of its pointer, or with the last question's topic before it."""
    last, bare = turns[-1], without_opening(question)
    topic = topic_of(last.standalone)
    if not topic or plain(topic) in plain(question):
        return question
    if pointed := pointed_out(question, turns):
        return pointed
    if _PRONOUN.search(bare):
        return _PRONOUN.sub(topic, bare, count=1)
    swapped = re.match(r"(.{1,16}?)呢[?？]?$", bare)
    if swapped and not re.match(r"为什么|怎么|什么|具体", swapped[1]) and not _ORDINAL.match(bare):
        whose, of, _ = topic.partition("的")  # "Python 课程的学费": it is the course that changes
        return last.standalone.replace(whose if of else topic, swapped[1].strip(), 1)
    return f"{topic}{'' if topic.endswith('的') else '，'}{bare}"


def pointed_out(question: str, turns: Sequence[SessionTurn]) -> str:
    """The follow-up with the listed or compared thing that it counts out (第二个, 前者) named; "" where it does not."""
    last, bare = turns[-1], without_opening(question)
    return _item_in_place(bare, last, topic_of(last.standalone)) or _one_of_two(bare, last)


def topic_of(question: str) -> str:
    """What a question is about: its words before what asks ("退费怎么算" -> "退费"; "什么是闭包" -> "闭包")."""
    text = _TOPIC_HEAD.sub("", question.strip().rstrip("?？。!！ "))
    head = _TOPIC_TAIL.sub("", text).strip("，,的 ")
    return head if 1 < len(head) <= 30 else text[:30]


def items_of(answer: str) -> tuple[str, ...]:
    """What an answer lists: numbered or marked lines, numbers within a line, or a chain with 、; each one's head."""
    text = re.sub(r"\[\d+\]|（资料未证实）", "", answer)
    found = [match["item"] for match in _LISTED.finditer(text)]
    if len(found) < 2:
        _, *found = _INLINE.split(text)
    if len(found) < 2 and (chain := _CHAIN.search(text) or _ONLY_CHAIN.match(text)):
        found = re.split(r"、|以及|和|与", chain["chain"])
    return tuple(head for item in found if (head := _head(item))) if len(found) > 1 else ()


def _head(item: str) -> str:
    return re.split(r"[：:，,。；;（(\n]", item.strip("*` \t"), maxsplit=1)[0].strip("*` \t")[:_LONGEST_ITEM]


def _item_in_place(question: str, turn: SessionTurn, topic: str) -> str:
    """The follow-up about the n-th thing of the last answer, with that thing named; "" where it is about none."""
    match, items = _ORDINAL.search(question), items_of(turn.answer)
    if not match or not items:
        return ""
    digit = match["nth"] or ""
    nth = len(items) if match["last"] else _NUMBERS.get(digit) or int(digit)
    if not 0 < nth <= len(items):
        return ""
    item = items[nth - 1]
    rest = question[match.end() :].lstrip("的")
    if re.fullmatch(r"(?:情况|方法|方式|办法|类型|问题|说法)?呢?[?？]?", rest):
        return f"{topic}：{item}"
    return f"{question[: match.start()]}{item}{rest}"


def _one_of_two(question: str, turn: SessionTurn) -> str:
    """The follow-up about the former or the latter, with it named; "" where it is about none or two are not known."""
    if not _OF_TWO.search(question):
        return ""
    pair = _PAIR.search(turn.standalone)
    two = (pair["a"], pair["b"]) if pair else items_of(turn.answer)[:2]
    if len(two) < 2:
        return ""
    named = question.replace("前者", two[0].strip()).replace("后者", two[1].strip())
    alone = re.fullmatch(r"(.+?)呢[?？]?", named)
    return f"{alone[1]}是什么，有什么特点？" if alone else named
