"""What is quoted is whole: lists with what their items go on to say, formulas with what leads to them."""

from __future__ import annotations

import pytest

from edu_cli.ask.generation.extract import as_answer, extract
from edu_cli.ask.generation.outline import outlined
from edu_cli.ask.generation.question_type import matter
from edu_cli.ask.generation.quotable import points_elsewhere
from edu_cli.ask.generation.units import units
from edu_cli.ask.generation.whole import in_brief, in_full
from edu_cli.ask.verification.terms import plain
from edu_cli.types import Passage

POLICIES = """淘汰策略有三种：

- **随机淘汰**：随便选一个键。它最省事，但可能淘汰热点。
- **最久未用**：选最久没有访问的键。
  要记下每次访问的时间。
- **最少使用**：选访问次数最少的键。

选哪一种要看负载。
"""


def passage(text: str, *section: str, doc: str = "缓存.md") -> Passage:
    return Passage(1, 1.0, doc, "讲义", section, None, "", doc, doc, doc, text, text, {})


def answer(question: str, *passages: Passage) -> str:
    return as_answer(extract(question, passages))


def test_what_an_item_goes_on_to_say_is_of_the_list() -> None:
    found = units(POLICIES, 1)
    assert [(unit.is_item, unit.goes_on) for unit in found] == [
        *[(False, False), (True, False), (False, True), (True, False), (False, True), (True, False), (False, False)]
    ]


@pytest.mark.parametrize("at", [0, 1, 2, 4, 5])
def test_a_list_is_quoted_whole_from_any_of_its_pieces(at: int) -> None:
    found = units(POLICIES, 1)
    said = in_full(found[at], found, POLICIES, wants_list=True).text
    assert said == POLICIES[: POLICIES.index("\n\n选")].strip()


def test_a_bullet_of_many_things_brings_no_others_where_steps_are_asked_for() -> None:
    text = "小结。\n\n- 栈是后进先出的。\n- 压栈把元素放到栈顶。\n- 队列是先进先出的。"
    found = units(text, 1)
    assert in_full(found[1], found, text, wants_list=False, wants_steps=True).text == "- 压栈把元素放到栈顶。"
    numbered = text.replace("- 栈", "1. 栈").replace("- 压", "2. 压").replace("- 队", "3. 队")
    found = units(numbered, 1)
    assert "3. 队列" in in_full(found[1], found, numbered, wants_list=False, wants_steps=True).text


def test_a_short_list_that_follows_a_sentence_is_of_it_where_steps_are_asked_for() -> None:
    text = "锁可以由多个实例来实现。\n\n- 向每个实例取锁。\n- 过半取到才算成功。"
    found = units(text, 1)
    assert in_full(found[0], found, text, wants_list=False, wants_steps=True).text == text
    text = f"{text[:-1]}，{'否则要等一等再来取，' * 30}直到取到。"
    found = units(text, 1)
    assert in_full(found[0], found, text, wants_list=False, wants_steps=True).text == "锁可以由多个实例来实现。"


def test_a_list_that_is_too_long_is_quoted_in_brief() -> None:
    rest = "这一句说得很细，有许多情形要一一分清，所以把它拉得很长很长很长。" * 6
    text = "共有四层：\n" + "\n".join(f"- **第{n}层**：处理{n}号的事。{rest}" for n in "甲乙丙丁")
    found = units(text, 1)
    said = in_full(found[1], found, text, wants_list=True).text
    assert said.split("\n") == ["共有四层：", *(f"- **第{n}层**：处理{n}号的事。" for n in "甲乙丙丁")]
    text = "共有四层：\n" + "\n".join(f"- **第{n}层**：{rest.replace('。', '，')}" for n in "甲乙丙丁")
    brief = in_brief(units(text, 1))
    assert brief
    assert brief.text.split("\n") == ["共有四层：", *(f"- **第{n}层**" for n in "甲乙丙丁")]


def test_the_sentence_that_shows_a_formula_comes_with_it_and_no_more() -> None:
    text = "回归要先定义损失。\n\n为此，线性回归定义如下所示的损失函数。\n\n$$\nL = (y - x)^2\n$$\n\n其余的见后文。"
    said = answer("线性回归的损失函数是什么？", passage(text))
    assert "L = (y - x)^2" in said
    assert "其余" not in said


def test_what_a_lead_leads_to_ends_with_its_paragraph() -> None:
    text = "岭回归的损失函数如下所示：\n\n$$\nL = (y - x)^2\n$$\n\n其中惩罚项见下。\n\n再看套索回归。"
    found = units(text, 1)
    said = in_full(found[0], found, text, wants_list=False).text
    assert said == text[: text.index("\n\n其中")]


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("接下来用一个小例子帮助大家理解什么是协作，先看看下面的代码。", True),
        ("关于常见算法的详细介绍，建议阅读这篇：[垃圾回收详解](https://example.org/gc)。", True),
        ("如果想要了解用 B+ 树的原因，可以看看这篇文章：[别瞎分析了](https://example.org/b)。", True),
        ("- [数据结构专题](./data-structure/)：按结构类型整理常见的数据结构。", True),
        ("下面我们来介绍几种常见的排序算法。", True),
        ("| `rag-or-tuning.md` | 微调和检索怎么选 | 原理对比 |", True),
        ("之间是如何通讯的？](/docs/micro/how.md)", True),
        ("常用的库有 [Django](https://example.org)，它自带对象关系映射和后台管理。", False),
        ("协程在一个线程里轮流执行，由程序自己让出控制权，详见第三章。", False),
        ("损失函数如下所示：", False),
        ("下图展示了以上代码的动态规划过程。", True),
        ("下图展示的各层加载器之间的层次关系叫做双亲委派模型。", False),
        ("下图展示了两种写法，数组连续存放所以查得快，链表分散存放所以改得快。", False),
        ("复习时可以同步回看：哈希表对应 [集合](../java/collection/)，索引对应 [数据库](../db/index.md)。", True),
    ],
)
def test_what_only_points_at_another_place_is_told(text: str, points: bool) -> None:
    assert points_elsewhere(text) is points


def test_a_line_of_the_name_alone_is_no_answer_and_a_bold_lead_is_one() -> None:
    text = "脏读(读未提交)\n\n避免脏读(读已提交)\n\n一个事务读到了另一个事务还没有提交的数据。"
    assert answer("什么是脏读", passage(text)).startswith("一个事务读到")
    text = "**索引的优点：**\n\n1. 查得快。\n2. 排序省事。\n\n**索引的缺点：**\n\n1. 写得慢。\n2. 占地方。"
    said = answer("索引的优缺点", passage(text))
    assert "查得快" in said
    assert "占地方" in said


def test_a_pointer_is_no_answer_though_it_says_all_of_the_question() -> None:
    pointer = passage(
        "关于回收算法的详细介绍，建议阅读这篇：[回收算法](https://example.org/gc)。", "回收算法", doc="目录.md"
    )
    told = passage("标记清除先标记再清除，会留下碎片。", "三、回收", doc="回收.md")
    assert "标记清除" in answer("回收算法有哪些？", pointer, told)


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("什么是协程？", "协程？"),
        ("RAG 是什么", "rag"),
        ("JWT 由哪几部分组成", "jwt  组成"),
        ("消息队列有什么作用", "消息队列 作用"),
        ("归并排序是稳定的吗？", "归并排序是稳定的"),
        ("是什么？", "是什么？"),
        ("几何平均数的定义", "几何平均数的定义"),
    ],
)
def test_the_words_that_ask_are_no_matter(question: str, left: str) -> None:
    assert matter(plain(question)) == plain(left)


def test_a_sentence_with_the_asking_words_is_no_better_for_them() -> None:
    uses = passage("- 医疗助手：回答“某药禁忌是什么”“依据是什么”一类的问题。", "检索增强的用途", doc="甲.md")
    defines = passage("检索增强生成把检索和语言模型绑在一起用。", "什么是检索增强？", doc="乙.md")
    assert "绑在一起" in answer("检索增强是什么", uses, defines)


def test_a_heading_of_the_term_alone_defines_nothing() -> None:
    slide = passage("梯度消失问题（Vanishing Gradient Problem）\n\n激活函数的选择", "优化问题", doc="甲.md")
    told = passage("梯度消失是指误差传到前面的层时已经接近于零。", "训练的难处", doc="乙.md")
    assert answer("什么是梯度消失", slide, told).startswith("梯度消失是指")


def test_headings_beside_each_other_answer_what_the_one_above_says_in_other_words() -> None:
    path = ("二、垃圾收集算法",)
    names = ["标记-清除算法", "复制算法", "标记-整理算法"]
    found = [passage("它的做法如下。", *path, name) for name in names]
    sections = [(*path, name) for name in names]
    listed = outlined("垃圾回收算法有哪些", found, lambda _doc_id: sections)
    assert listed
    assert listed.text == "二、垃圾收集算法：\n- 标记-清除算法\n- 复制算法\n- 标记-整理算法"
    assert outlined("垃圾回收器有哪些", found, lambda _doc_id: sections) is None
    assert outlined("垃圾回收算法有哪些", found[:2], lambda _doc_id: sections) is None
    assert outlined("垃圾回收的四种算法是什么", found, lambda _doc_id: sections) is None


def test_a_list_of_as_many_things_as_are_asked_for_goes_before_a_likelier_sentence() -> None:
    said = "事务支持事务的四个场景，事务的特性很好。\n\n事务有这些特性：\n"
    four = "- 原子性：不可分割。\n- 一致性：前后一致。\n- 隔离性：互不相扰。\n- 持久性：不会丢失。"
    assert answer("事务的四个特性", passage(said + four)) == f"事务有这些特性：\n{four}[1]"
    three = four[: four.index("\n- 持久")]
    assert answer("事务的四个特性", passage(said + three)).startswith("事务支持")


def test_what_is_announced_under_a_heading_that_is_the_question_answers_why() -> None:
    text = "主要有两点：\n\n1. 数据都在内存里。\n2. 一个线程轮流处理。\n\n不全用它，主要是因为内存太贵，原因在成本。"
    said = answer("它为什么这么快", passage(text, "⭐️它为什么这么快？"))
    assert said == text[: text.index("\n\n不全")] + "[1]"


def test_a_question_that_nothing_follows_is_no_answer() -> None:
    listed = passage("- 什么是服务熔断？\n- 什么是服务降级？", "题目", doc="题.md")
    told = passage("熔断器打开时，调用直接失败，不再等待。", "保护", doc="熔断.md")
    assert "熔断器打开" in answer("服务熔断是什么", listed, told)
    assert "？" not in answer("服务熔断是什么", listed, told)
