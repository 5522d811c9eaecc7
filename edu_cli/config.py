"""Loading settings: defaults < edu.toml < .env < environment < flags; typos are refused."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import Field, dataclass, fields, replace
from pathlib import Path
from typing import Any, cast

from edu_cli.errors import ConfigError
from edu_cli.settings import (
    AskSettings,
    CacheSettings,
    EncoderSettings,
    IngestSettings,
    LexicalSettings,
    LlmSettings,
    MilvusSettings,
    SearchSettings,
    Settings,
    SplitSettings,
)
from edu_cli.text import nearest

__all__ = [
    "AskSettings",
    "CacheSettings",
    "EncoderSettings",
    "IngestSettings",
    "LexicalSettings",
    "LlmSettings",
    "MilvusSettings",
    "SearchSettings",
    "SettingInfo",
    "Settings",
    "SplitSettings",
    "cache_dir",
    "load_settings",
    "masked",
    "setting_infos",
]

# whoever shares a folder must not choose what runs on the machine of whoever opens it
_OF_THE_PROJECT = ("edu.toml", ".env")
_FOREIGN_ENV = frozenset({"EDU_PROJECT"})  # read by project.py, before there are settings


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


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise _not_toml(path, error) from error
    import tomllib  # only where there is an edu.toml

    try:
        tree = tomllib.loads(text)
    except (RecursionError, tomllib.TOMLDecodeError) as error:
        raise _not_toml(path, error) from error
    known = {info.key for info in setting_infos()}
    flat: dict[str, Any] = {}
    for section, table in tree.items():
        items = table.items() if isinstance(table, dict) else [("", table)]
        for name, value in items:
            key = f"{section}.{name}".rstrip(".")
            if key not in known:
                raise ConfigError(
                    f"{path} has the unknown setting '{key}'.",
                    hint=f"did you mean '{nearest(key, known, cutoff=0.0)}'? `edu config` lists them all",
                )
            flat[key] = value
    return flat


def _not_toml(path: Path, error: Exception) -> ConfigError:
    return ConfigError(f"{path} cannot be read as TOML: {error}.", hint=f"mend or remove {path}")


def _read_dotenv(path: Path) -> dict[str, str]:
    if not path.is_file():
        return {}
    from dotenv import dotenv_values  # only where there is a .env

    try:
        return {k: v for k, v in dotenv_values(path, encoding="utf-8-sig").items() if v is not None}
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read as UTF-8 text: {error}.", hint=f"mend or remove {path}") from error


def _from_env(environ: Mapping[str, str], where: str, *, strict: bool) -> dict[str, Any]:
    by_env = {info.env: info.key for info in setting_infos()}
    found = {by_env[name]: value for name, value in environ.items() if name in by_env and value != ""}
    unknown = [n for n in environ if n.startswith("EDU_") and n not in by_env and n not in _FOREIGN_ENV]
    if strict and unknown:
        raise ConfigError(
            f"{where} has the unknown variable {unknown[0]}.",
            hint=f"did you mean {nearest(unknown[0], by_env, cutoff=0.0)}? `edu config` lists them all",
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
    if entry.metadata["runs"] and source in _OF_THE_PROJECT and not str(value).startswith(("http://", "https://")):
        raise ConfigError(
            f"{key} in {source} is a command, and commands are not taken from a project's files.",
            hint=f"give an http address, or set {_env_name(key.split('.')[0], entry)} in your shell",
        )
    return value


def _check_bounds(key: str, value: Any, meta: Mapping[str, Any], source: str) -> None:
    if meta["choices"] and value not in meta["choices"]:
        near = nearest(str(value), meta["choices"])
        raise ConfigError(
            f"{key} ({source}) is {value!r}, which is none of {', '.join(meta['choices'])}.",
            hint=f"did you mean {near!r}?" if near else "choose one of these",
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
