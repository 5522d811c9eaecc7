"""Pages that the project's reader does not know become Markdown that asks for its sections; packages are pinned."""

from __future__ import annotations

import gzip
import json
import sys
from importlib import import_module as script
from pathlib import Path
from random import Random

import pytest

FOLDER = Path(__file__).parents[2] / "train" / "reranker"
MANUAL = """.TH TIDE 1 2020
.SH 名称
tide \\- 算出下一次涨潮的钟点
.SH 概要
\\fBtide\\fR [选项]
.SH 描述
.B tide
读取港口的观测记录，按月相和海底地形推算水位。结果按当地时间写出，一行一次，最近的排在最前面。没有观测记录的港口由相邻的两个港口推算出来，并在行尾标明。观测记录放在家目录里，
每天夜里更新一次，断网的时候用上一次的数据，超过三天没有更新就会提醒一声，请人去看看线路。
.SH 选项
.IP \\-p
港口的名字
"""


def test_a_manual_page_asks_with_the_line_that_says_what_it_is_for(tmp_path: Path) -> None:
    page = tmp_path / "tide.1.gz"
    page.write_bytes(gzip.compress(MANUAL.encode()))
    [(name, text)] = script("pages").man_page(page)
    assert name == "tide.1.md"
    assert text.startswith("# tide\n\n## 概要\n\ntide [选项]\n\n## 算出下一次涨潮的钟点\n\ntide\n读取港口")
    assert "## 选项\n\n-p\n港口的名字" in text


def test_a_command_s_first_section_gets_its_description_as_its_heading(tmp_path: Path) -> None:
    page = tmp_path / "tide.md"
    page.write_text(
        "tide\n===\n\n推算潮水。\n\n## 补充说明\n\n读取观测记录。\n\n## 语法\n\ntide -p\n", encoding="utf-8"
    )
    [(_, text)] = script("pages").linux_command(page)
    assert text == "# tide\n\n## 推算潮水\n\n\n读取观测记录。\n\n## 语法\n\ntide -p\n"


def test_a_help_page_keeps_titles_and_paragraphs_and_leaves_out_what_is_about_the_page(tmp_path: Path) -> None:
    page = tmp_path / "tide.page"
    page.write_text(
        '<page xmlns="http://projectmallard.org/1.0/"><info><desc><p>短</p></desc></info><title>看潮水</title>'
        "<p>打开 <app>潮水</app>。</p><section><title>换港口</title><p>点名字。</p></section></page>",
        encoding="utf-8",
    )
    [(name, text)] = script("pages").mallard(page)
    assert (name, text) == ("tide.md", "# 看潮水\n\n打开 潮水。\n\n## 换港口\n\n点名字。\n")


def test_the_pages_of_one_file_of_documents_come_one_by_one(tmp_path: Path) -> None:
    file = tmp_path / "docs.json"
    file.write_text(json.dumps({"zh-CN": {"api/tide": {"html": "<h1>潮水</h1>"}}}), encoding="utf-8")
    assert list(script("pages").electron_pages(file)) == [("api-tide.html", "<html><body><h1>潮水</h1></body></html>")]


def test_a_heading_that_many_pages_have_asks_with_its_page_s_title(tmp_path: Path) -> None:
    for name, body in (("tide", "港口"), ("moon", "月亮")):
        said = f"写上{body}的名字，一行一个，顺序随意；空行和井号后面的字不算。" * 3
        own = f"先看{body}的位置，再看表，表里没有的就按前后两天的推算出来，写在旁边。" * 3
        text = f"# 查{body}\n\n## {body}怎样推算\n\n{own}\n\n## 输入格式\n\n{said}\n"
        (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")
    passages, asked = script("headings").of_headings(tmp_path.glob("*.md"), Random(1), titled=True)
    assert len(passages) == 4
    assert sum("怎样推算" in one.question for one in asked) == 2
    [titled] = [one for one in asked if "输入格式" in one.question]
    assert passages[titled.answers[0]].title in titled.question


def test_every_archive_of_npm_and_pypi_is_pinned_and_every_package_has_a_licence() -> None:
    packages = script("packages").PACKAGES
    assert all(package.licence and package.pages for package in packages)
    assert all(package.version and len(package.sha256) == 64 for package in packages if package.registry != "debian")


def test_an_archive_that_is_not_the_pinned_one_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packages = script("packages")
    package = packages.Package("npm", "tide", ("*.md",), "MIT", version="1", sha256="0" * 64)
    monkeypatch.setattr(packages, "_command", lambda _: [sys.executable, "-c", "open('tide-1.tgz', 'w').write('x')"])
    with pytest.raises(SystemExit, match=r"tide-1\.tgz"):
        packages.fetch(package, tmp_path)


def test_every_written_line_names_its_passage_once_and_has_questions() -> None:
    lines = (FOLDER.parent / "data" / "reranker_questions.jsonl").read_text(encoding="utf-8").splitlines()
    read = [json.loads(line) for line in lines]
    assert len({one["key"] for one in read}) == len(read)
    assert all(one["asked"] or one["not"] for one in read)
    assert all(question.strip() for one in read for question in (*one["asked"], *one["not"]))
