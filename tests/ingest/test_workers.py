from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hostile_loads import hostile_options
from office_files import PICTURE, relations, write_docx

from edu_cli.errors import LoadError
from edu_cli.ingest.options import LoadOptions
from edu_cli.ingest.workers.pool import LoadPool
from edu_cli.types import Document

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="signals and limits of POSIX")


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> Iterator[LoadPool]:
    """Two workers that find the hostile reader of these tests."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[1]))
    with LoadPool(2, 60, hostile_options) as pool:
        yield pool


def _docx(folder: Path, order: str) -> Path:
    rels = relations(("r1", "image", "media/1.png"))
    body = "<w:p><w:r><w:drawing><a:blip r:embed='r1'/></w:drawing></w:r></w:p>"
    media: dict[str, str | bytes] = {"word/media/1.png": PICTURE + b"\0" + order.encode()}
    return write_docx(folder / f"{order}.docx", body, media, rels=rels)


def _outcomes(pool: LoadPool, paths: list[Path]) -> list[str]:
    def told(outcome: Document | LoadError) -> str:
        return outcome.code if isinstance(outcome, LoadError) else outcome.blocks[0].text

    return [told(loaded.outcome) for loaded in pool.load_all(paths)]


def test_results_come_in_the_order_given(tmp_path: Path, workers: LoadPool) -> None:
    (tmp_path / "轻.md").write_text("轻的", encoding="utf-8")
    paths = [_docx(tmp_path, f"第{i}份") for i in range(20)]
    paths.insert(3, tmp_path / "轻.md")
    loaded = list(workers.load_all(paths))
    assert [result.path for result in loaded] == paths
    assert all(isinstance(result.outcome, Document) for result in loaded)
    assert all(result.seconds > 0 for result in loaded)


def test_office_files_are_read_outside_this_process(tmp_path: Path, workers: LoadPool) -> None:
    assert _outcomes(workers, [_docx(tmp_path, "pid")]) != [str(os.getpid())]


@posix_only
def test_a_crash_costs_its_own_file_only(tmp_path: Path, workers: LoadPool) -> None:
    paths = [_docx(tmp_path, order) for order in ("甲", "crash", "乙", "exit", "丙")]
    assert _outcomes(workers, paths) == ["图：甲", "corrupt", "图：乙", "corrupt", "图：丙"]
    error = next(result.outcome for result in workers.load_all([_docx(tmp_path, "crash")]))
    assert isinstance(error, LoadError)
    assert error.message == "crash.docx brought its reader down (signal SIGABRT)."


@posix_only
def test_a_hang_ends_at_the_timeout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[1]))
    with LoadPool(1, 2.0, hostile_options) as pool:
        assert _outcomes(pool, [_docx(tmp_path, "hang"), _docx(tmp_path, "后面")]) == ["timeout", "图：后面"]


@posix_only
def test_a_file_that_makes_progress_is_not_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[1]))
    rels = relations(*((f"r{i}", "image", f"media/{i}.png") for i in range(6)))
    body = "".join(f"<w:p><w:r><w:drawing><a:blip r:embed='r{i}'/></w:drawing></w:r></w:p>" for i in range(6))
    media: dict[str, str | bytes] = {f"word/media/{i}.png": PICTURE + b"\0slow" for i in range(6)}
    path = write_docx(tmp_path / "长.docx", body, media, rels=rels)
    with LoadPool(1, 2.0, hostile_options) as pool:  # each picture takes 0.6 seconds
        assert _outcomes(pool, [path]) == ["图：slow"]


@pytest.mark.skipif(sys.platform != "linux", reason="memory limits hold on Linux")
def test_a_reader_that_swells_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[1]))
    with LoadPool(1, 60, hostile_options, memory_bytes=500 * 2**20) as pool:
        assert _outcomes(pool, [_docx(tmp_path, "swell"), _docx(tmp_path, "后面")]) == ["too_large", "图：后面"]


def test_what_a_library_prints_does_not_disturb_the_answer(tmp_path: Path, workers: LoadPool) -> None:
    assert _outcomes(workers, [_docx(tmp_path, "print")]) == ["图：print"]


def test_an_abandoned_iteration_leaves_the_pool_usable(tmp_path: Path, workers: LoadPool) -> None:
    paths = [_docx(tmp_path, f"第{i}份") for i in range(8)]
    next(iter(workers.load_all(paths)))
    assert _outcomes(workers, paths[:2]) == ["图：第0份", "图：第1份"]


def test_only_a_few_files_are_taken_ahead(tmp_path: Path, workers: LoadPool) -> None:
    paths = [tmp_path / f"{i}.md" for i in range(200)]
    for path in paths:
        path.write_text("字", encoding="utf-8")
    taken: list[Path] = []
    results = workers.load_all(taken.append(path) or path for path in paths)
    next(iter(results))
    assert len(taken) < 20


@posix_only
def test_closing_ends_the_workers_whatever_they_are_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[1]))
    pool = LoadPool(1, 600, hostile_options)
    paths = [_docx(tmp_path, "pid"), _docx(tmp_path, "hang")]
    loading = pool.load_all(paths)
    outcome = next(loading).outcome
    assert isinstance(outcome, Document)
    start = time.monotonic()
    pool.close()
    assert time.monotonic() - start < 5
    assert _is_gone(int(outcome.blocks[0].text))


@posix_only
@pytest.mark.slow
def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    path = _docx(tmp_path, "pid")
    hang = _docx(tmp_path, "hang")
    script = (
        "from pathlib import Path; from hostile_loads import hostile_options\n"
        "from edu_cli.ingest.workers.pool import LoadPool\n"
        f"paths = [Path({str(path)!r}), Path({str(hang)!r})]\n"
        "for r in LoadPool(1, 600, hostile_options).load_all(paths): print(r.outcome.blocks[0].text, flush=True)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[1])}
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, env=environment)
    assert parent.stdout is not None
    worker = int(parent.stdout.readline())
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    assert _is_gone(worker)


def _is_gone(pid: int) -> bool:
    for _ in range(80):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


def test_a_factory_that_no_worker_can_import_is_refused_at_once() -> None:
    def local() -> LoadOptions:
        return LoadOptions()

    local.__module__ = local.__qualname__ = "__main__"
    with pytest.raises((ValueError, AttributeError, pickle.PicklingError)):
        LoadPool(1, 60, local)


def test_an_error_survives_the_way_between_processes() -> None:
    error = pickle.loads(pickle.dumps(LoadError("a.pdf is damaged.", hint="save it again", code="encrypted")))  # noqa: S301
    assert (error.message, error.hint, error.code) == ("a.pdf is damaged.", "save it again", "encrypted")
