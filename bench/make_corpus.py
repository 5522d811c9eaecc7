"""Writes the binary files of `corpus/` (docx, pptx, pdf, scans) from the text below.

    python bench/make_corpus.py [corpus]

Only needed when this text changes. The scans are drawn with a Chinese font (Debian: fonts-wqy-zenhei), tilted a little
and given noise from a fixed seed, so that reading them is real OCR.
"""

from __future__ import annotations

import argparse
import io
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

FONT = "/usr/share/fonts/truetype/wqy/wqy-zenhei.ttc"
SEED = 20261129


def handbook(path: Path) -> None:
    """The student handbook: headings, numbered rules, a table, a picture with text."""
    import docx

    d = docx.Document()
    d.core_properties.author = "青禾学堂教务处"
    d.add_heading("青禾学堂学员手册", 0)
    d.add_paragraph("本手册适用于 2026 年秋季入学的所有学员，由教务处每学期修订一次。")
    d.add_heading("第一章 报名与缴费", 1)
    d.add_heading("1.1 报名条件", 2)
    d.add_paragraph(
        "年满 16 周岁即可报名；未满 18 周岁的学员需要监护人签署同意书。报名不要求学历，但进阶班要求通过入学测试，测试满分 100 分，60 分及格。"
    )
    d.add_heading("1.2 学费标准", 2)
    d.add_paragraph("各课程学费如下，含讲义和在线实验环境，不含纸质证书工本费。")
    table = d.add_table(rows=1, cols=4)
    table.style = "Table Grid"
    for cell, text in zip(table.rows[0].cells, ("课程", "学时", "学费（元）", "班型"), strict=True):
        cell.text = text
    for row in (
        ("Python 程序设计", "36", "2680", "小班 24 人"),
        ("数据库基础", "30", "2280", "小班 24 人"),
        ("机器学习入门", "48", "4580", "小班 18 人"),
        ("周末编程体验课", "4", "99", "大班 60 人"),
    ):
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    d.add_heading("1.3 优惠", 2)
    d.add_paragraph("老学员续报立减 200 元；三人及以上同时报名同一课程，每人减 150 元。两项优惠不能同时使用。")
    d.add_heading("第二章 考勤与请假", 1)
    d.add_heading("2.1 考勤", 2)
    d.add_paragraph(
        "线下课开始 10 分钟后到达算迟到，累计三次迟到按一次缺课计算。缺课超过总学时的三分之一，取消结课答辩资格。"
    )
    d.add_heading("2.2 请假", 2)
    d.add_paragraph("请假应当至少提前 24 小时在学员中心提交；突发疾病可以在课后 48 小时内补交证明。")
    d.add_heading("第三章 学习支持", 1)
    d.add_paragraph("助教答疑时间为每周三和周六 20:00–21:30，在班级群内进行。作业批改在提交后 3 个工作日内完成。")
    d.add_paragraph("机房座位示意见下图。")
    d.add_picture(
        io.BytesIO(
            _png(
                ("机房 B203 座位安排", "靠窗 1 至 12 号为 Windows 电脑", "靠墙 13 至 24 号为 Linux 电脑"), 900, 240, 34
            )
        )
    )
    d.add_heading("第四章 行为规范", 1)
    d.add_paragraph("机房内禁止饮食。借用的笔记本电脑应当在当天 22:00 前归还，逾期每天收取 20 元保管费。")
    d.save(str(path))


def exam(path: Path) -> None:
    """A sample paper: items with options, answer and explanation."""
    import docx

    d = docx.Document()
    d.add_heading("Python 期末试卷样题", 0)
    d.add_paragraph("考试时间 100 分钟，满分 100 分，60 分及格，闭卷。")
    d.add_heading("一、单项选择题（每题 3 分）", 1)
    for text in (
        "1. 下列对象中可以作为字典键的是（　　）。\nA. [1, 2]\nB. {1, 2}\nC. (1, 2)\nD. {1: 2}\n答案：C\n解析：键必须可哈希，元组不可变所以可以，列表、集合和字典都不行。",
        "2. 表达式 3 // 2 * 2 的值是（　　）。\nA. 3\nB. 2\nC. 2.0\nD. 1.5\n答案：B\n解析：// 与 * 优先级相同，从左到右计算，3 // 2 得 1，再乘 2 得 2。",
        "3. 关于 finally 子句，说法正确的是（　　）。\nA. 只在没有异常时执行\nB. 只在有异常时执行\nC. 无论是否有异常都执行\nD. 必须和 else 一起使用\n答案：C\n解析：finally 常用来释放资源，即使 try 里有 return 也会执行。",
    ):
        d.add_paragraph(text)
    d.add_heading("二、编程题（每题 20 分）", 1)
    d.add_paragraph(
        "4. 写一个生成器函数 chunks(items, n)，每次产出长度为 n 的一段，最后不足 n 的也要产出。\n评分要点：使用 yield（8 分）；处理末尾不足 n 的情况（8 分）；n 小于 1 时抛出 ValueError（4 分）。"
    )
    d.save(str(path))


def slides(path: Path) -> None:
    """A lecture: titles, bullets, a table, notes."""
    import pptx
    from pptx.util import Inches

    p = pptx.Presentation()

    def bullets(title: str, lines: tuple[str, ...], notes: str = "") -> None:
        slide = p.slides.add_slide(p.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = "\n".join(lines)
        if notes:
            slide.notes_slide.notes_text_frame.text = notes

    cover = p.slides.add_slide(p.slide_layouts[0])
    cover.shapes.title.text = "迭代器与生成器"
    cover.placeholders[1].text = "Python 程序设计 第 7 周\n主讲：陆清和"
    bullets(
        "可迭代对象与迭代器",
        (
            "可迭代对象实现 __iter__，每次返回一个新的迭代器",
            "迭代器实现 __next__，没有元素时抛出 StopIteration",
            "迭代器只能向前走，用完一次就空了",
        ),
    )
    bullets(
        "生成器函数",
        (
            "函数体里有 yield 就是生成器函数",
            "调用它不会执行函数体，而是返回生成器对象",
            "每次 next() 执行到下一个 yield 为止",
            "适合逐行读取大文件，内存占用与文件大小无关",
        ),
        "课堂演示：用生成器统计 2 GB 日志，内存峰值约 15 MB。",
    )
    slide = p.slides.add_slide(p.slide_layouts[5])
    slide.shapes.title.text = "列表推导与生成器表达式对比"
    table = slide.shapes.add_table(4, 3, Inches(0.8), Inches(1.8), Inches(8), Inches(2.4)).table
    for r, row in enumerate(
        (
            ("比较项", "列表推导", "生成器表达式"),
            ("写法", "[x*x for x in a]", "(x*x for x in a)"),
            ("求值时机", "立即求值", "惰性求值"),
            ("能否重复遍历", "能", "不能"),
        )
    ):
        for c, text in enumerate(row):
            table.cell(r, c).text = text
    bullets(
        "yield from",
        ("yield from it 把另一个可迭代对象的元素逐个产出", "还能把子生成器的 return 值传回来", "常用来展平嵌套结构"),
    )
    bullets(
        "实验六：惰性读取大文件",
        (
            "输入：data/access.log，约 300 万行",
            "要求：统计每小时的请求数，内存不超过 50 MB",
            "提交截止：第 8 周周日 23:59",
        ),
    )
    p.save(str(path))


def text_pdf(path: Path) -> None:
    """A chapter with a text layer: three pages with running header and page numbers."""
    import pymupdf

    pages = (
        (
            ("h1", "第五讲 事务与索引"),
            ("h2", "5.1 事务的 ACID 性质"),
            (
                "p",
                "事务（transaction）是一组要么全部成功、要么全部失败的操作。原子性（Atomicity）保证不会只做一半；一致性（Consistency）保证约束始终成立；"
                "隔离性（Isolation）保证并发事务互不干扰；持久性（Durability）保证提交后的结果不会因为断电而丢失。",
            ),
            (
                "p",
                "数据库用重做日志（redo log）实现持久性，用回滚日志（undo log）实现原子性。提交时先把日志写入磁盘，再慢慢写数据页，这叫预写日志（WAL）。",
            ),
            ("h2", "5.2 隔离级别"),
            (
                "p",
                "SQL 标准定义了四个隔离级别：读未提交、读已提交、可重复读和可串行化。读未提交会出现脏读；读已提交会出现不可重复读；可重复读在标准中仍可能出现幻读；可串行化没有这些问题，但并发度最低。",
            ),
        ),
        (
            (
                "p",
                "MySQL 的 InnoDB 引擎默认使用可重复读，并用间隙锁（gap lock）避免了大部分幻读；PostgreSQL 默认使用读已提交。",
            ),
            ("h2", "5.3 死锁"),
            (
                "p",
                "两个事务互相等待对方持有的锁，就形成死锁。数据库会检测等待图中的环，选择代价较小的事务回滚。应用程序应当捕获死锁错误并重试，并且让所有事务按相同的顺序访问表，以减少死锁。",
            ),
            ("h2", "5.4 B+ 树索引"),
            (
                "p",
                "关系数据库的索引大多是 B+ 树：非叶子节点只存键，叶子节点存放数据或行的位置，并且用链表连在一起，因此范围查询很快。一棵三层的 B+ 树通常可以存放上千万行。",
            ),
        ),
        (
            ("h2", "5.5 联合索引与最左前缀"),
            (
                "p",
                "联合索引 (a, b, c) 按 a、b、c 的顺序排序，所以条件里有 a，或者有 a 和 b，都能用上索引；只有 b 或 c 时用不上。这叫最左前缀原则。",
            ),
            ("h2", "5.6 索引失效的常见原因"),
            (
                "p",
                "在索引列上使用函数、做隐式类型转换、用以通配符开头的 LIKE '%abc'，都会让索引失效。区分度太低的列（例如性别）建索引的意义也不大。",
            ),
            ("h2", "5.7 作业"),
            (
                "p",
                "作业五：为选课表设计索引，并用 EXPLAIN 比较前后的执行计划。截止时间为第 9 周周五 18:00，提交 PDF 报告，不超过 3 页。",
            ),
        ),
    )
    size = {"h1": 20, "h2": 15, "p": 11}
    doc = pymupdf.open()
    for number, blocks in enumerate(pages, 1):
        page = doc.new_page(width=595, height=842)
        page.insert_text((72, 40), "数据库基础讲义 · 青禾学堂", fontname="wqy", fontfile=FONT, fontsize=9)
        page.insert_text((285, 815), f"第 {number} 页", fontname="wqy", fontfile=FONT, fontsize=9)
        y = 70.0
        for kind, text in blocks:
            height = size[kind] * 1.6 * (1 + len(text) * size[kind] // 440)
            rect = pymupdf.Rect(72, y, 523, y + height + 30)
            left = page.insert_textbox(rect, text, fontname="wqy", fontfile=FONT, fontsize=size[kind], lineheight=1.5)
            if left < 0:
                raise ValueError(f"page {number}: {text[:20]} does not fit")
            y += rect.height - left + 10
    doc.set_toc(
        [
            [1, "第五讲 事务与索引", 1],
            [2, "5.1 事务的 ACID 性质", 1],
            [2, "5.2 隔离级别", 1],
            [2, "5.3 死锁", 2],
            [2, "5.4 B+ 树索引", 2],
            [2, "5.5 联合索引与最左前缀", 3],
            [2, "5.6 索引失效的常见原因", 3],
            [2, "5.7 作业", 3],
        ]
    )
    doc.set_metadata({"title": "第五讲 事务与索引", "author": "青禾学堂教研组"})
    doc.subset_fonts()
    doc.save(str(path), garbage=4, deflate=True)


def _page(lines: tuple[str, ...], width: int, height: int, size: int, *, gap: float = 1.75) -> Image.Image:
    image = Image.new("L", (width, height), 255)
    draw = ImageDraw.Draw(image)
    font = ImageFont.truetype(FONT, size)
    y = size * 1.2
    for line in lines:
        draw.text((size * 1.5, y), line, font=font, fill=15)
        y += size * gap
    return image


def _png(lines: tuple[str, ...], width: int, height: int, size: int) -> bytes:
    out = io.BytesIO()
    _page(lines, width, height, size).save(out, "PNG")
    return out.getvalue()


def _photographed(image: Image.Image, tilt: float, seed: int) -> Image.Image:
    """Tilted, a little blurred, with sensor noise: a scan as schools have them."""
    turned = image.rotate(tilt, resample=Image.Resampling.BICUBIC, expand=True, fillcolor=245)
    noise = np.random.default_rng(seed).normal(0, 7, (turned.height, turned.width))
    grey = np.asarray(turned.filter(ImageFilter.GaussianBlur(0.6)), np.float32) + noise
    return Image.fromarray(grey.clip(0, 255).astype(np.uint8))


def scanned_pdf(path: Path) -> None:
    """The refund rules: two pages that are pictures only."""
    import pymupdf

    pages = (
        (
            "退费规定",
            "第一条 开课前 7 天以上申请退费的，退还全部学费。",
            "第二条 开课前 7 天以内申请退费的，收取学费的 5% 作为手续费。",
            "第三条 开课后、课程未过三分之一的，按剩余学时的",
            "80% 退还学费。",
            "第四条 课程超过三分之一的，不予退费，可以申请保留学籍，",
            "保留期最长 12 个月。",
            "第五条 讲义一经领取不予退还，扣除讲义费 60 元。",
        ),
        (
            "补充说明",
            "第六条 退费申请在学员中心提交，教务处在 5 个工作日内审核。",
            "第七条 审核通过后，学费在 10 个工作日内退回原支付账户。",
            "第八条 因学堂原因停课的，退还全部剩余学费，",
            "并补偿一张 200 元的课程券。",
            "第九条 对退费结果有异议的，可以在 15 天内申请复核。",
        ),
    )
    doc = pymupdf.open()
    for number, lines in enumerate(pages):
        image = _photographed(_page(lines, 1240, 1000, 36), (-0.8, 0.6)[number], SEED + number)
        out = io.BytesIO()
        image.save(out, "JPEG", quality=72)
        page = doc.new_page(width=595, height=595 * image.height / image.width)
        page.insert_image(page.rect, stream=out.getvalue())
    doc.save(str(path), garbage=4, deflate=True)


def photo(path: Path) -> None:
    """A notice on the wall, photographed."""
    lines = (
        "关于国庆期间课程调整的通知",
        "10 月 1 日至 10 月 5 日停课，",
        "10 月 6 日起恢复正常上课。",
        "10 月 2 日的 Python 课补到 10 月 11 日上午 9:30，",
        "地点改为 A 座 405 教室。",
        "数据库课不补课，改为在线录播。",
        "教务处 2026 年 9 月 20 日",
    )
    _photographed(_page(lines, 1200, 620, 40), 1.1, SEED + 7).save(path, "JPEG", quality=80)


def board(path: Path) -> None:
    """A page of notes as a screenshot."""
    lines = (
        "机器学习入门 第 1 讲 板书",
        "监督学习：训练数据有标签，例如分类和回归",
        "无监督学习：训练数据没有标签，例如聚类和降维",
        "过拟合：训练误差小，测试误差大",
        "缓解过拟合：增加数据、正则化、提前停止、dropout",
        "学习率太大时损失会震荡甚至发散",
        "本课程默认学习率取 0.01，批大小取 32",
    )
    _page(lines, 1300, 640, 38).convert("RGB").save(path, "PNG", optimize=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path, nargs="?", default=Path("corpus"), help="where the files are written")
    root = parser.parse_args().root
    for name, build in (
        ("service/学员手册.docx", handbook),
        ("python/期末试卷样题.docx", exam),
        ("python/迭代器与生成器.pptx", slides),
        ("database/事务与索引.pdf", text_pdf),
        ("service/退费规定（扫描）.pdf", scanned_pdf),
        ("service/国庆调课通知.jpg", photo),
        ("ai/机器学习板书.png", board),
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        build(root / name)


if __name__ == "__main__":
    main()
