"""What a question asks for (a person, a time, a list …) and whether a sentence has something of that kind."""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

from edu_cli.ask.verification.terms import grams, plain

# whose detail: 校长的电话(是多少), 图书馆地址
_DETAIL = re.compile(
    r"^(?:请问|我想知道|想问一?下)?(?:[你我]们)?(?!.{0,4}(?:什么|怎么|如何|哪|谁))([㐀-鿿a-z0-9+#]{2,12}?)的?(?:联系)?"
    r"(?:电话|手机|号码|联系方式|邮箱|微信|地址|姓名|名字|年龄|生日|工资|办公室)(?:号码?)?(?:是|在|有|多少|几号|哪|怎么|[?？]|$)"
)
KINDS = ("why", "when", "who", "where", "number", "list", "how", "define", "name", "other")
_PATTERNS = Path(__file__).with_name("question_types.toml")
# the noun after a question word: 哪个(国家), 什么样的(结构)
_FOCUS = re.compile(
    r"(?:哪(?:一|几)?(?:个|种|位|部|所|家|座|条|项|本|支|场|届|些|类)?+|什么样?的?|何种?)"
    r"([㐀-鿿]{1,4}?)(?:[的是在被有为里中会能要]|[?？，,。]|$)"
)
# what asks; a sentence with the same words in it (理解什么是…) says no more of the matter for them
_ASKING = re.compile(
    r"请问|请|(?:是|有|由)?(?:什么(?:时候|时间|地方|样|意思)?|啥|为(?:何|啥)|怎么(?:样|办|回事)?|怎样|如何|何[时地处]|哪[些里儿]|"
    r"(?:哪一?几?|[第有]?几(?![何率乎])|多少)(?:部分|方面|阶段|[个种类位名项条点步部层章节次门年月天号日岁])?|"
    r"多(?:久|长时间|[大高远深宽快重长](?![㐀-鿿]))|谁)(?:是(?!否))?|是否|[吗呢吧]\W*$"
)


def matter(question: str) -> str:
    """A `plain` question without the words that ask; as it is where nothing else would be left."""
    left = " ".join(_ASKING.sub(" ", question).split())
    return left if grams(left) else question


def asked_kind(question: str) -> str:
    """The kind of answer that a `plain` question asks for: one of KINDS."""
    return next((kind for kind, pattern in _patterns("asks").items() if pattern.search(question)), "other")


def has_kind(kind: str, sentence: str) -> bool:
    """Whether a `plain` sentence has something of the kind."""
    return kind != "other" and bool(_patterns("has")[kind].search(sentence))


def focus(question: str) -> str:
    """The noun that is asked for ("哪个国家" -> "国家"), "" where there is none."""
    found = _FOCUS.search(question)
    return found[1] if found else ""


def is_of_another(question: str, texts: Sequence[str]) -> bool:
    """Whether a detail of someone or something is asked for (校长的电话) that none of the texts names at all."""
    match = _DETAIL.search(plain(question))
    whose = grams(match[1]) if match else frozenset()
    return bool(whose) and not any(whose & grams(text) for text in texts)


@functools.cache
def _patterns(table: str) -> dict[str, re.Pattern[str]]:
    tables = tomllib.loads(_PATTERNS.read_text(encoding="utf-8"))
    return {kind: re.compile("|".join(alternatives)) for kind, alternatives in tables[table].items()}
