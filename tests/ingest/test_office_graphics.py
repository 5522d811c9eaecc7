from __future__ import annotations

from pathlib import Path

import pytest
from office_files import NAMESPACES, relations, write_docx

from edu_cli.errors import LoadError
from edu_cli.ingest.office.graphics import chart_blocks, diagram_blocks
from edu_cli.ingest.office.omml import latex
from edu_cli.ingest.office.ooxml import Element, Package, chosen


def _package(tmp_path: Path, content: str) -> Package:
    rels = relations(("r1", "any", "x.xml"))
    return Package(write_docx(tmp_path / "a.docx", "", {"word/x.xml": content}, rels=rels))


def _point(model_id: str, text: str = "", kind: str = "node") -> str:
    body = f"<dgm:t><a:p><a:r><a:t>{text}</a:t></a:r></a:p></dgm:t>" if text else ""
    return f"<dgm:pt modelId='{model_id}' type='{kind}'>{body}</dgm:pt>"


def _link(source: str, target: str, order: int) -> str:
    return f"<dgm:cxn srcId='{source}' destId='{target}' srcOrd='{order}'/>"


def test_a_diagram_is_a_nested_list_in_its_own_order(tmp_path: Path) -> None:
    points = (
        _point("0", kind="doc")
        + _point("b", "设计")
        + _point("a", "需求")
        + _point("c", "评审")
        + _point("p", "版式", "pres")
    )
    links = _link("0", "b", 1) + _link("0", "a", 0) + _link("a", "c", 0) + _link("a", "p", 1)
    content = (
        f"<dgm:dataModel {NAMESPACES}><dgm:ptLst>{points}</dgm:ptLst><dgm:cxnLst>{links}</dgm:cxnLst></dgm:dataModel>"
    )
    with _package(tmp_path, content) as package:
        assert diagram_blocks(package, "word/document.xml", "r1")[0].text == "- 需求\n  - 评审\n- 设计"


def test_a_diagram_that_points_to_itself_ends(tmp_path: Path) -> None:
    points = _point("0", kind="doc") + _point("a", "甲")
    links = _link("0", "a", 0) + _link("a", "a", 0)
    content = (
        f"<dgm:dataModel {NAMESPACES}><dgm:ptLst>{points}</dgm:ptLst><dgm:cxnLst>{links}</dgm:cxnLst></dgm:dataModel>"
    )
    with _package(tmp_path, content) as package:
        assert diagram_blocks(package, "word/document.xml", "r1")[0].text == "- 甲"


def test_a_chart_gives_its_title_and_its_cached_points(tmp_path: Path) -> None:
    def points(values: list[str]) -> str:
        return "".join(f"<c:pt idx='{i}'><c:v>{value}</c:v></c:pt>" for i, value in enumerate(values))

    def series(name: str, values: list[str]) -> str:
        return (
            f"<c:ser><c:tx><c:strRef><c:strCache>{points([name])}</c:strCache></c:strRef></c:tx>"
            f"<c:cat><c:strRef><c:strCache>{points(['甲班', '乙班'])}</c:strCache></c:strRef></c:cat>"
            f"<c:val><c:numRef><c:numCache>{points(values)}</c:numCache></c:numRef></c:val></c:ser>"
        )

    title = "<c:title><c:tx><c:rich><a:p><a:r><a:t>平均分</a:t></a:r></a:p></c:rich></c:tx></c:title>"
    bars = series("期中", ["4.2999999999999998", "80"]) + series("期末", ["85"])
    chart = f"<c:chart>{title}<c:plotArea><c:barChart>{bars}</c:barChart></c:plotArea></c:chart>"
    content = f"<c:chartSpace {NAMESPACES}>{chart}</c:chartSpace>"
    with _package(tmp_path, content) as package:
        blocks = chart_blocks(package, "word/document.xml", "r1")
    assert [(b.kind, b.text) for b in blocks] == [
        ("caption", "平均分"),
        ("table", "|  | 期中 | 期末 |\n| --- | --- | --- |\n| 甲班 | 4.3 | 85 |\n| 乙班 | 80 |  |"),
    ]


def test_a_relationship_that_is_not_there_gives_nothing(tmp_path: Path) -> None:
    with _package(tmp_path, "<x/>") as package:
        assert chart_blocks(package, "word/document.xml", "r9") == []
        assert diagram_blocks(package, "word/document.xml", "r9") == []


def test_a_package_without_a_main_part_is_damaged(tmp_path: Path) -> None:
    path = write_docx(tmp_path / "a.docx", "", {"_rels/.rels": "<x/>"})
    with Package(path) as package:
        assert package.main_part() == "word/document.xml"
        assert package.xml("word/none.xml") is None
    with (
        Package(write_docx(tmp_path / "b.docx", "", {"word/document.xml": "no xml"})) as package,
        pytest.raises(LoadError),
    ):
        package.xml("word/document.xml")


def test_the_branch_with_something_in_it_is_chosen() -> None:
    alternate = _tree(
        "<mc:AlternateContent><mc:Choice/><mc:Fallback><w:t>后备</w:t></mc:Fallback></mc:AlternateContent>"
    )
    branch = chosen(alternate)
    assert branch is not None
    assert branch.tag.endswith("Fallback")


def _tree(inside: str) -> Element:
    from lxml import etree

    return etree.fromstring(f"<x {NAMESPACES}>{inside}</x>")[0]


def _r(text: str, properties: str = "") -> str:
    return f"<m:r>{f'<m:rPr>{properties}</m:rPr>' if properties else ''}<m:t>{text}</m:t></m:r>"


def _e(name: str, *runs: str) -> str:
    return f"<m:{name}>{''.join(runs)}</m:{name}>"


@pytest.mark.parametrize(
    ("formula", "written"),
    [
        (_e("sSup", _e("e", _r("x")), _e("sup", _r("2"))), "x^{2}"),
        (_e("sSubSup", _e("e", _r("ab")), _e("sub", _r("i")), _e("sup", _r("n"))), "{ab}_{i}^{n}"),
        (_e("rad", _e("deg", _r("3")), _e("e", _r("x"))), r"\sqrt[3]{x}"),
        (_e("rad", _e("deg"), _e("e", _r("x+1"))), r"\sqrt{x+1}"),
        (_e("d", _e("e", _r("x"))), "(x)"),
        (_e("d", _e("e", _e("f", _e("num", _r("1")), _e("den", _r("2"))))), r"\left( \frac{1}{2} \right)"),
        (_e("func", _e("fName", _r("sin", "<m:sty m:val='p'/>")), _e("e", _r("θ"))), r"\sin \theta"),
        (_e("acc", "<m:accPr><m:chr m:val='\u0304'/></m:accPr>", _e("e", _r("x"))), r"\bar{x}"),
        (_e("limLow", _e("e", _r("lim")), _e("lim", _r("n→∞"))), r"\lim_{n\to \infty}"),
        (_e("m", _e("mr", _e("e", _r("a")), _e("e", _r("b"))), _e("mr", _e("e", _r("c")), _e("e", _r("d")))),
         r"\begin{matrix}a & b \\ c & d\end{matrix}"),
        (_e("eqArr", _e("e", _r("x&amp;=1")), _e("e", _r("y&amp;=2"))), r"\begin{aligned}x&=1 \\ y&=2\end{aligned}"),
        (_r("当且仅当", "<m:nor/>"), r"\text{当且仅当}"),
        (_r("𝑥𝛼50%"), r"x\alpha 50\%"),
        (_r("R", "<m:scr m:val='double-struck'/>"), r"\mathbb{R}"),
        (_e("borderBox", _e("e", _r("x"))), r"\boxed{x}"),
        (_e("unknown", _e("e", _r("仍在"))), "仍在"),
    ],
)  # fmt: skip
def test_formulas(formula: str, written: str) -> None:
    assert latex(_tree(f"<m:oMath>{formula}</m:oMath>")) == written
