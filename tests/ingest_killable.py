"""Run by tests as a process of its own, to be killed: `python ingest_killable.py FOLDER` ingests a FakeProject."""

from __future__ import annotations

import sys
from pathlib import Path

from fakes import FileStore
from ingest_project import FakeProject

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    FakeProject(folder, store=FileStore(folder / "store.sqlite")).ingest()
