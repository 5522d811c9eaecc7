"""What turns text into questions: headings as they are asked, and questions changed so that a passage no longer answers."""

from __future__ import annotations

import random
import re

# Verbs that begin the heading of a task.
_VERBS = [
    "安装",
    "配置",
    "设置",
    "使用",
    "创建",
    "添加",
    "删除",
    "移除",
    "更改",
    "修改",
    "查看",
    "打开",
    "关闭",
    "选择",
    "移动",
    "编辑",
    "插入",
    "导入",
    "导出",
    "保存",
    "打印",
    "复制",
    "粘贴",
    "启动",
    "启用",
    "禁用",
    "连接",
    "管理",
    "编写",
    "编译",
    "构建",
    "运行",
    "测试",
    "调试",
    "升级",
    "更新",
    "下载",
    "检查",
    "计算",
    "转换",
    "调整",
    "应用",
    "绘制",
    "定义",
    "自定义",
    "合并",
    "拆分",
    "排序",
    "筛选",
    "查找",
    "替换",
    "显示",
    "隐藏",
    "备份",
    "恢复",
    "共享",
    "发送",
    "接收",
    "解决",
    "实现",
    "设计",
    "处理",
    "防止",
    "避免",
    "获取",
    "提交",
    "准备",
    "制作",
    "加载",
    "卸载",
    "切换",
    "锁定",
    "保护",
    "分析",
    "监控",
    "优化",
    "理解",
]
_TASK = ("如何{}？", "怎么{}？", "怎样{}？", "{}的步骤是什么？", "{}要怎么做", "{}")
_THING = ("什么是{}？", "{}是什么？", "{}有什么作用？", "介绍一下{}", "{}怎么理解？", "{}是什么意思", "{}")
_ASKS = re.compile(r"[?？]|什么|如何|怎[么样]|为何|为什么|哪|多少|几|是否|吗|区别")
_PLAIN_SHARE = 0.4  # of headings asked as they stand
_NUMBERS = re.compile(r"(?<![A-Za-z\d.])\d+(?:\.\d+)?(?![A-Za-z\d])")


def question_of(heading: str, title: str, rng: random.Random) -> str:
    """A heading as a user would ask it; one in three that does not name its page's subject is led by it."""
    lead = f"{title}：" if title and title != heading and rng.random() < 1 / 3 else ""
    if _ASKS.search(heading) or rng.random() < _PLAIN_SHARE:
        return lead + heading
    forms = _TASK if heading.startswith(tuple(_VERBS)) else _THING
    return lead + rng.choice(forms).format(heading)


def other_number(number: str, rng: random.Random) -> str:
    """Another number of the same kind: years stay years, decimals keep their digits."""
    value = float(number)
    whole = "." not in number
    if whole and 1000 <= value <= 2100:
        return str(int(value) + rng.choice([-3, -2, -1, 1, 2, 3]))
    if whole:
        changed = max(1, round(value * rng.choice([0.5, 0.7, 1.4, 2, 3])) + rng.choice([-1, 1]))
        return str(changed if changed != int(value) else changed + 1)
    return f"{value * rng.choice([0.5, 0.8, 1.3, 2]) + 0.1:.{len(number.split('.')[1])}f}"


def changed_numbers(question: str, passage: str, rng: random.Random) -> tuple[str, str] | None:
    """(question, passage) each with a number of the question that the passage holds made another; None without one."""
    shared = [n for n in dict.fromkeys(_NUMBERS.findall(question)) if n in _NUMBERS.findall(passage)]
    if not shared:
        return None
    number = rng.choice(shared)
    other = other_number(number, rng)
    swap = re.compile(rf"(?<![A-Za-z\d.]){re.escape(number)}(?![A-Za-z\d])")
    return swap.sub(other, question), swap.sub(other, passage)
