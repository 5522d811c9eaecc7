from __future__ import annotations

import pytest
from served import make_project

from edu_cli.project import Project


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Three small files, searched by words only."""
    return make_project(tmp_path_factory.mktemp("project"))
