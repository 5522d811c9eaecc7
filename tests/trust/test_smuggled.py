"""Files that try to bring in what lies outside them: external entities, links and names that lead elsewhere."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import docx
import openpyxl
import pptx
import pytest
from warm_edu import WarmEdu

pytestmark = pytest.mark.slow

OUTSIDE = "机密口令是海棠七号"
_PLACE = "这里是正文PLACE。"


def _docx() -> bytes:
    document, target = docx.Document(), io.BytesIO()
    document.add_heading("通知", 1)
    document.add_paragraph(_PLACE)
    document.save(target)
    return target.getvalue()


def _pptx() -> bytes:
    slides, target = pptx.Presentation(), io.BytesIO()
    slides.slides.add_slide(slides.slide_layouts[5]).shapes.title.text = _PLACE
    slides.save(target)
    return target.getvalue()


def _xlsx() -> bytes:
    book, target = openpyxl.Workbook(), io.BytesIO()
    assert book.active
    book.active.append(["项目", _PLACE])
    book.active.append(["学费", "2680"])
    book.save(target)
    return target.getvalue()


PACKAGES: Mapping[str, Callable[[], bytes]] = {"docx": _docx, "pptx": _pptx, "xlsx": _xlsx}


def _smuggling(package: bytes, entity: str) -> bytes:
    """The package, whose parts with PLACE in them want the entity's text there."""
    source, target = zipfile.ZipFile(io.BytesIO(package)), io.BytesIO()
    with zipfile.ZipFile(target, "w") as out:
        for name in source.namelist():
            text = source.read(name)
            if b"PLACE" in text:
                declared, _, rest = text.rpartition(b"?>")
                doctype = f"<!DOCTYPE x [{entity}]>".encode()
                text = declared + b"?>" * bool(declared) + doctype + rest.replace(b"PLACE", b"&outside;")
            out.writestr(name, text)
        out.writestr("../../../outside.txt", "written outside")
    return target.getvalue()


def _texts(secret: Path) -> Mapping[str, str]:
    uri = secret.as_uri()
    entity = f'<!DOCTYPE html [<!ENTITY outside SYSTEM "{uri}">]>'
    return {
        "a.html": f"<?xml version='1.0'?>{entity}<html><body><h1>通知</h1><p>正文&outside;</p>"
        f"<iframe src='{uri}'></iframe><object data='{uri}'></object><img src='{uri}'></body></html>",
        "b.md": f"# 通知\n\n正文。\n\n![图]({uri})\n\n![图](../outside/secret.txt)\n\n{{{{#include {secret}}}}}\n",
        "c.csv": f'问题,答案\n怎样缴费？,"=WEBSERVICE(""{uri}"")"\n',
        "d.mht": "MIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n--x\nContent-Type: text/html\n\n"
        f"<h1>通知</h1><p>正文</p>\n--x\nContent-Type: message/external-body; access-type=local-file; "
        f"name={secret}\n\n--x--\n",
    }


def test_no_reader_opens_what_a_file_points_to(edu: WarmEdu, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    secret = tmp_path / "outside" / "secret.txt"
    secret.write_text(OUTSIDE, encoding="utf-8")
    project = tmp_path / "p"
    (project / "资料").mkdir(parents=True)
    for name, text in _texts(secret).items():
        (project / "资料" / name).write_text(text, encoding="utf-8")
    external, parameter = (
        f'<!ENTITY outside SYSTEM "{secret.as_uri()}">',
        f'<!ENTITY % p SYSTEM "{secret.as_uri()}">%p;',
    )
    for kind, make in PACKAGES.items():
        for which, entity in (("external", external), ("parameter", parameter)):
            (project / "资料" / f"{which}.{kind}").write_bytes(_smuggling(make(), entity))
    ran = edu.run(project, "ingest", "资料", "--json")
    assert ran.code in (0, 3), ran.err
    assert "went wrong inside" not in ran.err + ran.out
    assert edu.run(project, "docs", "list", "--json").out.count(".html") >= 1
    assert OUTSIDE not in edu.run(project, "docs", "export").out
    kept = b"".join(path.read_bytes() for path in (project / ".edu").rglob("*") if path.is_file())
    assert OUTSIDE.encode() not in kept
    assert sorted(path.name for path in tmp_path.iterdir()) == ["outside", "p"], "an archive wrote beside the project"
    assert [path.name for path in (tmp_path / "outside").iterdir()] == ["secret.txt"]
