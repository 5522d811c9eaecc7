"""Milvus on the network: the contract over TCP and over TLS with a token, and a server that is not as it should be."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from milvus_servers import LOGIN, Certificates, Gate, free_port, gate, make_certificates, milvus_server
from store_contract import DIM, StoreContract, dense, found, row

from edu_cli.errors import ConfigError, StoreError
from edu_cli.index.milvus import MilvusStore, collection_name
from edu_cli.index.milvus_connect import MilvusTarget
from edu_cli.protocols import VectorStore

pytestmark = pytest.mark.slow


def target(uri: str, name: str = "test", **more: object) -> MilvusTarget:
    return MilvusTarget(uri, collection_name(name, "encoder-1"), DIM, **{"timeout_s": 30.0, **more})  # type: ignore[arg-type]


def used(store: MilvusStore) -> Iterator[VectorStore]:
    yield store
    store.drop()
    store.close()


class TestOverTcp(StoreContract):
    @pytest.fixture
    def store(self, port: int, request: pytest.FixtureRequest) -> Iterator[VectorStore]:
        yield from used(MilvusStore(target(f"http://127.0.0.1:{port}", request.node.name)))


class TestOverTls(StoreContract):
    @pytest.fixture
    def store(self, guarded: Gate, certificates: Certificates, request: pytest.FixtureRequest) -> Iterator[VectorStore]:
        yield from used(MilvusStore(target(guarded.uri, request.node.name, token=LOGIN, ca=certificates.ca)))


@pytest.mark.parametrize("token", ["", "root:wrong"])
def test_a_refused_login_is_told_without_the_token(token: str, guarded: Gate, certificates: Certificates) -> None:
    with pytest.raises(StoreError, match=rf"{guarded.uri} refuses the login: auth check failure") as caught:
        MilvusStore(target(guarded.uri, token=token, ca=certificates.ca))
    assert "EDU_MILVUS_TOKEN" in caught.value.hint
    assert "wrong" not in str(caught.value)


def test_a_login_that_is_refused_later_is_told(guarded: Gate, certificates: Certificates) -> None:
    store = MilvusStore(target(guarded.uri, token=LOGIN, ca=certificates.ca))
    guarded.wanted, before = "another", guarded.wanted
    try:
        with pytest.raises(StoreError, match="auth check failure"):
            store.count()
    finally:
        guarded.wanted = before
    assert store.count() == 0
    store.close()


def test_a_certificate_of_nobody_known_is_told(guarded: Gate, tmp_path: Path) -> None:
    for ca in (None, make_certificates(tmp_path).ca):
        with pytest.raises(StoreError, match="is not trusted") as caught:
            MilvusStore(target(guarded.uri, token=LOGIN, ca=ca))
        assert "EDU_MILVUS_CA" in caught.value.hint


def test_a_certificate_file_that_is_none_is_told(guarded: Gate, tmp_path: Path) -> None:
    (tmp_path / "empty.pem").touch()
    for name, said in (("absent.pem", "cannot be read"), ("empty.pem", "holds no certificate")):
        with pytest.raises(ConfigError, match=said) as caught:
            MilvusStore(target(guarded.uri, ca=tmp_path / name))
        assert name in caught.value.message


def test_tls_and_none_mixed_up_are_told(guarded: Gate, port: int) -> None:
    with pytest.raises(StoreError, match="cannot be reached"):
        MilvusStore(target(guarded.uri.replace("https:", "http:"), timeout_s=3))
    with gate(port) as plain:
        store = MilvusStore(target(plain.uri))
        with pytest.raises(StoreError, match="is not trusted") as caught:
            MilvusStore(target(plain.uri.replace("http:", "https:"), timeout_s=30))
        assert "http://" in caught.value.hint
        store.close()


def test_what_one_client_may_do_another_of_the_same_address_may_not(
    guarded: Gate, certificates: Certificates, tmp_path: Path
) -> None:
    """Each is judged by its own authority, token, scheme and database, as long as the first is connected and after."""
    right = target(guarded.uri, token=LOGIN, ca=certificates.ca, timeout_s=10)
    wrong = {
        "is not trusted": replace(right, ca=make_certificates(tmp_path).ca),
        "refuses the login": replace(right, token=f"{LOGIN}?"),
        "cannot be reached": replace(right, uri=guarded.uri.replace("https:", "http:"), timeout_s=3),
        "database 'absent' does not exist": replace(right, database="absent"),
    }
    store = MilvusStore(right)
    for _ in range(2):
        for said, other in wrong.items():
            with pytest.raises(StoreError, match=said):
                MilvusStore(other)
        assert store.count() == 0
        store.close()
        store = MilvusStore(right)
    store.drop()
    store.close()


def test_a_password_in_the_address_is_not_shown(guarded: Gate, certificates: Certificates) -> None:
    uri = guarded.uri.replace("//", "//root:wrong@")
    with pytest.raises(StoreError, match="refuses the login") as caught:
        MilvusStore(target(uri, ca=certificates.ca))
    assert "wrong" not in caught.value.message
    assert guarded.uri in caught.value.message


def test_the_database_is_asked_for_by_name(port: int) -> None:
    with gate(port) as plain:
        with pytest.raises(StoreError, match="database 'absent' does not exist"):
            MilvusStore(target(plain.uri, database="absent"))
        assert "absent" in plain.databases


@pytest.mark.parametrize("uri", ["http://127.0.0.1:9", "http://no-such-host.invalid:19530", "http://[::1", "ftp://x/y"])
def test_what_is_no_server_is_named(uri: str) -> None:
    with pytest.raises((StoreError, ConfigError)) as caught:
        MilvusStore(target(uri, timeout_s=3))
    assert uri.removeprefix("http://") in caught.value.message
    assert caught.value.hint


def test_a_server_that_is_slow_is_waited_for_and_no_longer_than_said(port: int) -> None:
    with gate(port) as slow:
        store = MilvusStore(target(slow.uri, timeout_s=2))
        slow.delay_s = 0.5
        store.upsert([row("a", dense(1))])
        store.flush()
        assert found(store, dense(1)) == ["a"]
        slow.delay_s = 5
        for reading in (store.count, lambda: found(store, dense(1)), lambda: store.dense_of(["a"])):
            start = time.monotonic()
            with pytest.raises(StoreError, match="no answer within 2 seconds"):
                reading()
            assert time.monotonic() - start < 10
        slow.delay_s = 0
        store.drop()
        store.close()


def test_retries_are_bounded_in_number_and_time(port: int) -> None:
    with gate(port) as ailing:
        store = MilvusStore(target(ailing.uri, timeout_s=2))
        store.upsert([row("a", dense(1))])
        ailing.refuses = lambda _: True
        before, start = len(ailing.calls), time.monotonic()
        with pytest.raises(StoreError, match=f"{ailing.uri} failed"):
            store.count()
        assert time.monotonic() - start < 20
        assert 1 < len(ailing.calls) - before < 40
        ailing.refuses = lambda _: False
        assert store.count() == 1
        store.drop()
        store.close()


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot be stopped and continued here")
def test_a_server_that_hangs_or_restarts_is_told_and_loses_nothing(tmp_path: Path) -> None:
    free = free_port()
    with milvus_server(tmp_path, free) as process:
        store = MilvusStore(target(f"http://127.0.0.1:{free}", timeout_s=2))
        store.upsert([row("a", dense(1))])
        store.flush()
        process.send_signal(signal.SIGSTOP)
        while "T" not in Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0]:
            time.sleep(0.01)
        start = time.monotonic()
        with pytest.raises(StoreError, match="no answer within 2 seconds"):
            found(store, dense(1))
        assert time.monotonic() - start < 10
        process.send_signal(signal.SIGCONT)
        assert found(store, dense(1)) == ["a"]
    with pytest.raises(StoreError, match=f"127.0.0.1:{free} failed"):
        store.count()
    with milvus_server(tmp_path, free):
        until = time.monotonic() + 120
        while True:
            try:
                assert store.count() == 1
                break
            except StoreError:
                assert time.monotonic() < until, "the store did not find the server again"
                time.sleep(0.2)
        assert np.allclose(store.dense_of(["a"])["a"], dense(1))
    store.close()
