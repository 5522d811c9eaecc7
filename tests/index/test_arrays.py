"""Arrays that are written where there is not room enough."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from edu_cli.index.arrays import write_array
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
