"""Optional packages: a missing one is told apart from a broken one."""

from __future__ import annotations

import importlib
from types import ModuleType

from edu_cli.errors import MissingExtraError


def require(module: str, extra: str) -> ModuleType:
    """Imports `module`, which the extra `extra` installs.

    Raises MissingExtraError when the package itself is absent; an ImportError from inside an installed package goes
    through untouched, since "not installed" would be wrong advice.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not (module == error.name or module.startswith(error.name + ".")):
            raise
        raise MissingExtraError(
            f"The package {error.name} is not installed.", hint=f"pip install 'edu-cli[{extra}]'"
        ) from error
