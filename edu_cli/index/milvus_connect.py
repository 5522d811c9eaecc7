"""Reaching Milvus: Lite's server inside this process or one on the network, and what goes wrong with either."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from edu_cli.errors import ConfigError, LockedError, StoreError
from edu_cli.index.milvus_lock import holder_of

if TYPE_CHECKING:
    from grpc import Call
    from pymilvus import MilvusClient

_ITS_OWN = True  # else pymilvus gives a client the connection of another of the same address and token, whatever its CA
# Lite's server refuses a client that pings more than it works, as pymilvus's does every 10 s while texts are encoded; a
# server inside the same process needs no pings
_NO_PINGS = {"grpc.keepalive_time_ms": 2**31 - 1}
_PASSWORD = re.compile(r"//[^/]*@")  # of an address, with the user it belongs to
_FOREIGN = re.compile(r"handshake|Verification check|root certificate", re.I)  # how gRPC tells a certificate it refuses
_ADDRESS = re.compile(r"^.*last error: (?:[A-Z]+: )?(?:ipv[46]:\S+: )?")  # of the server, which is named already
_NO_PROXY = "no_grpc_proxy"  # gRPC's own, so that nothing else in the process is affected


@dataclass(frozen=True, slots=True)
class MilvusTarget:
    """Where and as what the vectors are kept: `uri` is a server's address or the path of a Lite database.

    `ca` holds the certificates that an https server's must be signed by; None takes those that gRPC trusts.
    """

    uri: str
    collection: str
    dim: int
    token: str = ""
    database: str = ""
    timeout_s: float = 10.0
    ca: Path | None = None

    @property
    def is_lite(self) -> bool:
        """Whether `uri` is a file."""
        return "://" not in self.uri

    @property
    def limit_s(self) -> float | None:
        """The longest that a call may take. Without one pymilvus tries 75 times; Lite is in this process."""
        return None if self.is_lite else self.timeout_s

    @property
    def name(self) -> str:
        """How messages call it, without a password in its address."""
        return self.uri if self.is_lite else f"the Milvus server {_PASSWORD.sub('//', self.uri)}"


def connect(target: MilvusTarget) -> MilvusClient:
    """A client of the server, or of Lite's server inside this process. Raises LockedError and StoreError."""
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # its C core writes to stderr what is raised as well
    import pymilvus  # noqa: F401 - sets its loggers' levels, so it comes before ours

    for name in ("pymilvus", "milvus_lite"):  # both log 20-line tracebacks of errors that are raised as well
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    return _open_lite(Path(target.uri)) if target.is_lite else _open_server(target)


def _open_lite(path: Path) -> MilvusClient:
    from pymilvus import MilvusClient, MilvusException

    _reach_loopback_directly()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return MilvusClient(str(path), grpc_options=_NO_PINGS, dedicated=_ITS_OWN)
    except (MilvusException, OSError) as error:
        release(path)
        holder = holder_of(path)
        if holder is not None:
            raise LockedError(
                f"{path} is in use by another process{holder}.",
                hint="wait until it has ended, or set EDU_MILVUS_URI to a server",
            ) from error
        raise StoreError(f"{path} cannot be opened by Milvus Lite.", hint="run `edu doctor --fix`") from error


def _open_server(target: MilvusTarget) -> MilvusClient:
    from pymilvus import MilvusClient, MilvusException

    trusted = {"server_pem_path": str(_readable(target.ca))} if target.ca else {}
    try:
        return MilvusClient(
            target.uri,
            token=target.token,
            db_name=target.database,
            timeout=target.timeout_s,
            dedicated=_ITS_OWN,
            **trusted,
        )
    except (MilvusException, ValueError) as error:  # ValueError: what is no address
        raise _unreached(target, error) from error


def _readable(ca: Path) -> Path:
    try:
        if b"-----BEGIN CERTIFICATE-----" not in ca.read_bytes():
            raise ConfigError(f"{ca}, which milvus.ca names, holds no certificate.", hint="it wants a file in PEM form")
    except OSError as error:
        raise ConfigError(
            f"{ca}, which milvus.ca names, cannot be read: {error.strerror or error}.", hint="correct EDU_MILVUS_CA"
        ) from error
    return ca


def _unreached(target: MilvusTarget, error: Exception) -> StoreError:
    import grpc

    call, detail = _call_behind(error), _reason(error, target)
    if call and call.code() in (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED):
        return StoreError(
            f"{target.name} refuses the login: {detail}.", hint="set EDU_MILVUS_TOKEN to its user:password or API key"
        )
    if _FOREIGN.search(detail):
        return StoreError(
            f"{target.name} is not trusted: {detail}.",
            hint="set EDU_MILVUS_CA to the certificate of the authority that signed the server's; or it speaks no TLS, "
            "and milvus.uri is to begin with http://",
        )
    return StoreError(
        f"{target.name} cannot be reached: {detail}.", hint="check milvus.uri and milvus.token, and that it runs"
    )


def _reason(error: BaseException, target: MilvusTarget) -> str:
    """What went wrong in a few words. Of a connection pymilvus says only that it failed; gRPC behind it knows why."""
    import grpc

    call = _call_behind(error)
    if call and call.code() == grpc.StatusCode.DEADLINE_EXCEEDED:
        return f"no answer within {target.timeout_s:g} seconds"
    told = call.details() if call else getattr(error, "message", "")
    return _ADDRESS.sub("", " ".join(str(told or error).split()))[:300].rstrip(". ")


def _call_behind(error: BaseException | None) -> Call | None:
    """The call whose failure the error, or one that it came of, tells."""
    import grpc

    seen: set[int] = set()  # pymilvus raises an error from one that came of it
    while error is not None and id(error) not in seen:
        if isinstance(error, grpc.Call):
            return error
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return None


def _reach_loopback_directly() -> None:
    """Milvus Lite listens on 127.0.0.1, which gRPC would look for behind the proxy of HTTP_PROXY."""
    known = os.environ.get(_NO_PROXY) or os.environ.get("no_proxy") or os.environ.get("NO_PROXY") or ""
    if "127.0.0.1" not in known.split(","):
        os.environ[_NO_PROXY] = ",".join(filter(None, (known, "127.0.0.1", "localhost")))


def release(path: Path) -> None:
    """Ends Lite's server in this process, which else keeps the database locked, and its memory, until that ends."""
    import pyarrow
    from milvus_lite.server_manager import server_manager_instance

    server_manager_instance.release_server(str(path))
    pyarrow.default_memory_pool().release_unused()  # some 130 MB after 50,000 rows


@contextmanager
def told(target: MilvusTarget) -> Iterator[None]:
    """Turns what pymilvus and gRPC raise into a StoreError that names the server or the file."""
    import grpc
    from pymilvus import MilvusException

    try:
        yield
    except (MilvusException, grpc.RpcError, OSError, ValueError) as error:
        hint = "run `edu doctor --fix`" if target.is_lite else "check milvus.uri, milvus.token and the server's log"
        raise StoreError(f"{target.name} failed: {_reason(error, target)}.", hint=hint) from error
