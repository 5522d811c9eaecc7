from __future__ import annotations

import struct
from pathlib import Path

import pytest
from office_files import PICTURE, ScriptedPictures, docx, p, part, relations, style, texts, write_docx

from edu_cli.errors import LoadError
from edu_cli.ingest.office.docx import read_docx
from edu_cli.ingest.office.docx_fields import equation
from edu_cli.ingest.options import LoadOptions


def test_a_text_box_is_read_once_where_it_is_anchored(tmp_path: Path) -> None:
    box = "<w:txbxContent>" + p("报警分机 6119") + "</w:txbxContent>"
    drawing = (
        "<w:p><w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing><wps:txbx>"
        f"{box}</wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox>{box}</v:textbox></w:pict>"
        "</mc:Fallback></mc:AlternateContent></w:r></w:p>"
    )
    assert texts(docx(tmp_path, p("签到") + drawing + p("关电源"))) == ["签到", "报警分机 6119", "关电源"]


def test_tracked_changes_are_read_as_accepted(tmp_path: Path) -> None:
    body = (
        "<w:p><w:r><w:t>考试在</w:t></w:r><w:del><w:r><w:delText>6月</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>7月</w:t></w:r></w:ins><w:moveFrom><w:r><w:t>旧楼</w:t></w:r></w:moveFrom></w:p>"
    )
    assert texts(docx(tmp_path, body)) == ["考试在7月"]


def test_a_paragraph_whose_end_is_deleted_runs_on_into_the_next(tmp_path: Path) -> None:
    first = "<w:p><w:pPr><w:rPr><w:del w:id='1'/></w:rPr></w:pPr><w:r><w:t>前半</w:t></w:r></w:p>"
    assert texts(docx(tmp_path, first + p("后半"))) == ["前半后半"]


def test_hidden_text_and_comments_are_left_out(tmp_path: Path) -> None:
    body = (
        "<w:p><w:r><w:t>看得见</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>隐藏</w:t></w:r><w:r><w:rPr>"
        "<w:vanish w:val='0'/></w:rPr><w:t>又看得见</w:t></w:r><w:r><w:commentReference w:id='0'/></w:r></w:p>"
    )
    assert texts(docx(tmp_path, body, comments="<w:comment w:id='0'>" + p("批注") + "</w:comment>")) == [
        "看得见又看得见"
    ]


def test_a_style_can_hide_its_text(tmp_path: Path) -> None:
    styles = style("H", "Hidden", "<w:rPr><w:vanish/></w:rPr>")
    assert texts(docx(tmp_path, p("正文") + p("不显示", "<w:pStyle w:val='H'/>"), styles=styles)) == ["正文"]


def test_fields_give_their_results_and_never_their_codes(tmp_path: Path) -> None:
    def mark(kind: str) -> str:
        return f"<w:r><w:fldChar w:fldCharType='{kind}'/></w:r>"

    code = "<w:r><w:instrText>DOCPROPERTY X</w:instrText></w:r>"
    inner = (
        mark("begin")
        + "<w:r><w:t>内层代码</w:t></w:r>"
        + mark("separate")
        + "<w:r><w:t>内层结果</w:t></w:r>"
        + mark("end")
    )
    body = f"<w:p>{mark('begin')}{code}{inner}{mark('separate')}<w:r><w:t>敏行厅</w:t></w:r>{mark('end')}</w:p>"
    simple = "<w:p><w:fldSimple w:instr='DATE'><w:r><w:t>9月8日</w:t></w:r></w:fldSimple></w:p>"
    assert texts(docx(tmp_path, body + simple)) == ["敏行厅", "9月8日"]


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        (r"EQ \o\ac(○,1)", "①"),
        (r"eq \o\ac(○,A)", "A"),
        (r"EQ \f(1,2)", "1/2"),
        (r"EQ \r(,x+1)", "√x+1"),
        (r"EQ \f(a,\r(2,b))", "a/√b"),
        ("PAGE", ""),
        ("XE 索引", ""),
    ],
)
def test_equation_fields_show_what_they_draw(code: str, shown: str) -> None:
    assert equation(code) == shown


def test_a_field_that_never_ends_does_not_swallow_the_rest(tmp_path: Path) -> None:
    broken = "<w:p><w:r><w:t>前</w:t></w:r><w:r><w:fldChar w:fldCharType='begin'/></w:r></w:p>"
    assert texts(docx(tmp_path, broken + p("后面仍在"))) == ["前", "后面仍在"]


def test_form_fields_show_their_state(tmp_path: Path) -> None:
    choices = "<w:ddList><w:result w:val='1'/><w:listEntry w:val='必修'/><w:listEntry w:val='选修'/></w:ddList>"
    begin = f"<w:r><w:fldChar w:fldCharType='begin'><w:ffData>{choices}</w:ffData></w:fldChar></w:r>"
    code = "<w:r><w:instrText>FORMDROPDOWN</w:instrText></w:r><w:r><w:fldChar w:fldCharType='end'/></w:r>"
    assert texts(docx(tmp_path, f"<w:p><w:r><w:t>性质：</w:t></w:r>{begin}{code}</w:p>")) == ["性质：选修"]


def test_prompts_of_unfilled_controls_are_left_out_and_lettering_kept(tmp_path: Path) -> None:
    prompt = (
        "<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>" + p("单击此处输入文字") + "</w:sdtContent></w:sdt>"
    )
    lettering = "<w:p><w:r><w:pict><v:shape><v:textpath string='数据结构'/></v:shape></w:pict></w:r></w:p>"
    assert texts(docx(tmp_path, prompt + lettering)) == ["数据结构"]


def test_content_controls_links_and_smart_tags_keep_their_text(tmp_path: Path) -> None:
    body = (
        "<w:sdt><w:sdtContent>" + p("控件段落") + "</w:sdtContent></w:sdt>"
        "<w:p><w:smartTag><w:r><w:t>编号</w:t></w:r></w:smartTag><w:hyperlink><w:r><w:t>主页</w:t></w:r></w:hyperlink>"
        "<w:sdt><w:sdtContent><w:r><w:t>内嵌</w:t></w:r></w:sdtContent></w:sdt></w:p>"
    )
    assert texts(docx(tmp_path, body)) == ["控件段落", "编号主页内嵌"]


def test_a_generated_table_of_contents_is_left_out(tmp_path: Path) -> None:
    contents = (
        "<w:sdt><w:sdtPr><w:docPartObj><w:docPartGallery w:val='Table of Contents'/></w:docPartObj></w:sdtPr>"
        "<w:sdtContent>" + p("第一章……1") + "</w:sdtContent></w:sdt>"
    )
    styled = p("第二章……9", "<w:pStyle w:val='T1'/>")
    assert texts(docx(tmp_path, contents + styled + p("正文"), styles=style("T1", "toc 1"))) == ["正文"]


def test_footnotes_stand_below_the_paragraph_that_refers_to_them(tmp_path: Path) -> None:
    body = "<w:p><w:r><w:t>定义</w:t></w:r><w:r><w:footnoteReference w:id='2'/></w:r></w:p>" + p("下一段")
    notes = "<w:footnote w:id='0'><w:p/></w:footnote><w:footnote w:id='2'>" + p("脚注内容") + "</w:footnote>"
    assert texts(docx(tmp_path, body, footnotes=notes)) == ["定义[^1]", "[^1]: 脚注内容", "下一段"]


def test_headings_come_from_outline_levels_based_on_styles_and_localised_names(tmp_path: Path) -> None:
    styles = (
        style("1", "heading 1")
        + style("a", "章标题", based_on="1")
        + style("b", "标题 2")
        + style("c", "我的样式", "<w:pPr><w:outlineLvl w:val='2'/></w:pPr>")
    )
    body = "".join(p(name, f"<w:pStyle w:val='{key}'/>") for key, name in (("a", "甲"), ("b", "乙"), ("c", "丙")))
    own = p("丁", "<w:outlineLvl w:val='3'/>") + p("正文", "<w:pStyle w:val='a'/><w:outlineLvl w:val='9'/>")
    document = docx(tmp_path, body + own, styles=styles)
    assert [(block.kind, block.level) for block in document.blocks] == [
        ("heading", 1),
        ("heading", 2),
        ("heading", 3),
        ("heading", 4),
        ("paragraph", 0),
    ]


def test_without_heading_styles_larger_lines_become_headings(tmp_path: Path) -> None:
    def line(text: str, size: int) -> str:
        return f"<w:p><w:r><w:rPr><w:b/><w:sz w:val='{size}'/></w:rPr><w:t>{text}</w:t></w:r></w:p>"

    prose = "这里是一段足够长的正文，用来说明字号较小的文字才是正文，标题要比它大。" * 3
    body = (
        line("第一章 绪论", 32)
        + p(prose)
        + line("一、目的", 28)
        + p(prose)
        + line("强调的句子，不是标题。", 28)
        + p(prose)
    )
    document = docx(tmp_path, body)
    headings = [(block.text, block.level) for block in document.blocks if block.kind == "heading"]
    assert headings == [("第一章 绪论", 1), ("一、目的", 2)]


def test_formulas_are_written_as_latex(tmp_path: Path) -> None:
    def r(text: str) -> str:
        return f"<m:r><m:t>{text}</m:t></m:r>"

    fraction = f"<m:f><m:num>{r('a')}</m:num><m:den>{r('b')}</m:den></m:f>"
    total = (
        "<m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr>"
        f"<m:sub>{r('i=1')}</m:sub><m:sup>{r('n')}</m:sup><m:e>{r('i')}</m:e></m:nary>"
    )
    body = (
        f"<w:p><w:r><w:t>得</w:t></w:r><m:oMath>{fraction}{r('≤β')}</m:oMath></w:p>"
        f"<w:p><m:oMathPara><m:oMath>{total}</m:oMath></m:oMathPara></w:p>"
    )
    assert texts(docx(tmp_path, body)) == [r"得$\frac{a}{b}\le \beta$", r"$$\sum_{i=1}^{n} i$$"]


def test_symbols_checkboxes_breaks_and_ruby_are_read(tmp_path: Path) -> None:
    body = (
        "<w:p><w:r><w:sym w:font='Wingdings' w:char='F0FC'/></w:r><w:r><w:fldChar w:fldCharType='begin'><w:ffData>"
        "<w:checkBox><w:checked/></w:checkBox></w:ffData></w:fldChar></w:r><w:r><w:fldChar w:fldCharType='end'/></w:r>"
        "<w:r><w:t>甲</w:t><w:br/><w:t>乙</w:t><w:br w:type='page'/><w:noBreakHyphen/></w:r>"
        "<w:r><w:ruby><w:rt><w:r><w:t>hàn</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>汉</w:t></w:r></w:rubyBase></w:ruby></w:r></w:p>"
    )
    assert texts(docx(tmp_path, body)) == ["✓☑甲\n乙-汉(hàn)"]


def test_strict_files_are_read_like_transitional_ones(tmp_path: Path) -> None:
    strict = (
        "<w:document xmlns:w='http://purl.oclc.org/ooxml/wordprocessingml/main'><w:body><w:p><w:r>"
        "<w:t>严格格式</w:t></w:r></w:p></w:body></w:document>"
    )
    path = write_docx(tmp_path / "a.docx", "", {"word/document.xml": strict})
    assert texts(read_docx(path, LoadOptions())) == ["严格格式"]


def test_relationships_that_point_nowhere_cost_nothing_else(tmp_path: Path) -> None:
    rels = relations(("r1", "image", "NULL"), ("r2", "styles", "../NULL"))
    picture = "<w:p><w:r><w:drawing><a:blip r:embed='r1'/></w:drawing></w:r></w:p>"
    path = write_docx(tmp_path / "a.docx", p("正文") + picture, rels=rels)
    assert texts(read_docx(path, LoadOptions(pictures=ScriptedPictures("x")))) == ["正文"]


def test_pictures_are_read_in_place_and_once(tmp_path: Path) -> None:
    rels = relations(("r1", "image", "media/image1.png"))
    picture = "<w:p><w:r><w:drawing><a:blip r:embed='r1'/></w:drawing></w:r></w:p>"
    path = write_docx(
        tmp_path / "a.docx", p("前") + picture + p("后") + picture, {"word/media/image1.png": PICTURE}, rels=rels
    )
    reader = ScriptedPictures("图中文字")
    assert texts(read_docx(path, LoadOptions(pictures=reader))) == ["前", "图中文字", "后"]
    assert reader.n_read == 1


def test_an_old_formula_object_stands_in_its_line(tmp_path: Path) -> None:
    font = struct.pack("<IH10s8s", 17, 0x02FB, struct.pack("<hhhhh", -400, 0, 0, 0, 400), bytes(8)) + b"Arial".ljust(
        10, b"\0"
    )
    drawing = (
        bytes(18) + font + struct.pack("<IHH", 4, 0x012D, 0) + struct.pack("<IHhhHH4s", 9, 0x0A32, 0, 0, 3, 0, b"a=b\0")
    )
    body = (
        "<w:p><w:r><w:t>设</w:t></w:r><w:r><w:object><v:shape><v:imagedata r:id='r1'/></v:shape>"
        "<o:OLEObject ProgID='Equation.3'/></w:object></w:r><w:r><w:t>成立</w:t></w:r></w:p>"
    )
    rels = relations(("r1", "image", "media/1.wmf"))
    path = write_docx(tmp_path / "a.docx", body, {"word/media/1.wmf": drawing}, rels=rels)
    assert texts(read_docx(path, LoadOptions())) == ["设 a=b 成立"]


@pytest.mark.parametrize("pictures", [None, ScriptedPictures("", loads=False)])
def test_pictures_that_cannot_be_read_are_counted(tmp_path: Path, pictures: ScriptedPictures | None) -> None:
    rels = relations(("r1", "image", "media/1.png"), ("r2", "image", "media/2.png"))
    body = p("正文") + "".join(
        f"<w:p><w:r><w:drawing><a:blip r:embed='{r}'/></w:drawing></w:r></w:p>" for r in ("r1", "r2")
    )
    media: dict[str, str | bytes] = {"word/media/1.png": PICTURE, "word/media/2.png": PICTURE}
    document = read_docx(write_docx(tmp_path / "a.docx", body, media, rels=rels), LoadOptions(pictures=pictures))
    assert len(document.warnings) == 1
    assert document.warnings[0].startswith("pictures were not read, since")
    assert document.warnings[0].endswith(": 2")


def test_an_entity_bomb_is_refused(tmp_path: Path) -> None:
    bomb = "<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;'>]>" + part("document", "<w:body>&b;</w:body>")
    path = write_docx(tmp_path / "a.docx", "", {"word/document.xml": bomb})
    with pytest.raises(LoadError, match="entity bomb") as raised:
        read_docx(path, LoadOptions())
    assert raised.value.code == "too_large"


def test_a_zip_bomb_is_refused_by_its_declared_size(tmp_path: Path) -> None:
    path = write_docx(tmp_path / "a.docx", p("x"), {"word/media/big.bin": bytes(64 * 2**20)})
    with pytest.raises(LoadError, match="zip bomb") as raised:
        read_docx(path, LoadOptions())
    assert raised.value.code == "too_large"


def test_xml_that_is_cut_off_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    whole = part("document", f"<w:body>{p('第一段')}{p('第二段')}</w:body>")
    path = write_docx(tmp_path / "a.docx", "", {"word/document.xml": whole[: whole.index("第二段")]})
    assert texts(read_docx(path, LoadOptions())) == ["第一段"]


def test_a_damaged_side_part_costs_itself_only(tmp_path: Path) -> None:
    path = write_docx(tmp_path / "a.docx", p("正文"), {"word/styles.xml": "这不是 XML"})
    document = read_docx(path, LoadOptions())
    assert texts(document) == ["正文"]
    assert document.warnings == ("word/styles.xml is damaged and was not read",)


def test_numbers_that_lie_cost_neither_memory_nor_the_document(tmp_path: Path) -> None:
    wild = "<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val='99999999999'/></w:tcPr>" + p("甲") + "</w:tc></w:tr></w:tbl>"
    listed = p("项", "<w:numPr><w:ilvl w:val='x'/><w:numId w:val='1'/></w:numPr>")
    assert texts(docx(tmp_path, wild + listed, numbering="<w:num w:numId='1'/>")) == ["甲", "项"]


def test_the_author_and_the_time_of_the_last_change_are_kept(tmp_path: Path) -> None:
    core = "<x xmlns:d='d'><d:creator>李老师</d:creator><d:modified>2031-09-01T08:00:00Z</d:modified><d:title/></x>"
    path = write_docx(tmp_path / "a.docx", p("正文"), {"docProps/core.xml": core})
    assert read_docx(path, LoadOptions()).metadata == {"author": "李老师", "modified": "2031-09-01T08:00:00Z"}
