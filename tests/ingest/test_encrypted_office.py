from __future__ import annotations

import io
from pathlib import Path

import docx
import pytest

from edu_cli.errors import LoadError
from edu_cli.ingest.load import load
from edu_cli.ingest.options import LoadOptions

_SESAME = "芝麻开门"


def _encrypted(folder: Path) -> Path:
    msoffcrypto = pytest.importorskip("msoffcrypto", reason="msoffcrypto-tool is not installed")
    document = docx.Document()
    document.add_heading("第一章 密码学", 1)
    document.add_paragraph("对称加密用同一把钥匙。")
    plain = io.BytesIO()
    document.save(plain)
    path = folder / "试卷.docx"
    with path.open("wb") as file:
        msoffcrypto.OfficeFile(plain).encrypt(_SESAME, file)
    return path


def test_an_office_file_with_a_password_is_opened_by_it(tmp_path: Path) -> None:
    document = load(_encrypted(tmp_path), LoadOptions(pdf_password=_SESAME))
    assert (document.format, document.title) == ("docx", "第一章 密码学")
    assert any("同一把钥匙" in block.text for block in document.blocks)


@pytest.mark.parametrize(("password", "said"), [("", "it asks for a password"), ("错", "does not open it")])
def test_without_the_password_the_file_is_told_as_encrypted(tmp_path: Path, password: str, said: str) -> None:
    with pytest.raises(LoadError, match=said) as told:
        load(_encrypted(tmp_path), LoadOptions(pdf_password=password))
    assert (told.value.code, "试卷.docx" in told.value.message) == ("encrypted", True)
    assert "--password" in told.value.hint
