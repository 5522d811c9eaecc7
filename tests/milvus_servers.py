"""Milvus Lite behind TCP, and a gate before it that wants TLS and a token, is slow, or lets nothing through."""

from __future__ import annotations

import base64
import datetime
import ipaddress
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest

LOGIN = "root:secret"  # that a guarded server knows


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def milvus_server(folder: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Milvus Lite behind TCP: the nearest thing to a server that pip can install. Gives its process."""
    program = Path(sys.executable).with_name("milvus-lite")
    command = [program, "server", "--data-dir", folder / "data.db", "--port", str(port), "--host", "127.0.0.1"]
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        until = time.monotonic() + 120
        while time.monotonic() < until:
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield process
    finally:
        process.kill()
        process.wait(60)


@dataclass(frozen=True)
class Certificates:
    """A throw-away authority and a certificate of it for 127.0.0.1: PEM, and the authority's file."""

    ca: Path
    key: bytes
    chain: bytes


def make_certificates(folder: Path) -> Certificates:
    """Valid for an hour. Skips the test where `cryptography` is not installed."""
    pytest.importorskip("cryptography", reason="certificates are made by cryptography")
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    now = datetime.datetime.now(datetime.UTC)

    def named(name: str) -> x509.Name:
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])

    def begun(subject: str, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
        return (
            x509.CertificateBuilder(named("a test's authority"), named(subject), key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(minutes=5))
            .not_valid_after(now + datetime.timedelta(hours=1))
        )

    ca_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    authority = begun("a test's authority", ca_key).add_extension(x509.BasicConstraints(True, None), True)
    server = begun("127.0.0.1", key).add_extension(
        x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False
    )
    pem = serialization.Encoding.PEM
    (folder / "ca.pem").write_bytes(authority.sign(ca_key, hashes.SHA256()).public_bytes(pem))
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return Certificates(folder / "ca.pem", private, server.sign(ca_key, hashes.SHA256()).public_bytes(pem))


class Gate(grpc.GenericRpcHandler):
    """Hands every call on to a Milvus server behind it, if it pleases."""

    def __init__(self, behind: int, *, token: str = "", certificates: Certificates | None = None) -> None:
        self.delay_s = 0.0
        self.refuses: Callable[[str], bool] = lambda _: False  # by the name of the call: UNAVAILABLE
        self.calls: list[str] = []
        self.databases: set[str] = set()
        self.wanted = base64.b64encode(token.encode()).decode() if token else None
        self._channel = grpc.insecure_channel(f"127.0.0.1:{behind}")
        self._server = grpc.server(ThreadPoolExecutor(16), handlers=[self])
        if certificates:
            pair = grpc.ssl_server_credentials([(certificates.key, certificates.chain)])
            port = self._server.add_secure_port("127.0.0.1:0", pair)
        else:
            port = self._server.add_insecure_port("127.0.0.1:0")
        self.uri = f"{'https' if certificates else 'http'}://127.0.0.1:{port}"
        self._server.start()

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[Any, Any]:
        method, metadata = str(handler_call_details.method), dict(handler_call_details.invocation_metadata or ())

        def call(request: bytes, context: grpc.ServicerContext) -> bytes:
            return self._passed_on(method, metadata, request, context)

        return grpc.unary_unary_rpc_method_handler(call)

    def close(self) -> None:
        self._server.stop(None).wait(60)
        self._channel.close()

    def _passed_on(self, method: str, metadata: dict[str, Any], request: bytes, context: grpc.ServicerContext) -> bytes:
        name = method.rsplit("/", 1)[-1]
        self.calls.append(name)
        self.databases.add(str(metadata.get("dbname", "")))
        if self.wanted and metadata.get("authorization") != self.wanted:
            # how a server with authorization says it
            context.abort(grpc.StatusCode.UNAUTHENTICATED, "auth check failure, please check api key is correct")
        if self.refuses(name):
            context.abort(grpc.StatusCode.UNAVAILABLE, "the server is going down")
        time.sleep(self.delay_s)
        passed = [(key, value) for key, value in metadata.items() if key.startswith(("dbname", "client"))]
        try:
            return self._channel.unary_unary(method)(request, metadata=passed, timeout=60)
        except grpc.RpcError as error:
            context.abort(error.code(), error.details())  # type: ignore[attr-defined]
            raise


@contextmanager
def gate(behind: int, **wanted: Any) -> Iterator[Gate]:
    """A Gate that is closed in the end."""
    one = Gate(behind, **wanted)
    try:
        yield one
    finally:
        one.close()
