"""What tells one tokeniser from another, known without loading it."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

RULES_VERSION = 1  # part of the fingerprint: raise it when the same text gives other tokens


def fingerprint_of(cutter: str, terms: Sequence[str]) -> str:
    """Of the tokeniser by this package, with these terms of a course."""
    digest = "none"
    if terms:
        from hashlib import blake2b

        digest = blake2b("\n".join(terms).encode(), digest_size=8).hexdigest()
    return f"{cutter}-{_version(cutter)}/rules-{RULES_VERSION}/dict-{digest}"


def cutter_name() -> str:
    """The package that cuts Chinese into words."""
    return "rjieba" if find_spec("rjieba") else "jieba"


def _version(package: str) -> str:
    """The installed version, read off the folder beside the package: importlib.metadata takes longer to load."""
    found = find_spec(package)
    if found and found.origin:
        for folder in Path(found.origin).parent.parent.glob(f"{package}-*.dist-info"):
            return folder.name.removeprefix(f"{package}-").removesuffix(".dist-info")
    from importlib.metadata import version

    return version(package)
