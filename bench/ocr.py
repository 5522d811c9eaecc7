"""OCR: error rates on pages rendered here, and seconds a page against plain RapidOCR, as JSON.

    python bench/ocr.py [--pages N] [--threads N] [--rounds N]

    python bench/ocr.py --smallest 64,245,368,490

    python bench/ocr.py --beyond 0,0.05,0.1,0.15,0.2,0.3

The second form reads pictures of one to four lines, of 9 to 30 pixels, padded to these sizes (chosen: picture_tiles.py).
The third reads lines with so much room before and after them, in shares of their height (chosen: upright.py): half of
the pages for choosing, half for checking; `ends` is the share of lines whose first two and last two characters are right.
Needs a Chinese font (Debian: fonts-wqy-zenhei). Each page is read by both, each first in every other round, in one
process with as many threads, so that the load of the machine falls on both; seconds are of CPU. The error rate is the
edit distance over the characters of the page after NFKC, white space aside.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

FONTS = ("/usr/share/fonts/truetype/wqy/wqy-zenhei.ttc", "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc")
PAGES = (
    ("第三章 存储器管理", "程序在执行之前要装入内存，由操作系统为它分配空间并完成地址变换。", "分页把逻辑空间划成大小相等的页面，页表记下每一页所在的物理块号。",
     "快表（TLB）保存最近用过的页表项，命中时只需访问一次内存。", "缺页率上升到一定程度时，处理机的利用率反而下降，这叫做抖动。", "思考题：页面大小取 4 KB 时，32 位地址的页内偏移占多少位？"),
    ("实验二 进程同步", "生产者和消费者共享一个有界缓冲区，容量为 8 个产品。", "互斥信号量 mutex 的初值为 1，空位信号量 empty 的初值为 8。",
     "先申请资源信号量，再申请互斥信号量，次序颠倒会造成死锁。", "提交内容包括源程序、运行截图和 500 字的实验报告。", "联系邮箱：os-lab@example.edu，截止日期 2026-05-20。"),
    ("第五讲 概率论基础", "随机变量的期望是取值的加权平均，权重就是相应的概率。", "若两个随机变量相互独立，则它们乘积的期望等于期望的乘积。",
     "方差刻画取值偏离期望的程度，标准差与随机变量的量纲相同。", "大数定律说明样本均值依概率收敛于总体均值。", "例 5.1 掷两枚均匀的骰子，点数之和等于 7 的概率是 1/6。"),
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=int, default=len(PAGES))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--smallest", metavar="PIXELS,…", default="")
    parser.add_argument("--beyond", metavar="SHARE,…", default="")
    args = parser.parse_args()
    from edu_cli.ingest.ocr.engine import load_line_reader
    from edu_cli.ingest.ocr.upright import UprightOcr

    ocr = UprightOcr(load_line_reader(args.threads))
    if args.smallest:
        json.dump([small_pictures(ocr, int(size)) for size in args.smallest.split(",")], sys.stdout)
        sys.stdout.write("\n")
        return
    if args.beyond:
        json.dump([beyond(ocr, float(share)) for share in args.beyond.split(",")], sys.stdout)
        sys.stdout.write("\n")
        return
    plain = plain_engine(args.threads)
    rows = []
    for name, spoil in KINDS.items():
        ours, theirs, errors, plain_errors = [], [], [], []
        for number, whole in enumerate(PAGES[: args.pages]):
            lines = whole[:3] if name == "snippet" else whole
            text = plain_text = ""
            picture = spoil(rendered(lines), np.random.default_rng(number))
            truth = folded("".join(lines))
            for turn in range(args.rounds):
                for who in ("ours", "plain") if turn % 2 else ("plain", "ours"):
                    if who == "ours":
                        text, seconds = timed(lambda picture=picture: our_text(ocr, picture))
                        ours.append(seconds)
                    else:
                        plain_text, seconds = timed(lambda picture=picture: plain_engine_text(plain, picture))
                        theirs.append(seconds)
            errors.append(edits(truth, folded(text)) / len(truth))
            plain_errors.append(edits(truth, folded(plain_text)) / len(truth))
        rows.append(
            {
                "kind": name,
                "cer": round(statistics.fmean(errors), 4),
                "worst": round(max(errors), 4),
                "plain_cer": round(statistics.fmean(plain_errors), 4),
                "cpu_seconds": round(statistics.fmean(ours), 2),
                "plain_cpu_seconds": round(statistics.fmean(theirs), 2),
                "ratio": round(sum(ours) / sum(theirs), 3),
            }
        )
    total = sum(row["cpu_seconds"] for row in rows) / sum(row["plain_cpu_seconds"] for row in rows)
    json.dump({"kinds": rows, "ratio": round(total, 3), "threads": args.threads}, sys.stdout, ensure_ascii=False)
    sys.stdout.write("\n")


def small_pictures(ocr: Any, smallest: int) -> dict[str, float]:
    """Seconds and mean error rate over pictures of a few lines that are padded to `smallest` pixels."""
    from edu_cli.ingest.ocr import picture_tiles

    vars(picture_tiles)["_SMALLEST"] = smallest
    seconds, errors = 0.0, []
    for page in PAGES:
        lines = [
            (size, some) for size in (9, 11, 13, 16, 22, 30) for some in ([page[1][:18]], [x[:24] for x in page[2:5]])
        ]
        for size, some in [*lines, (14, [page[0][-3:]]), (14, [line[:6] for line in page[1:5]])]:
            text, spent = timed(lambda size=size, some=some: our_text(ocr, few_lines(some, size)))
            truth = folded("".join(some))
            seconds += spent
            errors.append(edits(truth, folded(text)) / len(truth))
    return {"smallest": smallest, "cpu_seconds": round(seconds, 1), "cer": round(statistics.fmean(errors), 4)}


STARTS = ("口令为", "一、", "（1）", "“梯度”", "1. ", "I/O", "《算法》", "①", "-1 ", "l")
ENDS = ("。", "，", "；", "）", "1", "？", "……", "”", "l", "：")
MIDDLE = (
    "程序在执行之前要装入内存",
    "分页把逻辑空间划成大小相等的页面",
    "互斥信号量的初值",
    "期望是取值的加权平均",
    "缺页率上升到一定程度",
)


def beyond(ocr: Any, share: float) -> dict[str, Any]:
    """Error rates with so much room at the ends of lines that begin and end with small characters.

    Two fifths of the lines stand between rules, a third and a half of an em away, as in the cells of a table.
    """
    from edu_cli.ingest.ocr import upright

    vars(upright)["_BEYOND"] = share
    halves: tuple[list[tuple[str, str]], list[tuple[str, str]]] = ([], [])
    for number, end in enumerate(ENDS):
        lines = [start + MIDDLE[(number + at) % len(MIDDLE)] + end for at, start in enumerate(STARTS)]
        kind, rules = ((clean, 0), (noisy, 0), (small, 0), (clean, 16), (clean, 28))[number // 2]
        told = our_lines(ocr, kind(rendered(tuple(lines), rules), np.random.default_rng(number)))
        halves[number % 2].extend(zip(map(folded, lines), nearest(lines, told), strict=True))
    found: dict[str, Any] = {"beyond": share}
    for name, half in zip(("choose", "check"), halves, strict=True):
        wrong, total = sum(edits(line, got) for line, got in half), sum(len(line) for line, _ in half)
        ends = [line[:2] == got[:2] and line[-2:] == got[-2:] for line, got in half]
        found[name] = {"cer": round(wrong / total, 4), "ends": round(statistics.fmean(ends), 3)}
    return found


def nearest(lines: Sequence[str], told: Sequence[str]) -> list[str]:
    """For each line what was read of it, if anything."""
    texts = [folded(text) for text in told] or [""]
    return [min(texts, key=lambda text: edits(folded(line), text)) for line in lines]


def few_lines(lines: Sequence[str], size: int) -> np.ndarray:
    font, height = ImageFont.truetype(font_path(), size), int(size * 1.7)
    picture = Image.new("L", (int(max(map(font.getlength, lines))) + 16, height * len(lines) + 16), 255)
    for index, line in enumerate(lines):
        ImageDraw.Draw(picture).text((8, 8 + index * height), line, font=font, fill=0)
    return rgb(picture)


def plain_engine(threads: int) -> Any:
    try:
        from rapidocr_onnxruntime import RapidOCR
    except ImportError:
        from rapidocr import RapidOCR

        return RapidOCR(params={"EngineConfig.onnxruntime.intra_op_num_threads": threads})
    return RapidOCR(intra_op_num_threads=threads, inter_op_num_threads=1)


def plain_engine_text(engine: Any, picture: np.ndarray) -> str:
    result = engine(np.ascontiguousarray(picture[:, :, ::-1]))
    lines = [item[1] for item in result[0] or []] if isinstance(result, tuple) else list(result.txts or ())
    return "".join(lines)


def our_text(ocr: Any, picture: np.ndarray) -> str:
    from edu_cli.ingest.ocr.cache import FrameLines
    from edu_cli.ingest.ocr.layout import frame_blocks
    from edu_cli.ingest.ocr.picture_tiles import tiles, untile

    lines = untile([(tile, ocr.read(tile.image)) for tile in tiles(picture)])
    return "\n".join(block.text for block in frame_blocks(FrameLines(*picture.shape[1::-1], tuple(lines))))


def our_lines(ocr: Any, picture: np.ndarray) -> list[str]:
    from edu_cli.ingest.ocr.picture_tiles import tiles, untile

    return [line.text for line in untile([(tile, ocr.read(tile.image)) for tile in tiles(picture)])]


def timed(call: Any) -> tuple[str, float]:
    start = time.process_time()
    return call(), time.process_time() - start


def rendered(lines: tuple[str, ...], rules: int = 0) -> Image.Image:
    """A page of half A4's height at 300 dpi, text of 12 and 16 pt, wrapped; with `rules` so many pixels beside each line."""
    path = font_path()
    page = Image.new("L", (2480, 1754), 255)
    draw = ImageDraw.Draw(page)
    y = 200
    for index, line in enumerate(lines):
        font = ImageFont.truetype(path, 67 if index == 0 else 50)
        rest = line
        while rest:
            n = next(n for n in range(len(rest), 0, -1) if font.getlength(rest[:n]) <= 2040)
            draw.text((220, y), rest[:n], font=font, fill=0)
            for x in (220 - rules, 220 + int(font.getlength(rest[:n])) + rules) if rules else ():
                draw.line((x, y - 10, x, y + 80), fill=0, width=4)
            rest = rest[n:]
            y += 90
        y += 50
    return page


def font_path() -> str:
    path = next((font for font in FONTS if Path(font).exists()), None)
    return path or sys.exit("no Chinese font: apt-get install fonts-wqy-zenhei")


def clean(page: Image.Image, _rng: Any) -> np.ndarray:
    return rgb(page)


def skewed(page: Image.Image, _rng: Any) -> np.ndarray:
    return rgb(page.rotate(4, expand=True, fillcolor=255, resample=Image.Resampling.BICUBIC))


def noisy(page: Image.Image, rng: Any) -> np.ndarray:
    values = np.asarray(page.filter(ImageFilter.GaussianBlur(1.5)), dtype=np.float32)
    return rgb(Image.fromarray(np.clip(values * 0.8 + 25 + rng.normal(0, 22, values.shape), 0, 255).astype(np.uint8)))


def small(page: Image.Image, _rng: Any) -> np.ndarray:
    return rgb(page.resize((page.width * 72 // 300, page.height * 72 // 300), Image.Resampling.LANCZOS))


def snippet(page: Image.Image, _rng: Any) -> np.ndarray:
    """Its first lines alone at screen resolution, as pictures in slides and documents are."""
    part = page.crop((180, 160, 2480, 700))
    return rgb(part.resize((part.width * 96 // 300, part.height * 96 // 300), Image.Resampling.LANCZOS))


def turned(angle: int) -> Any:
    return lambda page, _rng: rgb(page.rotate(angle, expand=True))


KINDS: dict[str, Any] = {
    "clean": clean,
    "skewed": skewed,
    "noisy": noisy,
    "small": small,
    "snippet": snippet,
    "turned90": turned(90),
    "turned180": turned(180),
    "turned270": turned(270),
}


def rgb(page: Image.Image) -> np.ndarray:
    return np.asarray(page.convert("RGB"))


def folded(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split())


def edits(a: str, b: str) -> int:
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, right in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (left != right))
    return row[-1]


if __name__ == "__main__":
    main()
