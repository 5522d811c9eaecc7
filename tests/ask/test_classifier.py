"""What tells course questions from general ones: the bundled classifier, one's own, and a fine-tuned network."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tiny_models import make_bge_m3

from edu_cli.ask.front.classifier import BUCKETS, NgramClassifier, load_classifier
from edu_cli.ask.front.classify import QuestionVectors, classify, route_model
from edu_cli.ask.front.training import measure, scores, stratified, train_classifier
from edu_cli.cli.app import run
from edu_cli.errors import ConfigError, UsageError

ROWS = [(f"第{n}门课学费多少", "course") for n in range(20)] + [(f"什么是{n}号定理", "general") for n in range(20)]
# of characters that the tiny model knows
KNOWN = [("期末考试占总成绩的一半，缺勤三次取消资格。"[n:], "course") for n in range(16)] + [
    ("栈只允许在一端插入和删除，最后放进去的元素。"[n:], "general") for n in range(16)
]


@pytest.mark.parametrize(
    ("question", "label"),
    [
        ("报名需要带什么材料？", "course"),
        ("Python 课程的学费是多少", "course"),
        ("解释一下什么是红黑树", "general"),
        ("写一段Java代码计算圆的面积", "general"),
        ("学费表用SQL怎么按月汇总，写一个语句", "general"),
    ],
)
def test_questions_about_the_course_are_told_from_general_ones(question: str, label: str) -> None:
    assert classify(question, route_model()).label == label


def test_an_unsure_question_counts_as_one_about_the_course() -> None:
    unsure = NgramClassifier(("course", "general"), np.zeros((2, BUCKETS)), np.array([0.0, 1.5]))
    assert unsure.probabilities("随便问问")["general"] > 0.8
    assert classify("随便问问", unsure).label == "course"


def test_a_classifier_trains_the_same_from_the_same_seed_and_survives_saving(tmp_path: Path) -> None:
    first, second = train_classifier(ROWS, seed=3).model, train_classifier(ROWS, seed=3).model
    assert isinstance(first, NgramClassifier)
    assert isinstance(second, NgramClassifier)
    assert np.array_equal(first.weights, second.weights)
    first.save(tmp_path / "m.npz")
    assert measure(load_classifier(tmp_path / "m.npz"), ROWS)[0] == 1.0


def test_a_vector_decides_where_words_do_not(tmp_path: Path) -> None:
    rows = [(f"问{n}", label) for label in ("course", "general") for n in range(20)]
    vectors = np.array([np.full(384, 1.0 if label == "course" else -1.0) for _, label in rows], np.float32)
    trained = train_classifier(rows, vectors=vectors, encoder="e")
    assert trained.macro_f1 == 1.0
    assert isinstance(trained.model, NgramClassifier)
    trained.model.save(tmp_path / "m.npz")
    model = load_classifier(tmp_path / "m.npz")
    general = QuestionVectors("e", lambda texts: np.full((len(texts), 384), -1.0, np.float32))
    assert classify("问3", model, general).label == "general"
    assert classify("问3", model).label == "course"
    assert classify("问3", model, QuestionVectors("another", general.encode)).label == "course"


def test_as_many_of_each_label_are_kept_out_as_its_share_of_all() -> None:
    rows = [("a", "course")] * 40 + [("b", "general")] * 20
    split = stratified(rows, np.random.default_rng(1))
    assert sorted([*split.used, *split.kept]) == list(range(60))
    assert [sum(rows[i][1] == label for i in split.kept) for label in split.labels] == [6, 3]


def test_f1_is_that_of_the_textbook() -> None:
    accuracy, f1 = scores(["a", "a", "b", "b"], ["a", "b", "b", "b"])
    assert accuracy == 0.75
    assert f1 == {"a": pytest.approx(2 / 3), "b": pytest.approx(0.8)}


def test_bad_classifiers_and_data_are_told(tmp_path: Path) -> None:
    (tmp_path / "m.npz").write_bytes(b"PK nonsense")
    with pytest.raises(ConfigError, match=r"m\.npz is no classifier"):
        load_classifier(tmp_path / "m.npz")
    with pytest.raises(UsageError, match="two labels"):
        train_classifier([("a", "course")] * 10)


def _data(folder: Path) -> Path:
    place = folder / "data.jsonl"
    place.write_text("\n".join(json.dumps({"text": t, "label": label}) for t, label in ROWS), encoding="utf-8")
    return place


def test_a_network_needs_a_folder_and_n_grams_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = ["classifier", "train", str(_data(tmp_path)), "--project", str(tmp_path), "--json"]
    for flags in (["--backend", "bert"], ["--model", str(tmp_path)]):
        assert run([*wrong, *flags]) == 2
        assert "--model FOLDER" in json.loads(capsys.readouterr().out)["error"]["message"]


@pytest.mark.models
def test_a_network_is_fine_tuned_kept_and_used(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from edu_cli.ask.front.training_bert import BertSettings, train_bert

    base = make_bge_m3(tmp_path / "base")
    quick = BertSettings(device="cpu", learning_rate=2e-3, batch=8, most_epochs=15, patience=15)
    first = train_bert(KNOWN, base, tmp_path / "own" / "classifier.npz", quick)
    assert first.macro_f1 == 1.0
    assert (first.trained_on, first.kept_out) == (28, 4)
    model = load_classifier(tmp_path / "own" / "classifier.npz")
    assert measure(model, KNOWN)[0] == 1.0
    again = train_bert(KNOWN, base, tmp_path / "again" / "classifier.npz", quick)
    assert model.probabilities("期末考试") == again.model.probabilities("期末考试")


@pytest.mark.models
def test_training_stops_where_the_loss_no_longer_falls(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from edu_cli.ask.front.training_bert import BertSettings, train_bert

    idle = BertSettings(device="cpu", learning_rate=0.0, most_epochs=9, patience=2)
    assert train_bert(ROWS, make_bge_m3(tmp_path / "base"), tmp_path / "c.npz", idle).epochs == 3


@pytest.mark.models
def test_the_network_is_trained_and_evaluated_by_the_verb(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    base, data, where = make_bge_m3(tmp_path / "base"), _data(tmp_path), ["--project", str(tmp_path), "--json"]
    assert (
        run(["classifier", "train", str(data), "--backend", "bert", "--model", str(base), "--epochs", "1", *where]) == 0
    )
    trained = json.loads(capsys.readouterr().out)
    assert (trained["backend"], trained["epochs"], trained["kept_out"]) == ("bert", 1, 6)
    route_model.cache_clear()
    assert run(["classifier", "eval", str(data), *where]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["model"], found["backend"], found["questions"]) == ("the project's own", "bert", 40)


@pytest.mark.models
def test_a_folder_without_a_model_is_told(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from edu_cli.ask.front.training_bert import BertSettings, train_bert

    with pytest.raises(ConfigError, match=r"config\.json is missing"):
        train_bert(ROWS, tmp_path, tmp_path / "c.npz", BertSettings())
