"""Every reader and parser over files and replies that are nearly right: a value or an error of ours, in bounded time.

What was found to crash is kept in `crashers/`, by reader, and read again by every run.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import time
import unicodedata
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from mutations import keep, kept, mutated, mutated_package

from edu_cli.ask.generation.reply import parse_json, plain_answer, text_of_content, without_thinking
from edu_cli.ask.plan.rewrite import _one_piece, _questions
from edu_cli.ask.verification.markers import find_markers
from edu_cli.ask.verification.verify import verify
from edu_cli.cli.questions import read_batch
from edu_cli.config import load_settings
from edu_cli.errors import EduError, LoadError
from edu_cli.evaluate.baseline import check_baseline, read_baseline
from edu_cli.evaluate.beir import read_beir
from edu_cli.evaluate.dataset import load_dataset
from edu_cli.evaluate.items import Dataset, Item
from edu_cli.index.tokens import read_terms
from edu_cli.ingest.load import load
from edu_cli.ingest.options import LoadOptions
from edu_cli.prompts import load_prompt
from edu_cli.types import Document, Passage
from edu_cli.upkeep.archive import read_contents
from edu_cli.wiring.recording import read_faq_file

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
SECONDS_A_FILE = 60.0  # far more than any needs, on a machine that does much else
N_FILES = 400  # of each kind
LOOSE = settings(deadline=None, max_examples=300, suppress_health_check=list(HealthCheck))

_TEXT = (
    "# 第一章 事务\n\n事务有四个特性：原子性、一致性。\n\n| 列 | 值 |\n| --- | --- |\n| a | 1 |\n\n"
    "```py\nx = 1\n```\n\n"
)
_HTML = (
    f"<html><head><title>讲义</title></head><body><h1>一</h1><p>{_TEXT}</p><table><tr><td>a</td></tr></table></body>"
)
_MHT = (
    "MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=B\r\n\r\n--B\r\nContent-Type: text/html; "
    f"charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n{_HTML}\r\n--B--\r\n"
)
SMALL: Mapping[str, bytes] = {
    ".md": f"---\ntitle: 讲义\ntags: [a, b]\n---\n{_TEXT}脚注[^1]。\n\n[^1]: 注。\n\n$$x^2$$\n".encode(),
    ".txt": _TEXT.encode("gb18030"),
    ".csv": "问题,答案\n怎么退费？,提前七天。\n\"多行\n问题\",\"a,b\"\n".encode(),
    ".tsv": "a\tb\n1\t2\n".encode("utf-16"),
    ".html": _HTML.encode(),
    ".mht": _MHT.encode(),
    ".py": b"def f(x):\n    return x\n",
    ".rtf": rb"{\rtf1\ansi {\b bold} \u20013? text\par}",
}  # fmt: skip


def _whole(suffix: str) -> bytes:
    if suffix in SMALL:
        return SMALL[suffix]
    if suffix == ".xlsx":
        import openpyxl

        book, out = openpyxl.Workbook(), io.BytesIO()
        for row in (("问题", "答案"), ("怎么退费？", "提前七天。"), (1, 2.5)):
            book.active.append(row)
        book.save(out)
        return out.getvalue()
    return min(CORPUS.rglob(f"*{suffix}"), key=lambda path: path.stat().st_size).read_bytes()


def _read_file(raw: bytes, suffix: str, folder: Path) -> None:
    """Loads the bytes as a file; fails for anything but a clean document or a LoadError, in time."""
    path = folder / f"f{suffix}"
    path.write_bytes(raw)
    start = time.monotonic()
    try:
        document = load(path, LoadOptions(ocr="never", max_bytes=2**26))
    except LoadError as error:
        _check_error(error)
    else:
        _check(document)
    assert time.monotonic() - start < SECONDS_A_FILE


def _check_error(error: EduError) -> None:
    assert error.message
    assert "Traceback" not in error.message
    assert "sk-secret" not in error.message + error.hint


def _check(document: Document) -> None:
    assert any(block.text.strip() for block in document.blocks), "a document without text is an error, not a document"
    for text in (document.title, *(block.text for block in document.blocks)):
        bad = {c for c in text if unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t"}
        assert not bad, f"control characters came through: {bad!r}"


SUFFIXES = (*SMALL, ".xlsx", ".docx", ".pptx", ".pdf", ".png", ".jpg")


@pytest.mark.slow
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_file_that_is_nearly_right_is_read_or_refused(suffix: str, tmp_path: Path) -> None:
    whole = _whole(suffix)
    _read_file(whole, suffix, tmp_path) if suffix not in (".png", ".jpg") else None
    change = mutated_package if zipfile.is_zipfile(io.BytesIO(whole)) else mutated
    n_files, until = N_FILES, time.monotonic() + 40
    for seed in range(n_files):
        raw = change(whole, random.Random(f"{suffix}{seed}"))
        try:
            _read_file(raw, suffix, tmp_path)
        except BaseException:
            keep(suffix.lstrip("."), raw)
            raise
        if time.monotonic() > until:
            break


# --- files that people write for edu


def _settings(path: Path) -> None:
    path.rename(path.with_name("edu.toml"))
    load_settings(path.parent, {})


def _dotenv(path: Path) -> None:
    path.rename(path.with_name(".env"))
    load_settings(path.parent, {})


def _beir(path: Path) -> None:
    whole = {"qrels.tsv": PARSERS["qrels"][0], "queries.jsonl": PARSERS["queries"][0]}
    mine = "qrels.tsv" if path.suffix == ".tsv" else "queries.jsonl"
    for name, raw in {**whole, mine: path.read_bytes()}.items():
        path.with_name(name).write_bytes(raw)
    read_beir(path.parent, ["a.md", "x/b.md"])


def _prompt(path: Path) -> None:
    path.rename(path.with_name("answer.md"))
    load_prompt("answer", path.parent).fill(question="问", passages="文")


PARSERS: Mapping[str, tuple[bytes, Callable[[Path], object]]] = {
    "toml": (b'[search]\nk = 5\nmode = "hybrid"\n[ask]\nthreshold = 0.5\n', _settings),
    "env": (b"EDU_ASK_THRESHOLD=0.5\nexport OPENAI_API_KEY='sk-x'\n# c\n", _dotenv),
    "dataset": (
        json.dumps({"id": "1", "question": "问？", "relevant": [{"doc": "a.md", "page": 1, "grade": 1}]}).encode()
        + b"\n",
        lambda path: load_dataset(path, ["a.md"]),
    ),
    "questions": (
        json.dumps({"id": 1, "question": "问？", "history": [{"role": "user", "content": "a"}]}).encode()
        + b"\n\xe9\x97\xae\n",
        lambda path: list(read_batch(str(path))),
    ),
    "faq-jsonl": (b'{"question": "q", "answer": "a", "subject": "s"}\n', read_faq_file),
    "baseline": (
        b'{"per_question": [{"id": "1", "question": "q", "measures": {"nDCG@10": 0.5}}], "settings": {}}',
        lambda path: check_baseline(path, read_baseline(path), Dataset("d", (Item("1", "q"),), (), ())),
    ),
    "qrels": (b"query-id\tcorpus-id\tscore\n1\ta.md\t1\n2\tb\t2\n", _beir),
    "queries": (b'{"_id": "1", "text": "\xe9\x97\xae"}\n{"_id": 2, "text": "q", "answers": ["a"]}\n', _beir),
    "terms": ("# 词\n跳跃表\n事务 5 n\nB+树\t名词\n".encode(), read_terms),
    "prompt": ("<!-- 说明 -->\n回答 $question，依据 $passages。\n".encode(), _prompt),
}
_ENDINGS = {"dataset": ".jsonl", "faq-jsonl": ".jsonl", "queries": ".jsonl", "qrels": ".tsv"}


def _parse(kind: str, raw: bytes, folder: Path) -> None:
    path = folder / f"f{_ENDINGS.get(kind, '')}"
    path.write_bytes(raw)
    try:
        PARSERS[kind][1](path)
    except EduError as error:
        _check_error(error)


@pytest.mark.parametrize("path", kept(*(suffix.lstrip(".") for suffix in SUFFIXES), *PARSERS))
def test_what_once_crashed_is_read_or_refused(path: Path, tmp_path: Path) -> None:
    reader = path.parent.name
    if reader in PARSERS:
        _parse(reader, path.read_bytes(), tmp_path)
    else:
        _read_file(path.read_bytes(), f".{reader}", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", PARSERS)
def test_a_file_for_edu_that_is_nearly_right_is_read_or_told(kind: str, tmp_path: Path) -> None:
    for seed in range(1500):
        folder = tmp_path / str(seed)
        folder.mkdir()
        raw = mutated(PARSERS[kind][0], random.Random(f"{kind}{seed}"), most=3)
        try:
            _parse(kind, raw, folder)
        except BaseException:
            keep(kind, raw)
            raise


@pytest.mark.slow
def test_a_backup_that_is_nearly_right_is_read_or_refused(tmp_path: Path) -> None:
    out = io.BytesIO()
    about = {"format": 1, "created": "t", "facts": {}, "files": {"catalog.sqlite": {"bytes": 1, "sha256": "0"}}}
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("backup.json", json.dumps(about))
        archive.writestr("catalog.sqlite", "x")
    for seed in range(1500):
        rng = random.Random(seed)
        change = mutated_package if seed % 2 else mutated
        (tmp_path / "b.zip").write_bytes(change(out.getvalue(), rng))
        try:
            read_contents(tmp_path / "b.zip")
        except EduError as error:
            _check_error(error)


# --- what models say

_PIECES = (
    "[1]", "[2]", "[99]", "【1】", "[1,2]", "[1-9999999]", "<think>", "</think>", "```json", "```", "{", "}", "[", "]",
    '"answer"', ":", "null", "1e999", "原子性是不可分割。", "\n", "- ", "1. ", "[^1]", "\\[1\\]", "\u202e", "\x1b[31m",
    "\0",
)  # fmt: skip
SAID = st.one_of(
    st.text(max_size=400),
    st.lists(
        st.sampled_from(_PIECES),
        max_size=40,
    ).map("".join),
)
PASSAGE = Passage(1, 1.0, "a.md", "a", (), 1, "", "p", "c", "d", "原子性是不可分割。", "原子性是不可分割。", {})


@pytest.mark.slow
@LOOSE
@given(said=SAID)
@example(said="[1-99999999999]")
@example(said="{" * 5000)
@example(said="[" * 100_000)
@example(said='{"a":' * 2000 + "1" + "}" * 2000)
def test_whatever_a_model_says_is_read(said: str) -> None:
    start = time.monotonic()
    plain = plain_answer(without_thinking(said))
    for marker in find_markers(plain):
        assert len(marker.numbers) < 10_000
    for strict in (False, True):
        verified = verify(plain, [PASSAGE], strict=strict)
        assert all(citation.n == 1 for citation in verified.citations)
    _questions(said)
    _one_piece(said)
    with contextlib.suppress(ValueError):
        parse_json(said)
    assert time.monotonic() - start < 10


@pytest.mark.slow
@LOOSE
@given(
    content=st.recursive(
        st.none() | st.text() | st.integers() | st.booleans(),
        lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["type", "text", "x"]), inner),
    )
)
def test_any_content_of_a_message_is_text(content: object) -> None:
    assert isinstance(text_of_content(content), str)
