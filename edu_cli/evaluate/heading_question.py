"""Heading -> the question that its section answers, as a person would ask it."""

from __future__ import annotations

import re

from edu_cli.text import cjk_share, fold

_COUNT = r"[\d一二三四五六七八九十百]+"
_NUMBER = re.compile(
    rf"^(?:(?:练习|实验|习题|例[子题]?|示例|附录|案例|模块|任务|专题|方法|方式|步骤|阶段|原因|要点|技巧|问题)\s*"
    rf"(?:{_COUNT}|[A-Z])\s*[：:.．、]\s*|第{_COUNT}(?:个|种|条|步|点)[^：:，,]{{0,6}}[：:]\s*|"
    rf"[^，,。：:]{{0,15}}?第\s*{_COUNT}\s*[章节讲部分篇]\s*|[(（]{_COUNT}[)）]\s*|{_COUNT}(?:[.．、]\d*)+\s*|\d+\s+)"
)
_MARKS = re.compile(r"^[^\w《〈“\"'(（【「+#.-]+")  # a star, a pictograph
_REMARK = re.compile(
    r"\s*[(（][^()（）]*(?:\d|选学|选读|必读|重点)[^()（）]*[)）]$"
)  # "（每题 3 分）" is about no matter
_ASKS = re.compile(
    r"[?？]$|[吗呢]$|什么|如何|怎么|怎样|哪[些个里种]|几[个种]|多少|^(?:谁|why|how|what|when|who|where)\b",
    re.IGNORECASE,
)
_NO_MATTER = """目录 前言 小结 总结 参考资料 参考文献 参考 简介 概述 正文 分析 更多 其他 划重点 高频问题 常见问题
  题目 题目描述 题目链接 解题思路 面试题 面试题剖析 面试官心理分析 introduction summary references overview contents"""
_SAYS_NOTHING = frozenset(_NO_MATTER.split())
_CLAUSES = re.compile(r"[，,。；;！!：:*]|xxx")  # a sentence, or a place holder: no name of a thing
_ABOUT = re.compile(r"(?:相关|其[它他]|等等?)$")
# what is done rather than what there is: 使用 ORM 完成增删改查, not 使用场景
_DOES = re.compile(
    r"^(?:使用(?!场景|方法|方式|说明|者|率|建议|限制|条件|情况)|实现(?!原理|方式|方法|类|思路|细节|机制|过程|步骤)|"
    r"[学]会|理解|掌握|了解|认识|考虑|复用|让|避免|防止|搭建|创建(?!型|者)|安装(?!包|方式|方法)|"
    r"用(?=.*(?:实现|获取|完成|解决|判断|创建|处理|生成))).{2,}"
)
_WITH = re.compile(r"^([A-Za-z]+)\s*((?:操作|读写|处理|解析|抓取|连接).{2,})$")
_SEVERAL = re.compile(r"(?:特点|特性|优点|缺点|优缺点|类型|种类|步骤|条件|原则|场景|要求|应用|方案|注意事项)$")
_MADE = re.compile(r"^(.{2,}?)的?(?:代码)?实现$")


def as_question(heading: str) -> str | None:
    """The heading as a question; None for one that asks nothing, and for a sentence."""
    bare = _REMARK.sub("", _NUMBER.sub("", _MARKS.sub("", heading))).strip(" #:：")
    if len(bare) < 2 or fold(bare) in _SAYS_NOTHING:
        return None
    if _ASKS.search(bare):
        return bare
    if _CLAUSES.search(bare) or _ABOUT.search(bare):
        return None
    return _of_a_name(bare) if cjk_share(bare) > 0 else f"What is {bare}?"


def _of_a_name(bare: str) -> str:
    if _DOES.match(bare):
        return f"怎样{bare}？"
    if tool := _WITH.match(bare):
        return f"怎样用 {tool[1]} {tool[2]}？"
    if made := _MADE.match(bare):
        return f"{made[1]}怎样实现？"
    return f"{bare}有哪些？" if _SEVERAL.search(bare) else f"{bare}是什么？"
