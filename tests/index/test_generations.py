"""A folder replaced as a whole, read while it is replaced."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from edu_cli.errors import StoreError
from edu_cli.index.generations import Generation, open_current, publish
from edu_cli.index.rows import read_array

FILES = 8


def _publish(folder: Path, number: int) -> None:
    def write(fresh: Path) -> dict[str, object]:
        for name in range(FILES):
            np.save(fresh / f"{name}.npy", np.full(16, number))
        return {"number": number}

    publish(folder, write)


def _read(found: Generation) -> set[int]:
    return {int(value) for name in range(FILES) for value in read_array(found.path / f"{name}.npy")}


def test_a_reader_sees_one_generation_whole_however_often_the_next_one_comes(tmp_path: Path) -> None:
    _publish(tmp_path, 0)
    ended = threading.Event()

    def writer() -> None:
        for number in range(1, 200):
            _publish(tmp_path, number)
        ended.set()

    thread = threading.Thread(target=writer)
    thread.start()
    seen: list[set[int] | None] = []
    while not ended.is_set():
        seen.append(open_current(tmp_path, _read, "index"))
    thread.join()
    assert all(found is not None and len(found) == 1 for found in seen)
    assert open_current(tmp_path, _read, "index") == {199}


def test_what_was_swept_away_in_the_middle_is_read_anew(tmp_path: Path) -> None:
    _publish(tmp_path, 1)
    reads = 0

    def read(found: Generation) -> set[int]:
        nonlocal reads
        reads += 1
        if reads == 1:
            _publish(tmp_path, 2)  # removes the files that are about to be read
        return _read(found)

    assert open_current(tmp_path, read, "index") == {2}


def test_damage_to_the_generation_in_force_is_told_and_nothing_is_tried_again(tmp_path: Path) -> None:
    _publish(tmp_path, 1)

    def read(_: Generation) -> set[int]:
        raise ValueError("no array")

    with pytest.raises(StoreError, match=r"The index .* is damaged: no array"):
        open_current(tmp_path, read, "index")


def test_nothing_is_read_where_nothing_was_published(tmp_path: Path) -> None:
    assert open_current(tmp_path / "none", _read, "index") is None
