"""The frozen values of asking as plain JSON values and back, by their annotations.

Both ends run the same version, so a value that does not fit exactly is a mistake and is refused.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")


def to_plain(value: Any) -> Any:
    """Dataclasses and mappings as objects, tuples and sets as arrays, everything else as it is."""
    if dataclasses.is_dataclass(value):
        return {field.name: to_plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {key: to_plain(item) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    if isinstance(value, (list, tuple)):
        return [to_plain(item) for item in value]
    return value


def from_plain(kind: type[T], value: Any) -> T:
    """The value of that kind which `to_plain` made `value` of. Raises ValueError where it does not fit."""
    return cast("T", _read(kind, value))


def _read(kind: Any, value: Any) -> Any:
    if kind is Any or kind is object:
        return value
    if dataclasses.is_dataclass(kind):
        return _as_dataclass(kind, value)
    origin = get_origin(kind)
    if origin is not None:
        return _READERS[origin](get_args(kind), value)
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind:
        raise ValueError(f"{kind} was expected")
    return value


def _as_dataclass(kind: Any, value: Any) -> Any:
    hints = _hints(kind)
    if not isinstance(value, dict) or not value.keys() <= hints.keys():
        raise ValueError(f"{kind.__name__} was expected")
    try:
        return kind(**{name: _read(hints[name], item) for name, item in value.items()})
    except TypeError as error:
        raise ValueError(f"{kind.__name__} lacks a field") from error


@functools.cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _as_literal(args: tuple[Any, ...], value: Any) -> Any:
    if value not in args:
        raise ValueError(f"one of {args} was expected")
    return value


def _as_either(args: tuple[Any, ...], value: Any) -> Any:
    if value is None and NoneType in args:
        return None
    for arg in args:
        if arg is not NoneType:
            try:
                return _read(arg, value)
            except ValueError:
                continue
    raise ValueError(f"one of {args} was expected")


def _as_tuple(args: tuple[Any, ...], value: Any) -> Any:
    items = _items(value)
    kinds = [args[0]] * len(items) if args[1:] == (...,) else args
    if len(kinds) != len(items):
        raise ValueError(f"{len(kinds)} items were expected")
    return tuple(_read(kind, item) for kind, item in zip(kinds, items, strict=True))


def _as_set(args: tuple[Any, ...], value: Any) -> Any:
    return frozenset(_read(args[0], item) for item in _items(value))


def _as_mapping(args: tuple[Any, ...], value: Any) -> Any:
    if type(value) is not dict:
        raise ValueError("an object was expected")
    return {_read(args[0], key): _read(args[1], item) for key, item in value.items()}


def _items(value: Any) -> list[Any]:
    if type(value) is not list:
        raise ValueError("an array was expected")
    return value


_READERS: dict[Any, Callable[[tuple[Any, ...], Any], Any]] = {
    Literal: _as_literal,
    Union: _as_either,
    UnionType: _as_either,
    tuple: _as_tuple,
    frozenset: _as_set,
    Mapping: _as_mapping,
    dict: _as_mapping,
}
