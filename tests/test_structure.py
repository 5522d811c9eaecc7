"""What keeps the code readable: short modules, no exceptions."""

from __future__ import annotations

from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "edu_cli"


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_no_module_is_longer_than_250_lines(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 250


def test_every_folder_says_what_it_is_for() -> None:
    for init in PACKAGE.rglob("__init__.py"):
        assert init.read_text(encoding="utf-8").startswith('"""'), init
