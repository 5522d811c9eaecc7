"""Which volume of a Milvus Lite store holds a child's row."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from edu_cli.index.database import Database

_OWNER = 0x65647503  # "edu" + 3: tells our files from other SQLite files
_STEPS = (
    "CREATE TABLE places (child_id TEXT PRIMARY KEY, volume INTEGER NOT NULL) WITHOUT ROWID;"
    "CREATE INDEX places_volume ON places (volume);",
)


class Places:
    """The volume of each child, in a file of its own.

    A child is noted before its row is written and struck out after its row is gone, so that a row is never where it is
    not looked for; one that is noted and not there is no harm.
    """

    def __init__(self, path: Path) -> None:
        self._database = Database(path, _STEPS, _OWNER, durable=False)

    def sizes(self) -> Counter[int]:
        """How many children each volume has."""
        return Counter(dict(self._database.rows("SELECT volume, count(*) FROM places GROUP BY volume")))

    def ids(self) -> Iterator[str]:
        """All that are noted."""
        return (child_id for (child_id,) in self._database.rows("SELECT child_id FROM places"))

    def of(self, child_ids: Sequence[str]) -> dict[str, int]:
        """The volumes of those that are noted."""
        found = self._database.rows(
            "SELECT child_id, volume FROM places WHERE child_id IN (SELECT value FROM json_each(?))",
            (json.dumps(list(child_ids)),),
        )
        return dict(found)

    def note(self, volume: int, child_ids: Iterable[str]) -> None:
        """These are in the volume from now on."""
        self._database.write("INSERT OR REPLACE INTO places VALUES (?, ?)", ((one, volume) for one in child_ids))

    def strike(self, child_ids: Iterable[str]) -> None:
        """These are in no volume any more."""
        self._database.write("DELETE FROM places WHERE child_id = ?", ((one,) for one in child_ids))

    def replace(self, found: Iterator[tuple[int, Sequence[str]]]) -> dict[int, list[str]]:
        """Notes what was found in the volumes, and nothing else; returns what stands in an earlier volume, too."""
        twice: defaultdict[int, list[str]] = defaultdict(list)
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM places")
            for volume, child_ids in found:
                held = self.of(child_ids)
                if held:
                    twice[volume] += held
                rows = ((one, volume) for one in child_ids if one not in held)
                connection.executemany("INSERT INTO places VALUES (?, ?)", rows)
        return twice

    def close(self) -> None:
        """Closes the file."""
        self._database.close()
