"""Questions of the FAQ -> their vectors, from the vector cache where they are there, so that each is encoded once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from edu_cli.errors import StoreError
from edu_cli.text import content_id
from edu_cli.types import CachedVectors

if TYPE_CHECKING:  # an answer in an entry's own words does without numpy
    import numpy as np
    import numpy.typing as npt

    from edu_cli.protocols import Encoder
    from edu_cli.types import EncoderPin


class KeptQuestions:
    """Dense vectors of questions, rows of length 1; a cache that cannot be read or written costs time only."""

    def __init__(self, path: Path, pin: EncoderPin, encoder: Callable[[], Encoder]) -> None:
        self._path, self._pin, self._encoder = path, pin, encoder
        self._last: tuple[tuple[str, ...], npt.NDArray[np.float32]] | None = None

    def __call__(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """The vectors of `texts`, in order; the last call's are remembered."""
        asked = tuple(texts)
        if self._last is None or self._last[0] != asked:
            self._last = asked, self._vectors(asked)
        return self._last[1]

    def _vectors(self, texts: tuple[str, ...]) -> npt.NDArray[np.float32]:
        import numpy as np

        keys = {text: content_id("question", text) for text in texts}
        found = self._find(list(keys.values()))
        missing = [text for text, key in keys.items() if key not in found]
        if missing:
            encoded = self._encoder().encode_questions(missing)
            fresh = {
                keys[text]: CachedVectors(dense, sparse)
                for text, dense, sparse in zip(missing, encoded.dense, encoded.sparse, strict=True)
            }
            self._put(fresh)
            found |= {key: vectors.dense for key, vectors in fresh.items()}
        return np.stack([found[keys[text]] for text in texts]) if texts else np.zeros((0, self._pin.dim), np.float32)

    def _find(self, keys: Sequence[str]) -> dict[str, npt.NDArray[np.float32]]:
        from edu_cli.index.vector_cache import read_vector_cache

        cache = read_vector_cache(self._path, self._pin.fingerprint)
        if cache is None:
            return {}
        with closing(cache):
            return cache.find_dense(keys)

    def _put(self, fresh: dict[str, CachedVectors]) -> None:
        from edu_cli.index.vector_cache import open_vector_cache

        try:
            with closing(open_vector_cache(self._path, self._pin.fingerprint)) as cache:
                cache.put(fresh)
        except StoreError:
            return  # a project that cannot be written to
