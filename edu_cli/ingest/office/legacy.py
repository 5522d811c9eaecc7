"""Office files of before 2007, RTF and OpenDocument -> documents, by LibreOffice, or by less where it is absent."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from edu_cli.errors import LoadError
from edu_cli.ingest.office.encrypted import decrypted
from edu_cli.ingest.office.legacy_doc import doc_blocks
from edu_cli.ingest.office.legacy_ole import is_encrypted, ppt_blocks
from edu_cli.ingest.office.legacy_rtf import rtf_blocks
from edu_cli.ingest.options import LoadOptions
from edu_cli.ingest.scan import shown
from edu_cli.ingest.sniff import HEAD_BYTES, format_of
from edu_cli.types import Block, Document

_TARGETS = {
    **dict.fromkeys(("doc", "rtf", "odt", "wordml"), "docx"),
    **dict.fromkeys(("ppt", "odp"), "pptx"),
    **dict.fromkeys(("xls", "ods"), "xlsx"),
}
_EXTENSIONS = {"wordml": "xml"}
_PACKAGES = "apt-get install --no-install-recommends libreoffice-writer-nogui libreoffice-impress-nogui"
_CONVERT_S = 150  # a large deck takes 20 seconds; past this soffice hangs
_ELSEWHERE = (
    "/Applications/LibreOffice.app/Contents/MacOS/soffice",
    "C:/Program Files/LibreOffice/program/soffice.exe",
    "C:/Program Files (x86)/LibreOffice/program/soffice.exe",
)
# A fresh profile runs macros of no file and follows none of its links to other files or to the network.
_SCRIPTING = '<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="{}" oor:op="fuse">'
_SAFETY = ("DisableMacrosExecution", "BlockUntrustedRefererLinks", "DisableActiveContent")
_PROFILE = "\n".join(
    (
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<oor:items xmlns:oor="http://openoffice.org/2001/registry">',
        *(f"{_SCRIPTING.format(name)}<value>true</value></prop></item>" for name in _SAFETY),
        "</oor:items>",
    )
)


def read_legacy(path: Path, options: LoadOptions) -> Document:
    """The document that LibreOffice makes of it; .doc, .ppt and .rtf have a fallback that gives their plain text.

    Raises LoadError `unsupported`, naming the Debian packages, where nothing here can read the file.
    """
    with path.open("rb") as file:
        kind = format_of(path, file.read(HEAD_BYTES)) or "doc"
    if is_encrypted(path, kind):
        with decrypted(path, options.pdf_password) as plain:
            return _read(plain, kind, options)
    return _read(path, kind, options)


def find_office() -> str | None:
    """The soffice program, on PATH or where its installers put it."""
    found = shutil.which("soffice") or shutil.which("libreoffice")
    return found or next((place for place in _ELSEWHERE if Path(place).is_file()), None)


def _read(path: Path, kind: str, options: LoadOptions) -> Document:
    office = find_office()
    if office is not None:
        return replace(_converted(path, kind, office, options), format=kind)
    fallback = _fallback(path, kind)
    if fallback is None:
        raise LoadError(
            f"{shown(path.name)} is an old office file ({kind}), which needs LibreOffice.",
            hint=_PACKAGES,
            code="unsupported",
        )
    how, blocks = fallback
    lost = "headings, tables and pictures" if kind == "ppt" else "headings, numbering and pictures"
    warning = f"read by {how}, without its {lost}, since LibreOffice is not installed ({_PACKAGES})"
    return Document(kind, "", tuple(blocks), warnings=(warning,))


def _converted(path: Path, kind: str, office: str, options: LoadOptions) -> Document:
    target = _TARGETS[kind]
    with tempfile.TemporaryDirectory(prefix="edu-office-", ignore_cleanup_errors=True) as folder:
        root = Path(folder)
        # A plain name with the true extension: soffice picks its filter by it.
        source = root / f"source.{_EXTENSIONS.get(kind, kind)}"
        shutil.copyfile(path, source)
        (root / "profile" / "user").mkdir(parents=True)
        (root / "profile" / "user" / "registrymodifications.xcu").write_text(_PROFILE, encoding="utf-8")
        command = [
            office,
            f"-env:UserInstallation={(root / 'profile').as_uri()}",
            *("--headless", "--norestore", "--nolockcheck", "--nodefault", "--convert-to", target),
            *("--outdir", str(root / "out"), str(source)),
        ]
        _run(command, path)
        made = root / "out" / f"source.{target}"
        if not made.is_file():
            raise LoadError(f"{shown(path.name)} is damaged: LibreOffice cannot read it.", hint="save it again")
        document = _reader(target)(made, options)
        # Readers that name a document after its file would give it the name of our copy.
        return replace(document, title="" if document.title == source.stem else document.title)


def _reader(target: str) -> Callable[[Path, LoadOptions], Document]:
    if target == "docx":
        from edu_cli.ingest.office.docx import read_docx

        return read_docx
    if target == "pptx":
        from edu_cli.ingest.office.pptx import read_pptx

        return read_pptx
    from edu_cli.ingest.sheet.faq_table import read_faq_table

    return read_faq_table


def _run(command: Sequence[str], path: Path) -> None:
    """Runs soffice in a process group of its own and ends the whole group, whatever happens."""
    silent = subprocess.DEVNULL
    child = subprocess.Popen(  # noqa: S603 - found by ourselves, its arguments are paths of our own
        command, stdin=silent, stdout=silent, stderr=silent, start_new_session=True
    )
    try:
        child.wait(_CONVERT_S)
    except subprocess.TimeoutExpired as error:
        raise LoadError(
            f"{shown(path.name)} kept LibreOffice busy for {_CONVERT_S} seconds.",
            hint="save it as docx",
            code="timeout",
        ) from error
    finally:
        if sys.platform == "win32":
            child.kill()
        else:
            with contextlib.suppress(ProcessLookupError):  # the group ended by itself
                os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def _fallback(path: Path, kind: str) -> tuple[str, list[Block]] | None:
    if kind == "ppt":
        return "its text alone", ppt_blocks(path)
    if kind == "rtf":
        blocks = rtf_blocks(path)
        return ("its text alone", blocks) if blocks else None
    if kind != "doc":
        return None
    if program := shutil.which("antiword"):
        command = [program, "-m", "UTF-8.txt", "-w", "0", str(path)]
        done = subprocess.run(  # noqa: S603 - as above; the path is absolute or was given by the user
            command, capture_output=True, timeout=_CONVERT_S, check=False
        )
        if done.returncode == 0 and done.stdout.strip():
            return "antiword", _paragraphs(done.stdout.decode("utf-8", "replace"))
    blocks = doc_blocks(path)
    return ("its text alone", blocks) if blocks else None


def _paragraphs(text: str) -> list[Block]:
    """Lines as paragraphs; runs of `|a|b|` lines as tables."""
    blocks: list[Block] = []
    for raw in text.split("\n"):
        line = raw.strip()
        if line.startswith("|") and line.endswith("|") and len(line) > 1:
            row = f"| {' | '.join(' '.join(cell.split()) for cell in line[1:-1].split('|'))} |"
            if blocks and blocks[-1].kind == "table":
                blocks[-1] = replace(blocks[-1], text=f"{blocks[-1].text}\n{row}")
            else:
                blocks.append(Block("table", row))
        elif line and line != "[pic]":
            blocks.append(Block("paragraph", line))
    return blocks
