"""Arrays -> .npy files, so that a full disk is an error; and mapped ones that are read from end to end.

np.save closes its C stream unchecked and drops an array's end without a word; a file that is mapped to be written has
no room of its own yet, and the process that writes to it is ended by the system.
"""

from __future__ import annotations

import mmap
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt


def write_array(path: Path, array: npt.NDArray[Any]) -> None:
    """Makes the file. Raises OSError."""
    with path.open("wb") as out:
        write_header(out, array.dtype, array.shape)
        out.write(array.tobytes())


def write_header(out: IO[bytes], dtype: npt.DTypeLike, shape: tuple[int, ...]) -> None:
    """What stands before the array's bytes, which the caller writes in C order. Raises OSError."""
    about = {"descr": np.lib.format.dtype_to_descr(np.dtype(dtype)), "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(out, about)


def forget(*arrays: npt.NDArray[Any]) -> None:
    """Gives the pages of memory-mapped arrays back, which else stay this process's until it ends; no byte is lost.

    Others are left alone.
    """
    for array in arrays:
        if isinstance(array.base, mmap.mmap) and hasattr(array.base, "madvise"):  # not on Windows
            array.base.madvise(mmap.MADV_DONTNEED)
