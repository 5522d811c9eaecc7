"""The pieces of passages -> those that may answer a question, by what they are."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from edu_cli.ask.generation.question_type import asked_kind, matter
from edu_cli.ask.generation.shows import CLAUSE, says_nothing_alone, tells
from edu_cli.ask.generation.units import Unit
from edu_cli.ask.retrieval.asked import holds
from edu_cli.ask.verification.terms import coverage, grams, plain
from edu_cli.text import cjk_share
from edu_cli.types import Passage

_ASKS_FOR_CODE = re.compile(
    r"代码|示例|例子|举例|写法|怎么写|如何写|语法|命令|用法|怎么用|如何使用|实现|函数|\b(?:code|example|syntax|command|function)s?\b"
)
_LATIN = re.compile(r"[a-z][a-z0-9_+#.-]*[a-z0-9_+#]")
_PROSE = 0.15  # of a piece's characters are Chinese
_ASKS_FOR_SIGNS = re.compile(r"公式|表达式|式子|等式|方程|全称|缩写|英文|符号|写法|语法|命令|函数是什么")
_NUMBERING = re.compile(
    r"^(?:第[\d一二三四五六七八九十]+[章节讲课部分篇]*|[\d.]+|[一二三四五六七八九十]+、|[（(][\d一二三四五六七八九十]+[)）])\s*"
)
_NAME_CHARS = 4
_LINK = re.compile(r"!?\[[^\]]*\]\([^)]*\)|<?https?://[^\s>）)]+>?")
_FILE_LINK = re.compile(r"\[[^\]]*\]\((?:\.{0,2}/|[^):]*\.md\b)|`[\w./-]+\.md`")  # another file of the material
_DIRECTORY = re.compile(rf"(?:[-*+•|]|\d+[.)])?\s*(?:{_FILE_LINK.pattern})")
_LINK_END = re.compile(r"[^\[\]]*\]\(")  # of a link whose title is two sentences
_QUESTION = re.compile(r"[?？]\W*$")
# a clause that says where something is told, or that it will be
_POINTING = re.compile(
    r"^关于|^(?:如果|若)?[你还只]?(?:想要?|要|需要)[^，,]{0,12}?(?:了解|学习|复习|复盘|回顾)|详见|参[见考阅]|传送门|^\s*[下上]图(?:展示|给出|显示|描绘|画出)(?!的)|"
    r"(?:建议|推荐|可以|请)(?:大家|读者|你|先)?(?:继续)?(?:阅读|查看|参考|看|回到)|"
    r"(?:下面|接下来|下文|后文|后面|随后|本[章节文讲课]|这一?[章节讲课]|这篇文章|这里|^先)"
    r"(?:我们?|让|咱们|就|来|再|会|将|要|也|简单|一起|给大家|主要|重点)*"
    r"(?:介绍|讲解|讲述|讨论|看|说明|学习|分析|演示|展示|了解|认识|[用通]过?一个)"
)
_GLOSS = re.compile(r"[（(][^）)]*[）)]")
_LEAST_MORE = 3  # letters beside the name
_CHINESE = 0.3  # of a question's characters


def quotable(question: str, passages: Sequence[Passage], found: Sequence[Unit]) -> list[Unit]:
    """Those of passages that hold the name asked for, without code and signs where a question asks for neither.

    What only points at another place answers nothing, nor does a question that nothing follows. A rule that would leave
    nothing is not kept.
    """
    asks_for_code = bool(_ASKS_FOR_CODE.search(plain(question)))
    followed = zip(found, (*found[1:], None), strict=True)
    telling = [u for u, after in followed if not _asks_only(u, after) and not says_nothing_alone(u, after)]
    asked = matter(plain(question))
    found = [u for u in telling if not points_elsewhere(u.text) and not _names_only(u, asked)] or found
    naming = _under_its_heading(question, passages, {unit.n for unit in found}) or _naming(question, passages)
    left = [u for u in found if (asks_for_code or not u.is_code) and u.n in naming] or list(found)
    return [u for u in left if cjk_share(u.text) > _PROSE] or left if _wants_prose(question) else left


def _asks_only(unit: Unit, after: Unit | None) -> bool:
    """Whether it is a question that another one follows, or nothing of its passage."""
    if not _QUESTION.search(unit.text):
        return False
    return after is None or after.n != unit.n or bool(_QUESTION.search(after.text))


def _names_only(unit: Unit, asked: str) -> bool:
    """Whether a line is no more than the name of what is asked for, with a gloss: 脏读（dirty read）."""
    said = _GLOSS.sub("", plain(unit.text))
    left = re.sub("|".join(map(re.escape, re.findall(r"\w+", asked))), "", said)
    is_line = not unit.header and not re.search(r"[。！？!?.；;：:]\W*$", said)
    return is_line and len(re.findall(r"[^\W\d_]", left)) < _LEAST_MORE and not re.search(r"\d", left)


def points_elsewhere(text: str) -> bool:
    """Whether a piece only says where something is told, or that it will be: 详见…, 下面介绍…, a line of links."""
    said = plain(text)
    if _DIRECTORY.match(said) or _LINK_END.match(said) or len(_FILE_LINK.findall(said)) > 1:
        return True
    unlinked = _LINK.sub("", said)
    clauses = CLAUSE.split(unlinked)
    telling = [clause for clause in clauses if not _POINTING.search(clause.strip())]
    points = unlinked != said or len(telling) < len(clauses)
    return points and not tells(telling)


def _under_its_heading(question: str, passages: Sequence[Passage], numbers: Collection[int]) -> set[int]:
    """Those of the passages that stand under a heading that is what is asked for, whatever asks (什么是 RAG？).

    Where there is none, those under a heading that stands in the question (二分查找 › 优点与局限性, asked when it is of
    no use), and those whose last heading says as much of it.
    """
    paths = _paths(passages, numbers)
    asked = matter(plain(question))
    wanted, said = grams(asked), {n: grams(matter(path[-1])) for n, path in paths.items()}
    same = {n for n, found in said.items() if found == wanted}
    standing = {n for n, path in paths.items() if any(len(h) >= _NAME_CHARS and holds(asked, h) for h in path)}
    least = max((coverage(wanted, said[n]) for n in standing), default=2.0)
    return same or standing | {n for n in paths if coverage(wanted, said[n]) >= least}


def headed_as(question: str, passages: Sequence[Passage]) -> set[int]:
    """The numbers of the passages whose last heading is the question, whatever asks."""
    wanted = grams(matter(plain(question)))
    paths = _paths(passages, range(1, len(passages) + 1))
    return {n for n, path in paths.items() if grams(matter(path[-1])) == wanted}


def _paths(passages: Sequence[Passage], numbers: Collection[int]) -> dict[int, list[str]]:
    """The headings of the passages of these numbers that have any, outermost first, plain and without numbering."""
    headed = ((n, passages[n - 1].section) for n in sorted(numbers))
    return {n: [_NUMBERING.sub("", plain(heading)) for heading in section] for n, section in headed if section}


def _wants_prose(question: str) -> bool:
    """Whether a formula or a line of signs is no answer: to a Chinese question why, or what something is."""
    asked = plain(question)
    kinds = ("why", "define", "other")
    return cjk_share(question) > _CHINESE and asked_kind(asked) in kinds and not _ASKS_FOR_SIGNS.search(asked)


def _naming(question: str, passages: Sequence[Passage]) -> set[int]:
    """The numbers of the passages that hold a Latin name of a Chinese question; of all where none or each does.

    What says nothing of PCA does not tell what PCA is for. Of 59 questions of eight sets with such a name in a part of
    their passages only, as many are answered with it as without.
    """
    everything = set(range(1, len(passages) + 1))
    names = set(_LATIN.findall(plain(question))) if cjk_share(question) > _CHINESE else set()
    texts = {n: plain(" ".join((p.title, *p.section, p.context))) for n, p in enumerate(passages, 1)}
    return {n for n, text in texts.items() if any(holds(text, name) for name in names)} or everything
