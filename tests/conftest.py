"""What every test gets: no settings from outside, a home and caches of its own."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from milvus_servers import Certificates, Gate


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--least-kills", type=int, default=0, help="fail where the tests killed fewer runs than this")
    parser.addoption(
        "--every-write",
        action="store_true",
        help="the disk gets full at each call of the long jobs, not at some by lot (a quarter of an hour)",
    )


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    if exitstatus == 0 and _kills(session.config) < session.config.getoption("least_kills"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if kills := _kills(terminalreporter.config):
        least = terminalreporter.config.getoption("least_kills")
        terminalreporter.write_line(
            f"{kills} runs were killed or stopped" + (f", at least {least} wanted" * bool(least))
        )


def _kills(config: pytest.Config) -> int:
    """What the tests recorded as `kills`; with -n it is known to the process that started the others."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(config, "workerinput"):
        return 0
    passed = reporter.stats.get("passed", [])
    return sum(value for report in passed for name, value in report.user_properties if name == "kills")


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(("EDU_", "OPENAI_")) and name != "EDU_CACHE_DIR":
            monkeypatch.delenv(name)


@pytest.fixture(scope="session", autouse=True)
def _ctrl_c() -> None:
    """A shell without job control starts its background jobs deaf to Ctrl-C, and so is all that they start."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def _shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """One cache folder for the whole run (the built encoder takes seconds), never the user's."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "edu-cache"
    before = os.environ.get("EDU_CACHE_DIR")
    os.environ["EDU_CACHE_DIR"] = str(folder)
    yield
    if before is None:
        del os.environ["EDU_CACHE_DIR"]
    else:
        os.environ["EDU_CACHE_DIR"] = before


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The measuring data beside the project; tests that need it skip where it is absent."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not (folder / "data").is_dir():
        pytest.skip("the measuring data (../shared/data) is not here")
    return folder


# What stands on the network is imported when a test asks for it: the others do without gRPC.


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Where a Milvus server listens."""
    from milvus_servers import free_port, milvus_server

    free = free_port()
    with milvus_server(tmp_path_factory.mktemp("server"), free):
        yield free


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    """Those of a throw-away authority and of a server that it signed for."""
    from milvus_servers import make_certificates

    return make_certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def guarded(port: int, certificates: Certificates) -> Iterator[Gate]:
    """The same server behind TLS, for those who know its token; anew each time, since tests make it slow or refuse."""
    from milvus_servers import LOGIN, gate

    with gate(port, token=LOGIN, certificates=certificates) as one:
        yield one
