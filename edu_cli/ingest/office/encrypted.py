"""Office files with a password -> the same file without one, where the package msoffcrypto-tool is installed."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from edu_cli.errors import LoadError
from edu_cli.ingest.scan import shown

_GIVE = "--password P, or EDU_PDF_PASSWORD"


@contextmanager
def decrypted(path: Path, password: str) -> Iterator[Path]:
    """A copy of the file, of the same name, that needs no password; it is gone at the end.

    Raises LoadError `encrypted`, saying what is needed.
    """
    name = shown(path.name)
    if not password:
        raise LoadError(f"{name} is encrypted: it asks for a password.", hint=_GIVE, code="encrypted")
    try:
        import msoffcrypto  # type: ignore[import-not-found]  # optional
        from msoffcrypto import exceptions as faults  # type: ignore[import-not-found]
    except ImportError as error:
        raise LoadError(
            f"{name} is encrypted, and Office files are opened by a package that is not installed.",
            hint="pip install msoffcrypto-tool, or save it without a password",
            code="encrypted",
        ) from error
    with tempfile.TemporaryDirectory(prefix="edu-office-", ignore_cleanup_errors=True) as folder:
        plain = Path(folder) / path.name
        try:
            with path.open("rb") as source, plain.open("wb") as target:
                office = msoffcrypto.OfficeFile(source)
                office.load_key(password=password)
                office.decrypt(target)
        except (faults.DecryptionError, faults.InvalidKeyError) as error:
            found = f"{name} is encrypted: the password given does not open it."
            raise LoadError(found, hint=_GIVE, code="encrypted") from error
        except Exception as error:  # an unknown key length or a damaged part may raise anything
            what = f"{type(error).__name__}: {error}".rstrip(": .")[:200]
            raise LoadError(
                f"{name} is encrypted in a way that msoffcrypto-tool cannot undo ({what}).",
                hint="save it without a password",
                code="encrypted",
            ) from error
        yield plain
