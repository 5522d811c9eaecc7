"""Question -> how to search for it: as it is, by a hypothetical passage, in parts, or a step back. Rules; no LLM."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from edu_cli.ask.generation.question_type import asked_kind
from edu_cli.ask.plan.follow_up import is_follow_up, points_at_nothing
from edu_cli.ask.verification.terms import plain

Kind = Literal["precise", "vague", "broad"]
Strategy = Literal["direct", "hyde", "multi_query", "step_back"]
MOST_PARTS = 8  # of a question that are searched for and answered; each costs a search of its own
DOUBTFUL_CHARS = 18  # shorter questions are searched as they are: a rewrite would add more than it explains

_COMPARES = re.compile(
    r"区别|异同|不同|差异|对比|相比|比较|优缺点|各自|分别|各有|选型|怎么选|如何选|还是|哪个(?:更|好)|\bvs\b|versus|compare|difference"
)
_JOINS = re.compile(r"[、，,;；]|和|与|及|以及|跟|\band\b|\bor\b|或")
_SECOND = re.compile(r"[?？]\s*\S")  # a second question after the first
_COURTESY = re.compile(
    r"(?<=[?？])\s*(?:请|谢|麻烦|不要|别|简要|简单|简短|详细|最好|please|thank)[^?？]*$"
)  # asks nothing
_ALSO = re.compile(r"[，,；;]\s*(?:以及|还有|另外|并且|同时)|以及.{0,12}(?:为什么|怎么|如何|什么|多少)")
_STORY = re.compile(r"^(?:我|我们|我的|我照|我用|我在|我把|我想|请问我|老师，?我)")
_TROUBLE = re.compile(
    r"报错|失败|不上|不了|不动|不出|没有?反应|还是|总是|老是|为啥|为什么|怎么办|有没有办法|可以吗|行不行|怎么改|超卖|被|崩|挂|重复|错误|异常|慢|\d"
)
_VAGUE = re.compile(
    r"怎样看待|如何看待|怎么看|谈谈|讲讲|聊聊|说说|意义|价值|影响|帮助|好处|作用是什么$|未来|前景|趋势|本质|难点|直觉|热情|心态|"
    r"应该是什么样|会怎样|带来了?什么|改变|有效$|有意义|为什么会|如何(?:培养|保持|提高|成为|做好)|怎样(?:培养|保持|提高|成为|才能)|的应用"
)


@dataclass(frozen=True, slots=True)
class Plan:
    """How a question will be searched, and by which rule; `doubtful` where an LLM should be asked."""

    kind: Kind
    strategy: Strategy
    how: str
    doubtful: bool = False


def choose_strategy(question: str) -> Plan:
    """The plan by rules, in order: a story with trouble, several questions or things, an open question, the rest."""
    text = _COURTESY.sub("", plain(question))
    several = _several(text)
    long = len(text) >= DOUBTFUL_CHARS
    if long and _STORY.search(text) and (_TROUBLE.search(text) or len(re.findall(r"[，,。]", text)) >= 2):
        return Plan("precise", "step_back", "rule: a situation of one's own")
    if several:
        return Plan("broad", "multi_query", f"rule: {several}", doubtful=long and not split_question(question))
    if points_at_nothing(text):
        return Plan("vague", "direct", "rule: a pronoun that stands for nothing named")
    if _VAGUE.search(text) and not re.search(r"\d|[a-z]{2,}.{0,6}(?:是什么|多少)", text):
        return Plan("vague", "hyde", "rule: an open question", doubtful=long)
    return Plan("precise", "direct", "rule: one thing asked for")


def _several(text: str) -> str:
    """What makes a question broad: several questions, a comparison, several things; "" for one thing."""
    if _SECOND.search(text.rstrip("?？ ")) or _ALSO.search(text) or _asks_twice(text):
        return "several questions"
    if _COMPARES.search(text) and _JOINS.search(text):
        return "a comparison"
    if _told_of(text):
        return "several things"
    things = text.count("、")
    if (things >= 2 and asked_kind(text) in ("how", "name", "number", "list")) or (
        things and re.search(r"和|与|及", text)
    ):
        return "several things"
    return ""


_PAIR = re.compile(
    r"^(?:请|麻烦)?(?P<compare>比较|对比)?(?:说说|讲讲)?(?:一下|下)?(?P<a>.{1,24}?)(?:、(?P<m>.{1,16}?))?(?:和(?!为什么|为何|怎么|怎样|如何|多少)|与|跟|及|以及|\s*vs\.?\s*|还是)(?P<b>.{1,24}?)"
    r"(?P<rest>(?:之间)?(?:的|有什么|有何|有哪些|分别|各自|哪个|哪种|怎么|如何|在|是).*|(?(compare)|(?!)))$"
)
_DIFFERENCE = "(?:区别|不同点?|差异|异同|优缺点|对比|比较|联系|关系|共同点|相同点)"
# what a comparison asks of both, and says nothing of either
_COMPARING = re.compile(
    rf"(?:之间)?(?:有什么|有何|有哪些)?的?(?:主要)?{_DIFFERENCE}(?:(?:[和与及、]|以及){_DIFFERENCE})*(?:是什么|有哪些|在哪里?)?"
)


# "讲讲闭包、装饰器和生成器": things to be told of one by one
_TOLD = re.compile(
    r"^(?:请|麻烦)?(?:帮我)?(?:说说|讲讲|谈谈|介绍|解释|讲解|说明)(?:一下|下)?(?P<chain>[^，。？?、和与]{1,16}(?:(?:、|和|与|以及)[^，。？?、和与]{1,16})+)$"
)
_MOST_THINGS = 5
_POINTING = re.compile(r"[它他她其这那](?!他|实)")
# a clause, or what cannot be understood alone
_NO_THING = re.compile(rf"^(?:[你我]|{_POINTING.pattern})|怎么|怎样|如何|什么")
_ASKED = r"(?:什么|多少|怎么|怎样|如何|哪|谁|几[个次天点号门]|多久|能不能|可不可以|是否)"
# "新生报到的时间地点和要带什么材料": of one thing, a noun and a clause
_NOUN_AND_CLAUSE = re.compile(
    rf"^(?P<thing>[^，,；;的]{{2,16}})的(?P<noun>(?:(?!{_ASKED})[^，,；;]){{2,12}}?)(?:和|以及|及)"
    rf"(?P<clause>(?:(?:要|需要|应该|该)[^，,；;的]{{0,4}}{_ASKED}|怎么|怎样|如何|什么时候|在哪|能不能|可不可以)[^，,；;]{{1,12}})$"
)
# "什么是过拟合，怎么避免": what it is, and something more of it
_WHAT_AND = re.compile(
    r"^(?:什么是|什么叫)(?P<thing>[^，,；;]{2,12})[，,；;]\s*(?:又|还|它|该)?(?P<clause>(?:怎么|怎样|如何|为什么|有什么|有哪些)[^，,；;]{1,12})$"
)
_LEANS = re.compile(
    r"(?:各|分别|其|它|他|她|你|这|那|到底|又|并|也|是|为什么|怎么|怎样|如何|多少|什么|有|会|能|可以|需要|.{0,4}$)"
)
# "报到要带什么材料，学费是多少": two clauses that ask, the second of them for itself
_TWO_CLAUSES = re.compile(
    rf"^(?P<first>[^，,；;]*{_ASKED}[^，,；;]*)[，,；;]\s*(?P<second>(?!各|分别|其|它|他|她|你|这|那|到底|又|并|也|是)"
    rf"(?:(?!怎么|怎样|如何|为什么|能不能|可不可以|是否)[^，,；;]){{2,}}?(?:什么|多少|哪|谁|几[个次天点号门]|多久)[^，,；;]*)$"
)


def _told_of(question: str) -> tuple[str, ...]:
    """Two to five things that a question asks to be told of; () for one thing, or for more than can be searched."""
    match = _TOLD.match(question.strip().rstrip("?？。. ！!"))
    things = re.split(r"、|以及|和|与", match["chain"]) if match else []
    named = not any(_NO_THING.search(thing) for thing in things)
    return tuple(thing.strip() for thing in things) if named and 1 < len(things) <= _MOST_THINGS else ()


def _asks_twice(question: str) -> tuple[str, ...]:
    """The two questions of one sentence, each of which can be understood alone; () where it asks one thing."""
    text = question.strip().rstrip("?？。. ")
    if match := _NOUN_AND_CLAUSE.match(text):
        return f"{match['thing']}的{match['noun']}？", f"{match['thing']}{match['clause']}？"
    if match := _WHAT_AND.match(text):
        return f"什么是{match['thing']}？", f"{match['thing']}{match['clause']}？"
    if match := _TWO_CLAUSES.match(text):
        return f"{match['first']}？", f"{match['second']}？"
    return ()


_OF_A_THING = re.compile(r"(?:什么是|什么叫|何谓)[^它这那他她]")
# "用哪个参数改？", "目标是什么？": a property of what was asked about before
_PROPERTY = re.compile(
    r"(?:(?:用|拿|靠|由|从|在|按|到|要|该|应该|应当|得|需|除了|另外|具体|主要)(?:了|带)?(?:哪|什么|谁|多|几|怎|如何|注意)|举|[和跟与]|.*(?:分别|各自)|"
    r"(?:主要|具体|常见|常用|一般|默认|最终|核心|最大|最小)?的?(?:目标|目的|代价|优点|缺点|优缺点|优势|劣势|特点|特征|特性|原因|作用|用途|用处|好处|坏处|"
    r"步骤|流程|过程|条件|前提|参数|默认值|范围|结果|原理|公式|复杂度|时间复杂度|空间复杂度|后果|影响|意义|方法|办法|命令|端口号?|版本|类型|种类|组成|结构|"
    r"定义|含义|应用|应用场景|场景|限制|缺陷|不足|区别|联系|关系|例子|解决方案|解决办法|解决方法|单位|数量|大小|顺序|位置|时间|地点|费用)"
    r"(?:都|又|分别|各自?)?(?:是|有|在|为|包括|怎|如何|呢|能|要|到|会|可以|多|几|哪|什么|$))"
)


def stands_alone(part: str) -> bool:
    """Whether a part of a question names what it asks about: "各占多少？", "用哪个参数改？", "5.7 呢？" do not."""
    return bool(_OF_A_THING.match(part)) or not (_LEANS.match(part) or _PROPERTY.match(part) or is_follow_up(part))


def searched_parts(parts: Sequence[str]) -> tuple[str, ...]:
    """What is searched for each part: one that does not stand alone, together with the one before it that does."""
    found, whole = [], ""
    for part in parts:
        leans = whole and not stands_alone(part)
        found.append(f"{whole.rstrip('?？')}，{part}" if leans else part)
        whole = whole if leans else part
    return tuple(found)


def split_question(question: str) -> tuple[str, ...]:
    """A comparison or chain of questions in parts, each once, by rule; () where no rule splits it."""
    whole = _COURTESY.sub("", question.strip())
    split = re.split(r"[?？]\s*|(?:[，,；;]\s*(?:以及|还有|另外|并且))", whole)
    parts = list(dict.fromkeys(part.strip() for part in split if part.strip()))
    if len(parts) > 1:
        return tuple(f"{part}？" for part in parts)
    if twice := _asks_twice(whole):
        return twice
    if told := _told_of(whole):
        return tuple(f"{thing}是什么，有什么特点？" for thing in told)
    things, rest = _pair(whole)
    return tuple(f"{thing}{rest}" if rest else f"{thing}是什么，有什么特点？" for thing in things)


def things_compared(question: str) -> tuple[str, ...]:
    """The names of what a question compares; () where it asks for something else."""
    whole = _COURTESY.sub("", question.strip())
    things, rest = _pair(whole)
    compares = not rest and _COMPARES.search(plain(whole))
    return tuple(re.split(r"的\s*", thing)[-1] for thing in things) if compares else ()


def _pair(whole: str) -> tuple[list[str], str]:
    """Two or three things that a question names together, and what it asks of them apart from a comparison."""
    match = _PAIR.match(whole.rstrip("?？。. "))
    if not match:
        return [], ""
    things = [t.strip(" ，,的") for t in (match["a"], match["m"], match["b"]) if t]
    if any(_POINTING.match(thing) for thing in things[1:]):
        return [], ""
    rest = _COMPARING.sub("", match["rest"])
    return things, re.sub(r"^(?:分别|各自|的)+", "", rest).strip()
