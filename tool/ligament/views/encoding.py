# SPDX-License-Identifier: Apache-2.0
"""The stored form of a message that is still to be filled: its size, and what is known of it."""

from __future__ import annotations

import reprlib
import struct
from typing import Any

import numpy as np
from rosidl_parser import definition as idl

from ligament.views.errors import LoanError
from ligament.views.layout import NUMBERS, layout_of, message_class, most_of
from ligament.views.records import record_of
from ligament.views.wanted import is_number, mismatch, unknown_field


class Plan:
    """Pieces of the body with their positions. What lies between them is left to be filled."""

    def __init__(self) -> None:
        self.size = 0
        self.pieces: list[tuple[int, Any]] = []
        #: Of the largest array of numbers: where it starts, and its bytes.
        self.chosen = (0, 0)

    def put(self, piece: Any, alignment: int = 1) -> None:
        """Bytes, behind zeros where they are aligned."""
        padding = -self.size % alignment
        if padding:
            self.pieces.append((self.size, bytes(padding)))
        self.size += padding
        if len(piece):
            self.pieces.append((self.size, piece))
        self.size += len(piece)

    def choose(self, start: int, size: int) -> None:
        """An array of numbers lies here."""
        if size > self.chosen[1]:
            self.chosen = (start, size)

    def write(self, body: Any) -> None:
        """All but the chosen array, where that is to be filled."""
        for start, piece in self.pieces:
            if not isinstance(piece, _Unfilled):
                body[start : start + len(piece)] = np.frombuffer(piece, np.uint8)
            elif start != self.chosen[0]:
                body[start : start + len(piece)] = 0


class _Unfilled:
    """So many bytes that the caller will write."""

    def __init__(self, size: int) -> None:
        self._size = size

    def __len__(self) -> int:
        return self._size


def plan_message(message_type: Any, values: dict[str, Any]) -> Plan:
    """The message with these fields; those not given have their defaults."""
    plan = Plan()
    _put_message(plan, message_type, values)
    return plan


def _put_message(plan: Plan, message_type: Any, given: Any) -> None:
    layout = layout_of(message_type)
    if isinstance(given, dict):
        if unknown := given.keys() - layout.types.keys():
            raise unknown_field(layout.name, sorted(unknown)[0], layout.types)
        default = message_type()
        given = {name: given.get(name, getattr(default, name)) for name in layout.types}
    else:
        given = {name: getattr(given, name) for name in layout.types}
    for name, kind in layout.types.items():
        try:
            _put(plan, kind, given[name])
        except (TypeError, ValueError, OverflowError, AttributeError, struct.error) as error:
            raise LoanError(f"{layout.name}.{name}: {error}") from error
    if not layout.types:
        plan.put(b"\0")


def _put(plan: Plan, kind: Any, value: Any) -> None:
    if isinstance(kind, idl.BasicType):
        _put_number(plan, kind, value)
    elif isinstance(kind, (idl.AbstractString, idl.AbstractWString)) and not isinstance(value, str):
        raise TypeError(mismatch(value, kind))
    elif isinstance(kind, idl.AbstractWString):
        units = np.frombuffer(str(value).encode("utf-16-le"), "<u2").astype("<u4")
        _put_length(plan, units.size, most_of(kind))
        plan.put(units.tobytes())
    elif isinstance(kind, idl.AbstractString):
        text, most = str(value).encode(), most_of(kind)
        _put_length(plan, len(text) + 1, None if most is None else most + 1)
        plan.put(text + b"\0")
    elif isinstance(kind, idl.NamespacedType):
        wanted = message_class(kind)
        names = layout_of(wanted).types
        if not isinstance(value, dict) and not all(hasattr(value, name) for name in names):
            raise TypeError(mismatch(value, kind))
        _put_message(plan, wanted, value)
    else:
        _put_elements(plan, kind, value)


def _put_number(plan: Plan, kind: Any, value: Any) -> None:
    try:
        stored = struct.pack("<" + NUMBERS[kind.typename][0], value)
    except (struct.error, OverflowError, TypeError):
        stored = b""
    if not stored or not is_number(value, kind):
        raise TypeError(mismatch(value, kind))
    plan.put(stored, len(stored))


def _put_length(plan: Plan, number: int, most: int | None) -> None:
    if most is not None and number > most:
        raise ValueError(f"{number} is more than the bound, {most}")
    plan.put(struct.pack("<I", number), 4)


def _put_elements(plan: Plan, kind: Any, value: Any) -> None:
    is_number = isinstance(kind.value_type, idl.BasicType)
    if is_number:
        value = _numbers(np.dtype(NUMBERS[kind.value_type.typename][1]), value)
    elif isinstance(value, int):
        _put_records(plan, kind, value)
        return
    count, width = value if isinstance(value, tuple) else (len(value), 1)
    if not isinstance(kind, idl.Array):
        _put_length(plan, count, most_of(kind))
    elif count != kind.size:
        raise ValueError(f"{count} elements, not {kind.size}")
    if not is_number:
        for element in value:
            _put(plan, kind.value_type, element)
    elif count:
        raw = _Unfilled(count * width) if isinstance(value, tuple) else value.view(np.uint8)
        plan.put(raw, width if isinstance(value, tuple) else value.itemsize)
        plan.choose(plan.size - len(raw), len(raw))


def _put_records(plan: Plan, kind: Any, count: int) -> None:
    record = None
    if isinstance(kind.value_type, idl.NamespacedType):
        record = record_of(message_class(kind.value_type))
    if record is None or isinstance(kind, idl.Array):
        raise TypeError("a list is wanted; only of what has only numbers can a length be given")
    _put_length(plan, count, most_of(kind))
    if count:
        plan.put(_Unfilled(record.size(count)), record.alignment)
        plan.choose(plan.size - record.size(count), record.size(count))


def _numbers(dtype: np.dtype[Any], value: Any) -> Any:
    """An array; for a length to be filled, that and the width of an element."""
    if isinstance(value, (int, np.integer)):
        if value < 0:
            raise ValueError("a length below 0")
        return int(value), dtype.itemsize
    if isinstance(value, (bytes, bytearray, memoryview)):
        return np.frombuffer(value, np.uint8).view(dtype)
    if isinstance(value, list) and value and isinstance(value[0], bytes):
        return np.frombuffer(b"".join(value), dtype)
    if isinstance(value, np.ndarray) and value.dtype.names and dtype == np.uint8:
        value = np.ascontiguousarray(value).reshape(-1).view(np.uint8)  # points of a cloud
    if isinstance(value, (str, float)) or not hasattr(value, "__len__"):
        raise TypeError(f"{reprlib.repr(value)} is neither a length nor an array of {dtype}")
    array = np.ascontiguousarray(value if isinstance(value, np.ndarray) else np.array(value, dtype))
    if array.dtype != dtype and not (array.dtype == np.bool_ and dtype == np.uint8):
        raise TypeError(f"an array of {array.dtype}, not {dtype}")
    return array.reshape(-1)
