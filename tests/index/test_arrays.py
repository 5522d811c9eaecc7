"""Arrays that are written where there is not room enough."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from edu_cli.index.arrays import forget, write_array
from edu_cli.index.rows import read_array

resource = pytest.importorskip("resource", reason="this system limits no file's size")
MOST = 4096


@pytest.fixture
def small_files() -> Iterator[None]:
    """No file grows past MOST bytes, as on a disk that is full by then."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("array", [np.arange(7), np.zeros(0, np.int32), np.array([b"ab", b"c"]), np.ones((3, 2), "f4")])
def test_what_is_written_is_read(array: np.ndarray, tmp_path: Path) -> None:
    write_array(tmp_path / "a.npy", array)
    found = read_array(tmp_path / "a.npy")
    assert (found.dtype, found.tolist()) == (array.dtype, array.tolist())


@pytest.mark.parametrize("n", [1000, 1024, 5000])
@pytest.mark.usefixtures("small_files")
def test_an_array_whose_end_has_no_room_is_an_error(n: int, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="too large"):
        write_array(tmp_path / "a.npy", np.zeros(n, np.int32))


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells what is resident")
def test_a_mapped_array_that_is_forgotten_takes_no_memory_and_can_be_read_again(tmp_path: Path) -> None:
    write_array(tmp_path / "a.npy", np.arange(4_000_000, dtype=np.int64))
    mapped = read_array(tmp_path / "a.npy")
    before = _mapped_mb()
    total = int(mapped.sum())
    assert _mapped_mb() > before + 20
    forget(mapped, np.arange(3), mapped[5:])
    assert _mapped_mb() < before + 5
    assert int(mapped.sum()) == total


def test_what_was_written_through_a_mapping_is_kept_when_it_is_forgotten(tmp_path: Path) -> None:
    write_array(tmp_path / "a.npy", np.zeros(10_000))
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r+")
    mapped[:] = 7
    forget(mapped)
    assert set(mapped.tolist()) == {7.0}
    assert set(np.load(tmp_path / "a.npy").tolist()) == {7.0}


def _mapped_mb() -> int:
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssFile")) // 1024
