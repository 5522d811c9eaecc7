"""The vectors in Milvus Lite, in volumes: what a writer holds in memory does not grow with the corpus.

Lite reads every row of a collection into memory when it opens it (`Collection._refresh_segment_cache`), and keeps them
until its database is closed; releasing the collection only drops its indexes. So no collection grows with the corpus:
the first FIRST_ROWS rows lie in the database itself, the others in databases of their own below it, of NEXT_ROWS each,
of which one at a time is open.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from edu_cli.index.milvus import MilvusStore
from edu_cli.index.milvus_connect import MilvusTarget, told
from edu_cli.index.volume_places import Places
from edu_cli.types import Hit, Scope, SparseVector, VectorRow

FIRST_ROWS, NEXT_ROWS = 10_000, 2_000  # 100,000 rows in one collection: a peak of 1.1 GB; in such: half a GB
_PAGE = 1000  # ids noted at once
_FULL = 0.75  # a volume from which no more than a quarter has gone is not filled up again


class LiteVolumes:
    """protocols.VectorStore on Milvus Lite. The first volume is open throughout, and with it Lite's lock is held.

    Rows are deleted when `flush` comes to their volume.
    """

    def __init__(
        self, target: MilvusTarget, *, create: bool = True, check: bool = False, trusted: bool = False
    ) -> None:
        """Opens the store. `check` reads all of it, and learns from that where each row is.

        `trusted`: its files are as this class left them, so that volumes which nobody writes to need not be counted.
        Raises LockedError, StoreError where it is damaged, and NoVectorsError where it is absent and not to be created.
        """
        self._target = target
        self._folder = Path(target.uri) / "volumes" / target.collection
        self._first = MilvusStore(target, create=create)
        self._other: tuple[int, MilvusStore] | None = None
        self._places: Places | None = None
        self._sizes: Counter[int] = Counter()
        self._counted: dict[int, int] = {}
        self._gone: defaultdict[int, set[str]] = defaultdict(set)
        self._n = 1 + max((int(path.stem) for path in self._folder.glob("*.db") if path.stem.isdigit()), default=0)
        try:
            if check:
                self._take_stock()
            elif trusted and self._places_path.exists():
                self._note_places(Places(self._places_path))
        except BaseException:
            self.close()
            raise

    def upsert(self, rows: Sequence[VectorRow]) -> None:
        """Adds rows or replaces those of the same child id. Raises StoreError."""
        places = self._known_places()
        held = places.of([row.child_id for row in rows])
        by_volume: defaultdict[int, list[VectorRow]] = defaultdict(list)
        new = []
        for row in rows:
            if row.child_id in held:
                by_volume[held[row.child_id]].append(row)
                self._gone[held[row.child_id]].discard(row.child_id)
            else:
                new.append(row)
        for volume, some in by_volume.items():
            self._volume(volume).upsert(some)
        while new:
            volume = self._with_room()
            room = _most_rows(volume) - self._sizes[volume]
            some, new = new[:room], new[room:]
            places.note(volume, [row.child_id for row in some])
            self._sizes[volume] += len(some)
            self._volume(volume).upsert(some)

    def delete(self, child_ids: Sequence[str]) -> None:
        """Removes these children; ones that are not there are no error. Raises StoreError."""
        for child_id, volume in self._known_places().of(child_ids).items():
            self._gone[volume].add(child_id)

    def flush(self) -> None:
        """Makes what was written durable, and quick to search. Raises StoreError."""
        for volume, gone in self._gone.items():
            if gone:
                store = self._volume(volume)
                store.delete(sorted(gone))
                store.flush()
                self._known_places().strike(gone)
                self._sizes[volume] -= len(gone)
        self._gone.clear()
        self._first.flush()
        if self._other:
            self._other[1].flush()

    def count(self) -> int:
        """Rows, deletions taken off. Raises StoreError."""
        self.flush()
        return sum(self._rows_in(volume) for volume in range(self._n))

    def ids(self) -> Iterator[str]:
        """The child ids, in no order. Raises StoreError."""
        self.flush()
        if self._places is not None:
            yield from self._take_stock().ids()
            return
        for volume in range(self._n):
            yield from self._volume(volume).ids()

    def search_dense(self, vector: npt.NDArray[np.float32], k: int, scope: Scope) -> list[Hit]:
        """At most k hits by cosine, best first, equal scores by child id. Raises StoreError."""
        self.flush()
        return _best([self._volume(volume).search_dense(vector, k, scope) for volume in range(self._n)], k)

    def search_sparse(self, vector: SparseVector, k: int, scope: Scope) -> list[Hit]:
        """At most k hits by inner product (> 0), best first, equal scores by child id. Raises StoreError."""
        self.flush()
        return _best([self._volume(volume).search_sparse(vector, k, scope) for volume in range(self._n)], k)

    def dense_of(self, child_ids: Sequence[str]) -> dict[str, npt.NDArray[np.float32]]:
        """The children's vectors. Raises StoreError."""
        self.flush()
        found: dict[str, npt.NDArray[np.float32]] = {}
        for volume in range(self._n):
            found |= self._volume(volume).dense_of(child_ids)
        return found

    def close(self) -> None:
        """Closes the databases, so that another process can open them."""
        with ExitStack() as stack:
            stack.callback(self._first.close)
            if self._other:
                stack.callback(self._other[1].close)
            if self._places:
                stack.callback(self._places.close)

    @property
    def _places_path(self) -> Path:
        return self._folder / "places.sqlite"

    def _known_places(self) -> Places:
        """Where the rows are; found out by reading them all where that is not known."""
        return self._places or self._take_stock()

    def _take_stock(self) -> Places:
        """Reads all ids, and notes where each is. One that is in two volumes is deleted from the later one."""
        if self._places:
            self._places.close()
        with told(self._target):
            self._folder.mkdir(parents=True, exist_ok=True)
            for path in self._folder.glob(f"{self._places_path.name}*"):  # it may be damaged
                path.unlink()
        places = Places(self._places_path)
        for volume, child_ids in places.replace(self._pages()).items():
            self._volume(volume).delete(child_ids)
            self._volume(volume).flush()
        return self._note_places(places)

    def _note_places(self, places: Places) -> Places:
        self._places, self._sizes = places, places.sizes()
        return places

    def _pages(self) -> Iterator[tuple[int, Sequence[str]]]:
        for volume in range(self._n):
            page: list[str] = []
            for child_id in self._volume(volume).ids():
                page.append(child_id)
                if len(page) == _PAGE:
                    yield volume, page
                    page = []
            yield volume, page

    def _rows_in(self, volume: int) -> int:
        """Counted now or when it was left; of one that was not opened, how many are known to be in it."""
        if volume == 0 or (self._other and self._other[0] == volume):
            return self._volume(volume).count()
        if volume in self._counted:
            return self._counted[volume]
        return self._volume(volume).count() if self._places is None else self._sizes[volume]

    def _with_room(self) -> int:
        """An open volume, else the emptiest, else a new one."""
        for volume in (self._other[0] if self._other else 0, 0):
            if self._sizes[volume] < _most_rows(volume):
                return volume
        emptiest = min(range(self._n), key=lambda volume: self._sizes[volume])
        if self._sizes[emptiest] <= _FULL * _most_rows(emptiest):
            return emptiest
        self._n += 1
        return self._n - 1

    def _volume(self, volume: int) -> MilvusStore:
        """The volume, opened in the place of another."""
        if volume == 0:
            return self._first
        if self._other is None or self._other[0] != volume:
            self._leave()
            target = replace(self._target, uri=str(self._folder / f"{volume}.db"))
            self._other = volume, MilvusStore(target)
        return self._other[1]

    def _leave(self) -> None:
        if self._other:
            volume, store = self._other
            store.flush()  # closing would, too, and would not tell that the disk is full
            self._counted[volume] = store.count()
            self._other = None
            store.close()


def _most_rows(volume: int) -> int:
    return NEXT_ROWS if volume else FIRST_ROWS


def _best(rankings: Sequence[Sequence[Hit]], k: int) -> list[Hit]:
    hits = sorted((hit for ranking in rankings for hit in ranking), key=lambda hit: (-hit.score, hit.child_id))
    return [replace(hit, rank=rank) for rank, hit in enumerate(hits[:k], start=1)]
