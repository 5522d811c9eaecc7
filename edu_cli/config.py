"""Settings: one frozen section a stage; defaults < edu.toml < .env < environment < flags; typos are refused.

Every field carries its unit and meaning, so that `.env.example`, `edu config` and the README come from here.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, cast

from edu_cli.errors import ConfigError

_FOREIGN_ENV = frozenset({"EDU_PROJECT"})  # read by project.py, before there are settings
OPENAI_ENV = ("OPENAI_BASE_URL", "OPENAI_API_KEY")


def _setting(
    default: Any,
    about: str,
    *,
    unit: str = "",
    env: str = "",
    secret: bool = False,
    choices: tuple[str, ...] = (),
    low: float | None = None,
    high: float | None = None,
) -> Any:
    meta = {"about": about, "unit": unit, "env": env, "secret": secret, "choices": choices, "low": low, "high": high}
    return field(default=default, metadata=meta)


@dataclass(frozen=True, slots=True)
class IngestSettings:
    """How files are found, loaded and split."""

    ocr: str = _setting("auto", "when pages and pictures are read by OCR", choices=("auto", "always", "never"))
    profile: str = _setting(
        "auto", "how text is split", choices=("auto", "general", "technical", "legal", "code", "exam")
    )
    jobs: int = _setting(0, "files loaded at once; 0 means one a core", unit="processes", low=0, high=256)
    max_file_mb: int = _setting(200, "larger files are refused", unit="MB", low=1, high=100_000)
    timeout_s: int = _setting(300, "a file that takes longer to load is given up", unit="seconds", low=1, high=86_400)
    pdf_password: str = _setting("", "opens encrypted PDFs", env="EDU_PDF_PASSWORD", secret=True)


@dataclass(frozen=True, slots=True)
class SplitSettings:
    """Sizes of parents and children; 0 takes the profile's own."""

    parent_chars: int = _setting(0, "longest parent; 0 takes the profile's", unit="characters", low=0, high=20_000)
    child_chars: int = _setting(0, "longest child; 0 takes the profile's", unit="characters", low=0, high=8_000)


@dataclass(frozen=True, slots=True)
class EncoderSettings:
    """Which model turns text into vectors."""

    name: str = _setting(
        "auto",
        "auto takes bge-m3 where its weights are on this machine, else e5-small",
        env="EDU_ENCODER",
        choices=("auto", "e5-small", "bge-m3", "none"),
    )
    bge_m3: str = _setting("BAAI/bge-m3", "hub id or local folder of BGE-M3", env="EDU_BGE_M3")
    device: str = _setting("auto", "auto takes CUDA, then MPS, then the CPU", env="EDU_DEVICE")
    threads: int = _setting(0, "threads of the bundled encoder; 0 means one a core", unit="threads", low=0, high=256)
    max_tokens: int = _setting(512, "longest text that BGE-M3 reads at once", unit="tokens", low=16, high=8192)
    batch_tokens: int = _setting(8192, "tokens BGE-M3 encodes at once", unit="tokens", low=64, high=1_000_000)


@dataclass(frozen=True, slots=True)
class MilvusSettings:
    """Where the vectors are kept."""

    uri: str = _setting("", "a server, as http://host:19530; empty means Milvus Lite in .edu/", env="EDU_MILVUS_URI")
    token: str = _setting("", "user:password or API key of the server", env="EDU_MILVUS_TOKEN", secret=True)
    database: str = _setting("", "database on the server; empty means its default", env="EDU_MILVUS_DATABASE")
    timeout_s: float = _setting(10.0, "longest wait for the server", unit="seconds", low=0.1, high=600)


@dataclass(frozen=True, slots=True)
class LexicalSettings:
    """BM25 over jieba words (Lucene's variant)."""

    k1: float = _setting(1.5, "how fast repeats of a word stop counting", low=0.0, high=10.0)
    b: float = _setting(0.75, "how much long texts are held back", low=0.0, high=1.0)
    user_dict: str = _setting("", "file with one course term a line, relative to the project")


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """Retrieval, fusion and reranking."""

    k: int = _setting(10, "hits shown", unit="hits", low=1, high=1000)
    mode: str = _setting("hybrid", "which legs search", choices=("hybrid", "dense", "sparse", "bm25"))
    fusion: str = _setting("auto", "auto weighs the legs a question; rrf ignores scores", choices=("auto", "rrf"))
    pool: int = _setting(100, "children that each leg brings", unit="children", low=10, high=1000)
    reranker: str = _setting(
        "auto",
        "auto is the bundled one; bge needs the extra",
        env="EDU_RERANKER",
        choices=("auto", "bundled", "bge", "none"),
    )
    bge_reranker: str = _setting(
        "BAAI/bge-reranker-v2-m3", "hub id or local folder of the BGE reranker", env="EDU_BGE_RERANKER"
    )


@dataclass(frozen=True, slots=True)
class AskSettings:
    """From passages to an answer."""

    threshold: float = _setting(
        0.75, "below this confidence no answer is given", env="EDU_ASK_THRESHOLD", low=0.0, high=1.0
    )
    passages: int = _setting(5, "passages given to the model", unit="passages", low=1, high=50)
    context_tokens: int = _setting(4000, "longest context given to the model", unit="tokens", low=200, high=1_000_000)
    contact: str = _setting("", "whom to ask when there is no answer, shown with a refusal", env="EDU_ASK_CONTACT")


@dataclass(frozen=True, slots=True)
class LlmSettings:
    """Any OpenAI-compatible endpoint; without a model, answers are extractive."""

    model: str = _setting("", "model name; empty means no LLM", env="EDU_LLM_MODEL")
    base_url: str = _setting("", "endpoint, as https://host/v1", env="OPENAI_BASE_URL")
    api_key: str = _setting("", "key of the endpoint", env="OPENAI_API_KEY", secret=True)
    timeout_s: float = _setting(60.0, "longest wait for a reply", unit="seconds", low=0.1, high=3600)
    retries: int = _setting(2, "tries after a failure that may pass", unit="tries", low=0, high=10)
    temperature: float = _setting(0.0, "randomness of answers", low=0.0, high=2.0)
    max_tokens: int = _setting(1024, "longest answer", unit="tokens", low=16, high=100_000)


@dataclass(frozen=True, slots=True)
class CacheSettings:
    """Where vectors and the built encoder are kept between runs."""

    dir: str = _setting("", "folder shared by projects; empty means the user's cache folder", env="EDU_CACHE_DIR")


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings, with where each one that is not a default came from (`section.key` -> source)."""

    ingest: IngestSettings = field(default_factory=IngestSettings)
    split: SplitSettings = field(default_factory=SplitSettings)
    encoder: EncoderSettings = field(default_factory=EncoderSettings)
    milvus: MilvusSettings = field(default_factory=MilvusSettings)
    lexical: LexicalSettings = field(default_factory=LexicalSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    ask: AskSettings = field(default_factory=AskSettings)
    llm: LlmSettings = field(default_factory=LlmSettings)
    cache: CacheSettings = field(default_factory=CacheSettings)
    sources: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SettingInfo:
    """One setting as documentation and `edu config` show it."""

    key: str
    env: str
    default: Any
    about: str
    unit: str
    secret: bool
    choices: tuple[str, ...]


def setting_infos() -> Iterator[SettingInfo]:
    """Every setting, in the order of the sections."""
    for section, entry in _entries():
        meta = entry.metadata
        key = f"{section}.{entry.name}"
        yield SettingInfo(
            key, _env_name(section, entry), entry.default, meta["about"], meta["unit"], meta["secret"], meta["choices"]
        )


def load_settings(
    project: Path | None, environ: Mapping[str, str], overrides: Mapping[str, Any] | None = None
) -> Settings:
    """Settings of a project directory (None: no files are read). `overrides` are flags, by `section.key`, None unset.

    Raises ConfigError for an unknown key or variable, naming the nearest, and for a value of the wrong type or range.
    """
    layers: list[tuple[str, dict[str, Any]]] = []
    if project is not None:
        layers.append(("edu.toml", _read_toml(project / "edu.toml")))
        layers.append((".env", _from_env(_read_dotenv(project / ".env"), ".env", strict=True)))
    layers.append(("environment", _from_env(environ, "the environment", strict=True)))
    layers.append(("flag", {k: v for k, v in (overrides or {}).items() if v is not None}))
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for source, layer in layers:
        for key, raw in layer.items():
            values[key] = _checked(key, raw, source)
            sources[key] = source
    return _assemble(values, sources)


def masked(value: str) -> str:
    """A secret as it may be shown: `sk-…abcd`, or dots when it is too short to show any of it."""
    return f"{value[:3]}…{value[-4:]}" if len(value) >= 12 else "…" * bool(value)


def _entries() -> Iterator[tuple[str, Field[Any]]]:
    for section in fields(Settings):
        if section.name != "sources":
            for entry in fields(cast("Any", section.default_factory)):
                yield section.name, entry


def _env_name(section: str, entry: Field[Any]) -> str:
    return entry.metadata["env"] or f"EDU_{section}_{entry.name}".upper()


def _field_of(key: str) -> Field[Any] | None:
    return next((entry for section, entry in _entries() if f"{section}.{entry.name}" == key), None)


def _nearest(word: str, known: Iterable[str]) -> str:
    found = difflib.get_close_matches(word, list(known), n=1, cutoff=0.0)
    return found[0] if found else ""


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        tree = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path} cannot be read as TOML: {error}.", hint=f"mend or remove {path}") from error
    known = {info.key for info in setting_infos()}
    flat: dict[str, Any] = {}
    for section, table in tree.items():
        items = table.items() if isinstance(table, dict) else [("", table)]
        for name, value in items:
            key = f"{section}.{name}".rstrip(".")
            if key not in known:
                raise ConfigError(
                    f"{path} has the unknown setting '{key}'.",
                    hint=f"did you mean '{_nearest(key, known)}'? `edu config` lists them all",
                )
            flat[key] = value
    return flat


def _read_dotenv(path: Path) -> dict[str, str]:
    if not path.is_file():
        return {}
    from dotenv import dotenv_values  # only where there is a .env

    return {k: v for k, v in dotenv_values(path, encoding="utf-8-sig").items() if v is not None}


def _from_env(environ: Mapping[str, str], where: str, *, strict: bool) -> dict[str, Any]:
    by_env = {info.env: info.key for info in setting_infos()}
    found = {by_env[name]: value for name, value in environ.items() if name in by_env and value != ""}
    unknown = [n for n in environ if n.startswith("EDU_") and n not in by_env and n not in _FOREIGN_ENV]
    if strict and unknown:
        raise ConfigError(
            f"{where} has the unknown variable {unknown[0]}.",
            hint=f"did you mean {_nearest(unknown[0], by_env)}? `edu config` lists them all",
        )
    return found


def _checked(key: str, raw: Any, source: str) -> Any:
    entry = _field_of(key)
    if entry is None:
        raise ConfigError(f"unknown setting '{key}'.", hint="`edu config` lists them all")
    wanted = type(entry.default)
    try:
        if wanted is str and not isinstance(raw, str):
            raise ValueError
        if wanted in (int, float) and isinstance(raw, bool):
            raise ValueError
        if wanted is int and isinstance(raw, float):
            raise ValueError
        value = wanted(raw)
    except (TypeError, ValueError):
        kind = {str: "text", int: "a whole number", float: "a number"}[wanted]
        raise ConfigError(
            f"{key} ({source}) must be {kind}, not {raw!r}.", hint=f"its default is {entry.default!r}"
        ) from None
    _check_bounds(key, value, entry.metadata, source)
    return value


def _check_bounds(key: str, value: Any, meta: Mapping[str, Any], source: str) -> None:
    if meta["choices"] and value not in meta["choices"]:
        raise ConfigError(
            f"{key} ({source}) is {value!r}, which is none of {', '.join(meta['choices'])}.",
            hint=f"did you mean {_nearest(str(value), meta['choices'])!r}?",
        )
    low, high = meta["low"], meta["high"]
    if isinstance(value, (int, float)) and not (low <= value <= high):  # NaN fails this too
        raise ConfigError(f"{key} ({source}) is {value}, outside {low} to {high}.", hint="choose a value within")


def _assemble(values: Mapping[str, Any], sources: Mapping[str, str]) -> Settings:
    settings = Settings(sources=dict(sources))
    for section in fields(Settings):
        mine = {k.split(".", 1)[1]: v for k, v in values.items() if k.startswith(section.name + ".")}
        if mine:
            settings = replace(settings, **{section.name: replace(getattr(settings, section.name), **mine)})
    return settings


def cache_dir(settings: Settings) -> Path:
    """Where the built encoder and jieba's cache are kept: never a folder that others can write to."""
    if settings.cache.dir:
        return Path(settings.cache.dir).expanduser()
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "edu"
