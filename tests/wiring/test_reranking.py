"""Which reranker a project gets, and that it is opened once, by its first use."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from edu_cli.config import Settings
from edu_cli.model_files import CROSS_FILE
from edu_cli.protocols import Reranker
from edu_cli.types import EncoderPin
from edu_cli.wiring.reranking import LazyReranker, open_reranker


def settings(reranker: str) -> Settings:
    plain = Settings()
    return replace(plain, search=replace(plain.search, reranker=reranker))


def pin_of_the_weights() -> EncoderPin:
    with np.load(CROSS_FILE) as file:
        return EncoderPin("e5-small", f"e5-small-{file['encoder']}-5", 384)


@pytest.mark.parametrize(
    ("wanted", "expected"), [("auto", "cross"), ("bundled", "cross"), ("bge", "bge"), ("none", None)]
)
def test_the_setting_names_the_reranker(wanted: str, expected: str | None) -> None:
    found = open_reranker(settings(wanted), pin_of_the_weights())
    assert (found.name if found else None) == expected


@pytest.mark.parametrize(
    "pin",
    [
        EncoderPin("bge-m3", "bge-m3-0123", 1024),
        EncoderPin("none", "", 0),
        EncoderPin("e5-small", "e5-small-0123456789abcdef-5", 384),
    ],
    ids=["another encoder", "none", "other weights"],
)
def test_auto_reads_nothing_where_the_encoder_is_not_the_one_it_was_trained_over(pin: EncoderPin) -> None:
    assert open_reranker(settings("auto"), pin) is None


class Counted:
    name = "counted"

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        return [0.5] * len(passages)


def test_it_is_opened_once_by_the_first_use_of_many_threads() -> None:
    opened: list[Reranker] = []

    def opens() -> Reranker:
        opened.append(Counted())
        return opened[-1]

    lazy = LazyReranker("counted", opens)
    assert opened == []
    found: list[list[float]] = []
    threads = [threading.Thread(target=lambda: found.append(lazy.score("栈", ["甲", "乙"]))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(opened) == 1
    assert found == [[0.5, 0.5]] * 8
