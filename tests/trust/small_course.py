"""The files of a small course, and of what it becomes."""

from __future__ import annotations

from pathlib import Path

COURSE = {
    "database/锁.md": "# 第五讲 锁\n\n## 5.3 死锁\n\n死锁的四个必要条件是互斥、占有并等待、不可剥夺和循环等待。\n"
    "减少死锁的办法是按同一顺序加锁。\n\n## 5.4 隔离级别\n\n可重复读是默认的隔离级别。\n",
    "python/装饰器.md": "# 装饰器\n\n装饰器是接受函数并返回函数的函数。functools.wraps 保留原函数的名字。\n",
    "ai/梯度下降.txt": "梯度下降\n\n学习率太大时损失会发散，太小时收敛很慢。动量可以加快收敛。\n",
    "service/常见问题.csv": "问题,答案\n可以分期付款吗？,学费在 3000 元以上的课程可以分 3 期。\n"
    "怎么请假？,提前一天在平台上提交。\n",
}
EDITED = {
    "database/锁.md": COURSE["database/锁.md"].replace("按同一顺序加锁", "按同一顺序加锁，并设置超时"),
    "python/装饰器.md": None,
    "python/生成器.md": "# 生成器\n\n生成器用 yield 逐个产生值，占用的内存与长度无关。\n",
    "ai/优化/梯度下降.txt": COURSE["ai/梯度下降.txt"],
    "ai/梯度下降.txt": None,
    "service/常见问题.csv": COURSE["service/常见问题.csv"] + "有发票吗？,开课后可以申请电子发票。\n",
}


def write(folder: Path, files: dict[str, str] | dict[str, str | None]) -> None:
    """Puts the files there; None removes one."""
    for name, text in files.items():
        path = folder / name
        if text is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
