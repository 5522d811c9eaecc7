"""Which pages of a PDF are read by OCR, and what happens to broken and locked files."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pymupdf
import pytest
from pdf_files import ScriptedPictures, new_doc, read, texts, write_lines
from PIL import Image, ImageDraw

from edu_cli.errors import LoadError
from edu_cli.ingest.layout.line import Line
from edu_cli.ingest.options import LoadOptions
from edu_cli.ingest.pdf.lines import Layer
from edu_cli.ingest.pdf.reader import read_pdf
from edu_cli.ingest.pdf.trust import doubt

SECRET = "秘密"  # noqa: S105
PROSE = [
    "操作系统是管理计算机硬件与软件资源的系统软件，它为用户和应用程序提供接口。",
    "进程是程序的一次执行，是系统进行资源分配的基本单位，线程则是调度的基本单位。",
    "死锁的四个必要条件是互斥、请求和保持、不可剥夺以及循环等待，破坏其一即可预防。",
    "分页存储管理把内存划分为大小相等的物理块，并用页表记录页号与块号的对应关系。",
]


def picture(width: int = 900, height: int = 1200) -> bytes:
    image = Image.new("L", (width, height), 255)
    ImageDraw.Draw(image).rectangle((100, 100, width - 100, 300), fill=0)
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def exchanged(lines: list[str]) -> list[str]:
    """The lines as a wrong ToUnicode table shows them: each character always as the same other one."""
    letters = sorted({char for line in lines for char in line if char.isalpha()})
    other = letters[:]
    random.Random(1).shuffle(other)
    return [line.translate(str.maketrans("".join(letters), "".join(other))) for line in lines]


def test_only_the_page_without_text_is_read_by_ocr(tmp_path: Path) -> None:
    doc = new_doc(3)
    write_lines(doc[0], PROSE)
    doc[1].insert_image(doc[1].rect, stream=picture())
    write_lines(doc[2], PROSE)
    pictures = ScriptedPictures("扫描的一页")
    document = read(doc, tmp_path / "a.pdf", pictures=pictures)
    assert [(page.page, page.reason) for page in document.pages_ocr] == [(2, "no_text")]
    assert len(pictures.read_pictures) == 1
    assert [block.page for block in document.blocks if block.text == "扫描的一页"] == [2]


def test_a_blank_page_is_not_read_by_ocr(tmp_path: Path) -> None:
    doc = new_doc(2)
    write_lines(doc[0], PROSE)
    pictures = ScriptedPictures()
    assert read(doc, tmp_path / "a.pdf", pictures=pictures).pages_ocr == ()
    assert pictures.read_pictures == []


def test_a_scan_under_a_small_digital_header_is_read_by_ocr(tmp_path: Path) -> None:
    doc = new_doc()
    doc[0].insert_text((60, 40), "图书馆数字化 编号 20260101", fontname="china-s", fontsize=8)
    doc[0].insert_image(pymupdf.Rect(30, 60, 565, 800), stream=picture())
    document = read(doc, tmp_path / "a.pdf", pictures=ScriptedPictures("图书馆数字化 编号 20260101 扫描的正文在这里"))
    assert [page.reason for page in document.pages_ocr] == ["scan"]


def test_a_picture_on_a_digital_page_is_read_in_its_place(tmp_path: Path) -> None:
    doc = new_doc()
    write_lines(doc[0], ["截图以前的一段。"], y=80)
    doc[0].insert_image(pymupdf.Rect(60, 120, 400, 360), stream=picture(680, 480))
    write_lines(doc[0], ["截图以后的一段。"], y=420)
    document = read(doc, tmp_path / "a.pdf", pictures=ScriptedPictures("截图里的文字"))
    assert texts(document) == ["截图以前的一段。", "截图里的文字", "截图以后的一段。"]
    assert [page.reason for page in document.pages_ocr] == ["picture"]


@pytest.mark.parametrize("bad", ["\ue716\uf3d1\ueb9f\ue406\ue39e\uea8c", "\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd"])
def test_unreadable_characters_make_a_page_garbled(bad: str) -> None:
    page = new_doc()[0]
    lines = [*(Line(text, (60, 100, 500, 112), 11) for text in PROSE), Line(bad, (60, 130, 160, 142), 11)]
    assert doubt(page, Layer(595, 842, tuple(lines))).reason == "garbled"
    assert doubt(page, Layer(595, 842, tuple(lines[:-1]))).reason == ""


def test_a_bullet_in_a_private_font_is_no_reason_for_ocr() -> None:
    lines = tuple(Line(f"\ue716 {text}", (60, 100, 500, 112), 11) for text in PROSE)
    assert doubt(new_doc()[0], Layer(595, 842, lines)).reason == ""


def test_fluent_nonsense_gives_way_to_ocr_that_makes_sense(tmp_path: Path) -> None:
    doc = new_doc()
    write_lines(doc[0], exchanged(PROSE), size=10)
    document = read(doc, tmp_path / "a.pdf", pictures=ScriptedPictures("".join(PROSE)))
    assert [page.reason for page in document.pages_ocr] == ["garbled"]
    assert texts(document) == ["".join(PROSE)]


def test_odd_text_stays_where_ocr_reads_nothing_better(tmp_path: Path) -> None:
    doc = new_doc()
    odd = exchanged(PROSE)
    write_lines(doc[0], odd, size=10)
    document = read(doc, tmp_path / "a.pdf", pictures=ScriptedPictures("".join(odd)))
    assert document.pages_ocr == ()
    assert odd[0] in "".join(texts(document))


def test_where_ocr_cannot_load_the_digital_pages_go_in_with_one_warning(tmp_path: Path) -> None:
    doc = new_doc(3)
    write_lines(doc[0], PROSE)
    for page in (doc[1], doc[2]):
        page.insert_image(page.rect, stream=picture())
    document = read(doc, tmp_path / "a.pdf", pictures=ScriptedPictures(fails=True))
    assert PROSE[0] in "".join(texts(document))
    assert len(document.warnings) == 1
    assert "libgl1" in document.warnings[0]


def test_without_ocr_a_scan_is_told(tmp_path: Path) -> None:
    doc = new_doc(2)
    write_lines(doc[0], PROSE)
    doc[1].insert_image(doc[1].rect, stream=picture())
    document = read(doc, tmp_path / "a.pdf", ocr="never")
    assert document.warnings == ("page 2 needs OCR (no_text), which is off.",)


def test_always_reads_every_page_by_ocr(tmp_path: Path) -> None:
    doc = new_doc(2)
    for page in doc:
        write_lines(page, PROSE)
    document = read(doc, tmp_path / "a.pdf", ocr="always", pictures=ScriptedPictures("".join(PROSE)))
    assert [(page.page, page.reason) for page in document.pages_ocr] == [(1, "forced"), (2, "forced")]


def test_a_password_opens_and_a_wrong_one_says_so(tmp_path: Path) -> None:
    path = tmp_path / "locked.pdf"
    doc = new_doc()
    write_lines(doc[0], ["加密的正文。"])
    doc.save(path, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw=SECRET, owner_pw="owner")
    for password in ("", "wrong"):
        with pytest.raises(LoadError, match=r"locked\.pdf") as caught:
            read_pdf(path, LoadOptions(pdf_password=password))
        assert caught.value.code == "encrypted"
    assert texts(read_pdf(path, LoadOptions(pdf_password=SECRET))) == ["加密的正文。"]


def test_a_file_that_only_its_owner_may_change_opens(tmp_path: Path) -> None:
    path = tmp_path / "owner.pdf"
    doc = new_doc()
    write_lines(doc[0], ["只限制打印的正文。"])
    doc.save(path, encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="owner")
    assert texts(read_pdf(path, LoadOptions())) == ["只限制打印的正文。"]


@pytest.mark.parametrize(
    ("data", "code"), [(b"", "empty"), (b"%PDF-1.7\n", "corrupt"), (bytes(range(256)) * 4, "corrupt")]
)
def test_what_is_no_pdf_fails_by_name(tmp_path: Path, data: bytes, code: str) -> None:
    path = tmp_path / "坏.pdf"
    path.write_bytes(data)
    with pytest.raises(LoadError, match=r"坏\.pdf") as caught:
        read_pdf(path, LoadOptions())
    assert caught.value.code == code


def test_junk_before_the_header_and_a_cut_end_do_not_cost_the_readable_pages(tmp_path: Path) -> None:
    doc = new_doc(3)
    for page in doc:
        write_lines(page, [f"第{page.number + 1}页的正文。"])
    data = doc.tobytes()
    path = tmp_path / "cut.pdf"
    path.write_bytes(b"junk\n" + data)
    assert len(read_pdf(path, LoadOptions()).blocks) == 3
    path.write_bytes(data[: data.rindex(b"xref")])
    document = read_pdf(path, LoadOptions())
    assert len(document.blocks) == 3
    assert "damaged" in document.warnings[0]


def test_a_huge_page_is_rendered_within_the_cap(tmp_path: Path) -> None:
    doc = new_doc(width=14400, height=14400)
    doc[0].insert_image(doc[0].rect, stream=picture())
    pictures = ScriptedPictures("海报")
    read(doc, tmp_path / "a.pdf", pictures=pictures)
    with Image.open(io.BytesIO(pictures.read_pictures[0])) as rendered:
        assert rendered.width * rendered.height <= 4_500_000


@pytest.mark.parametrize(("layer", "kept"), [("".join(PROSE), True), ("".join(exchanged(PROSE)), False)])
def test_an_invisible_layer_over_a_scan_is_used_only_where_it_makes_sense(
    tmp_path: Path, layer: str, kept: bool
) -> None:
    doc = new_doc()
    doc[0].insert_image(doc[0].rect, stream=picture())
    for at in range(0, len(layer), 40):
        doc[0].insert_text((40, 100 + 6 * at), layer[at : at + 40], fontname="china-s", fontsize=11, render_mode=3)
    pictures = ScriptedPictures("".join(PROSE))
    document = read(doc, tmp_path / "a.pdf", pictures=pictures)
    assert bool(document.pages_ocr) is not kept
    assert PROSE[1] in "".join(texts(document)).replace("\n", "")


def test_one_broken_page_is_told_and_costs_no_other(tmp_path: Path) -> None:
    doc = new_doc(3)
    for page in doc:
        write_lines(page, [f"第{page.number + 1}页的正文。"])
    doc.update_stream(doc[1].get_contents()[0], b"BT /F1 12 Tf (abc Tj garbage <<< >> ET q q q")
    document = read(doc, tmp_path / "a.pdf")
    assert texts(document) == ["第1页的正文。", "第3页的正文。"]
    assert document.warnings == ("page 2 is damaged: nothing on it can be read.",)


def test_a_blank_page_is_not_called_damaged(tmp_path: Path) -> None:
    doc = new_doc(2)
    write_lines(doc[0], PROSE)
    assert read(doc, tmp_path / "a.pdf").warnings == ()
