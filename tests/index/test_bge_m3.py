"""BGE-M3 and its reranker on tiny models of the real shape, against what FlagEmbedding itself computes."""

from __future__ import annotations

import importlib.util
import socket
import sys
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edu_cli.ask.retrieval.rerank_bge import BgeReranker
from edu_cli.config import EncoderSettings
from edu_cli.errors import EncoderError
from edu_cli.index.encoders.bge_m3 import BgeM3Encoder
from edu_cli.index.encoders.choose import open_encoder
from edu_cli.protocols import Encoder, Reranker
from edu_cli.torch_models import batches

sys.path.insert(0, str(Path(__file__).parents[1]))
from tiny_models import HIDDEN, make_bge_m3, make_reranker

pytestmark = [
    pytest.mark.models,
    pytest.mark.skipif(importlib.util.find_spec("FlagEmbedding") is None, reason="the extra bge is not installed"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of torch and transformers
]

TEXTS = [
    "栈只允许在一端插入和删除。",
    "队列",
    "",
    "A stack is last in, first out. " * 9,
    "期末考试占总成绩的一半，缺勤三次取消资格。" * 20,
]


@pytest.fixture(scope="module")
def m3_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_bge_m3(tmp_path_factory.mktemp("models") / "m3")


@pytest.fixture(scope="module")
def reranker_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_reranker(tmp_path_factory.mktemp("models") / "reranker")


@pytest.fixture(scope="module")
def settings(m3_folder: Path) -> EncoderSettings:
    return EncoderSettings(name="bge-m3", bge_m3=str(m3_folder), device="cpu", batch_tokens=300)


@pytest.fixture(scope="module")
def encoder(settings: EncoderSettings) -> BgeM3Encoder:
    return BgeM3Encoder(settings)


@pytest.fixture(scope="module")
def reranker(reranker_folder: Path) -> BgeReranker:
    return BgeReranker(str(reranker_folder), "cpu")


@pytest.fixture
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("a connection was tried")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def test_it_is_an_encoder(encoder: BgeM3Encoder):
    as_protocol: Encoder = encoder
    assert (as_protocol.name, as_protocol.dim, as_protocol.uses_idf) == ("bge-m3", HIDDEN, False)


def test_vectors_are_those_of_flag_embedding(encoder: BgeM3Encoder, m3_folder: Path):
    import FlagEmbedding

    model = FlagEmbedding.BGEM3FlagModel(str(m3_folder), use_fp16=False, devices="cpu")
    wanted = model.encode(TEXTS, max_length=512, return_dense=True, return_sparse=True)
    got = encoder.encode_passages(TEXTS)
    assert np.allclose(got.dense, wanted["dense_vecs"], atol=1e-5)
    for vector, weights in zip(got.sparse, wanted["lexical_weights"], strict=True):
        pairs = dict(zip(vector.indices.tolist(), vector.values.tolist(), strict=True))
        expected = {int(token): float(weight) for token, weight in weights.items()} or {0: 1e-6}
        assert pairs == pytest.approx(expected, abs=1e-5)


def test_a_text_without_weights_gets_a_substitute_that_milvus_takes(encoder: BgeM3Encoder):
    (vector,) = encoder.encode_passages([""]).sparse
    assert vector.indices.tolist() == [0]
    assert vector.values.tolist() == pytest.approx([1e-6])
    assert (vector.indices.dtype, vector.values.dtype) == (np.uint32, np.float32)


def test_vectors_do_not_depend_on_neighbours(encoder: BgeM3Encoder):
    together = encoder.encode_passages(TEXTS)
    for i, text in enumerate(TEXTS):
        alone = encoder.encode_questions([text])
        assert np.allclose(alone.dense[0], together.dense[i], atol=1e-5)
        assert np.allclose(alone.sparse[0].values, together.sparse[i].values, atol=1e-5)


def test_the_token_budget_changes_no_vector(encoder: BgeM3Encoder, settings: EncoderSettings):
    wide = BgeM3Encoder(replace(settings, batch_tokens=100_000))
    assert np.allclose(wide.encode_passages(TEXTS * 3).dense, encoder.encode_passages(TEXTS * 3).dense, atol=1e-5)


def test_no_texts_give_no_rows(encoder: BgeM3Encoder):
    found = encoder.encode_passages([])
    assert found.dense.shape == (0, HIDDEN)
    assert list(found.sparse) == []


@pytest.mark.parametrize(
    "text", ["\x00", "\ud800中", "😀" * 50, "\ufdfa" * 300], ids=["nul", "surrogate", "emoji", "ligature"]
)
def test_any_string_has_a_vector_of_length_one(encoder: BgeM3Encoder, text: str):
    assert np.linalg.norm(encoder.encode_passages([text]).dense) == pytest.approx(1, abs=1e-4)


def test_the_fingerprint_follows_the_weights_and_the_cut_but_not_the_folder(
    encoder: BgeM3Encoder, settings: EncoderSettings, m3_folder: Path, tmp_path: Path
):
    import shutil

    moved = Path(shutil.copytree(m3_folder, tmp_path / "elsewhere"))
    assert BgeM3Encoder(replace(settings, bge_m3=str(moved))).fingerprint == encoder.fingerprint
    assert BgeM3Encoder(replace(settings, max_tokens=64)).fingerprint != encoder.fingerprint
    make_other = moved / "sparse_linear.pt"
    make_other.write_bytes((moved / "sparse_linear.pt").read_bytes() + b"\0")
    assert BgeM3Encoder(replace(settings, bge_m3=str(moved))).fingerprint != encoder.fingerprint


@pytest.mark.usefixtures("_no_network")
def test_a_local_model_is_loaded_and_run_without_a_connection_or_a_word(
    settings: EncoderSettings, reranker_folder: Path, capfd: pytest.CaptureFixture[str], tmp_path: Path
):
    open_encoder("bge-m3", settings, tmp_path).encode_passages(TEXTS * 8)
    BgeReranker(str(reranker_folder), "cpu").score("栈", TEXTS * 8)
    assert capfd.readouterr() == ("", "")


@pytest.mark.usefixtures("_no_network")
def test_an_absent_model_fails_at_once_and_names_the_remedy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    started = time.perf_counter()
    with pytest.raises(EncoderError) as caught:
        open_encoder("bge-m3", EncoderSettings(), tmp_path)
    with pytest.raises(EncoderError, match="bge-reranker-v2-m3"):
        BgeReranker("BAAI/bge-reranker-v2-m3")
    assert time.perf_counter() - started < 1
    assert "BAAI/bge-m3" in caught.value.message
    assert "download" in caught.value.hint


def test_a_device_that_is_not_there_is_refused(settings: EncoderSettings):
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has CUDA")
    with pytest.raises(EncoderError, match="cuda"):
        BgeM3Encoder(replace(settings, device="cuda"))
    with pytest.raises(EncoderError, match="gpu"):
        BgeM3Encoder(replace(settings, device="gpu"))


@pytest.mark.parametrize(
    ("cuda", "mps", "wanted", "halved"),
    [(1, 0, "cuda:0", True), (1, 1, "cuda:0", True), (0, 1, "mps", True), (0, 0, "cpu", False)],
)
def test_a_graphics_processor_is_taken_where_there_is_one_and_halves_the_numbers(
    settings: EncoderSettings, monkeypatch: pytest.MonkeyPatch, cuda: int, mps: int, wanted: str, halved: bool
):
    import FlagEmbedding
    import torch

    asked: dict[str, Any] = {}

    def load(*_: object, **arguments: Any) -> None:
        asked.update(arguments)
        raise EncoderError("far enough: no such device is here")

    monkeypatch.setattr(torch.cuda, "is_available", lambda: bool(cuda))
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: bool(mps))
    monkeypatch.setattr(FlagEmbedding, "BGEM3FlagModel", load)
    with pytest.raises(EncoderError, match="far enough"):
        BgeM3Encoder(replace(settings, device="auto"))
    assert (asked["devices"], asked["use_fp16"]) == ([wanted], halved)


@given(st.lists(st.integers(1, 600), max_size=60), st.integers(64, 2000))
def test_texts_of_like_length_go_together_within_the_budget(lengths: list[int], budget: int):
    groups = list(batches(lengths, budget))
    assert sorted(place for group in groups for place in group) == list(range(len(lengths)))
    for group in groups:
        assert len(group) == 1 or len(group) * max(lengths[place] for place in group) <= budget
    ends = [(lengths[group[0]], lengths[group[-1]]) for group in groups]
    assert all(longest >= shortest for longest, shortest in ends)
    assert all(before[1] >= after[0] for before, after in pairwise(ends))


def test_it_is_a_reranker_and_scores_as_flag_embedding_does(reranker: BgeReranker, reranker_folder: Path):
    import FlagEmbedding

    as_protocol: Reranker = reranker
    model = FlagEmbedding.FlagReranker(str(reranker_folder), use_fp16=False, devices="cpu")
    for question, texts in (
        ("栈是什么", [text for text in TEXTS if text]),
        ("期末考试占总成绩的一半。" * 40, TEXTS[-1:]),
    ):
        wanted = model.compute_score([(question, text) for text in texts], normalize=True, max_length=512)
        assert as_protocol.score(question, texts) == pytest.approx(wanted, abs=1e-5)
    assert len({round(score, 4) for score in reranker.score("栈是什么", TEXTS)}) > 2, (
        "scores that are alike prove nothing"
    )


def test_nothing_to_rerank_gives_nothing(reranker: BgeReranker):
    assert reranker.score("栈", []) == []


def test_reranking_one_passage_or_a_hostile_one_works(reranker: BgeReranker):
    for text in ("队列", "", "\ud800", "\x00" * 5, "字" * 5000):
        (score,) = reranker.score("\udfff", [text])
        assert 0 <= score <= 1
