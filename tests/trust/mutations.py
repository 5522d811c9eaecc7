"""Bytes that are nearly right: what becomes of whole ones by a few changes; and where those are kept that crashed."""

from __future__ import annotations

import io
import os
import random
import zipfile
from pathlib import Path

CRASHERS = Path(__file__).with_name("crashers")

_HOSTILE = (
    b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\x1b[2J", b"]]>", b"<!--", b"-->", b"&#0;", b"&x;", b"<a", b"</w:p>", b"\"",
    b"9" * 40, b"-1", b"\xed\xa0\x80", b"\r", b"\x0c", b"|" * 50, b"#" * 12, b"`" * 9, b"$$", b"> " * 300, b"* " * 300,
    b"[" * 400, b"%%EOF", b"endobj", b"/Kids [1 0 R]", b"1e999", b"NaN", b"{" * 300, "\u202e".encode(), b"---\n",
)  # fmt: skip


def mutated(raw: bytes, rng: random.Random, *, most: int = 6) -> bytes:
    """The bytes with a few pieces changed, dropped, doubled, swapped or put in."""
    content = bytearray(raw)
    for _ in range(rng.randrange(1, most + 1)):
        at = rng.randrange(len(content) + 1)
        end = min(len(content), at + rng.choice((1, 2, 8, 64, 1024)))
        kind = rng.randrange(6)
        if kind == 0 and at < len(content):
            content[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            del content[at:end]
        elif kind == 2:
            content[at:at] = content[at:end]
        elif kind == 3:
            content[at:at] = rng.choice(_HOSTILE)
        elif kind == 4:
            content[at:end] = rng.randbytes(end - at)
        else:
            other = rng.randrange(len(content) + 1)
            content[at:end] = content[other : other + end - at]
    return bytes(content)


def mutated_package(raw: bytes, rng: random.Random) -> bytes:
    """A zip with one of its parts mutated, gone, twice there, or the zip itself mutated."""
    if rng.random() < 0.15:
        return mutated(raw, rng)
    source, target = zipfile.ZipFile(io.BytesIO(raw)), io.BytesIO()
    names = source.namelist()
    victims = rng.sample(names, k=min(len(names), rng.choice((1, 1, 1, 2, 4))))
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as out:
        for name in names:
            content = source.read(name)
            if name in victims:
                if rng.random() < 0.1:
                    continue
                content = mutated(content, rng)
            out.writestr(name, content)
    return target.getvalue()


def kept(*readers: str) -> list[Path]:
    """What once crashed these readers."""
    return sorted(path for reader in readers for path in (CRASHERS / reader).glob("*"))


def keep(reader: str, raw: bytes) -> None:
    """Where KEEP_CRASHERS is set, what fails is added to the folder."""
    if os.environ.get("KEEP_CRASHERS"):
        folder = CRASHERS / reader
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{random.Random(raw).getrandbits(32):08x}").write_bytes(raw)
