"""Writes ONNX models: the few protobuf messages of its format that a graph needs, so that `onnx` is not a dependency.

Field numbers are those of onnx.proto3 (ModelProto and below), IR version 9.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

_IR_VERSION = 9
_OPSET = 17
MICROSOFT = "com.microsoft"  # the domain of onnxruntime's own operators
_TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int64": 7}
_FLOAT, _INT = 1, 2  # kinds of attributes


def _varint(value: int) -> bytes:
    out = bytearray()
    value &= (1 << 64) - 1
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes | str) -> bytes:
    raw = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(raw)) + raw


def _float(field: int, value: float) -> bytes:
    return _varint(field << 3 | 5) + struct.pack("<f", value)


def _attribute(name: str, value: float | Sequence[int]) -> bytes:
    head = _bytes(1, name)
    if isinstance(value, float):
        return head + _float(2, value) + _number(20, _FLOAT)
    if isinstance(value, int):
        return head + _number(3, value) + _number(20, _INT)
    return head + b"".join(_number(8, item) for item in value) + _number(20, 7)


def _shape(dims: Sequence[int | str]) -> bytes:
    return b"".join(_bytes(1, _bytes(2, dim) if isinstance(dim, str) else _number(1, dim)) for dim in dims)


class GraphWriter:
    """Collects nodes and constants in the order in which they compute; names of outputs are made here."""

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._constants: dict[str, bytes] = {}

    def constant(self, name: str, values: npt.NDArray) -> str:
        """Adds a tensor under `name` and returns the name."""
        values = np.ascontiguousarray(values)
        dims = b"".join(_number(1, dim) for dim in values.shape)
        kind = _number(2, _TYPES[values.dtype.name])
        little = values.astype(values.dtype.newbyteorder("<"), copy=False)
        self._constants[name] = dims + kind + _bytes(8, name) + _bytes(9, little.tobytes())
        return name

    def node(
        self,
        kind: str,
        inputs: Sequence[str],
        *,
        domain: str = "",
        outputs: int = 1,
        **attributes: float | Sequence[int],
    ) -> list[str]:
        """Adds an operator; "" stands for an input left out. Returns the names of its outputs."""
        names = [f"{kind}_{len(self._nodes)}_{i}" for i in range(outputs)]
        fields = [_bytes(1, name) for name in inputs] + [_bytes(2, name) for name in names] + [_bytes(4, kind)]
        fields += [_bytes(5, _attribute(name, value)) for name, value in attributes.items()]
        self._nodes.append(b"".join(fields) + (_bytes(7, domain) if domain else b""))
        return names

    def model(self, inputs: Mapping[str, Sequence[int | str]], outputs: Mapping[str, Sequence[int | str]]) -> bytes:
        """The whole model; inputs and outputs are float32, by name with their shapes (a text is an open size)."""
        graph = [_bytes(1, node) for node in self._nodes] + [_bytes(2, "graph")]
        graph += [_bytes(5, constant) for constant in self._constants.values()]
        for field, ports in ((11, inputs), (12, outputs)):
            for name, dims in ports.items():
                tensor = _number(1, _TYPES["float32"]) + _bytes(2, _shape(dims))
                graph.append(_bytes(field, _bytes(1, name) + _bytes(2, _bytes(1, tensor))))
        opsets = [_bytes(1, domain) + _number(2, version) for domain, version in (("", _OPSET), (MICROSOFT, 1))]
        head = _number(1, _IR_VERSION) + b"".join(_bytes(8, opset) for opset in opsets)
        return head + _bytes(7, b"".join(graph))
