# SPDX-License-Identifier: Apache-2.0
"""Message types as functions that read their stored form (spec/wire/message.md).

The bytes come from other processes: each length is checked against what is left of the message
before it is used, and is read only once.
"""

from __future__ import annotations

import functools
import importlib
import struct
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from rosidl_parser import definition as idl

from ligament.views.errors import MalformedMessageError, UnsupportedMessageError

#: Representation (CDR, little-endian) and options.
ENCAPSULATION = b"\0\1\0\0"
#: RTPS pads payloads to a multiple of 4.
MOST_PADDING = 3
#: Formats of single values and of array elements.
NUMBERS = {
    "boolean": ("?", "u1"), "octet": ("c", "u1"), "char": ("B", "u1"),
    "uint8": ("B", "u1"), "int8": ("b", "i1"), "uint16": ("H", "<u2"), "int16": ("h", "<i2"),
    "uint32": ("I", "<u4"), "int32": ("i", "<i4"), "uint64": ("Q", "<u8"), "int64": ("q", "<i8"),
    "float": ("f", "<f4"), "double": ("d", "<f8"),
}  # fmt: skip
_LENGTH = struct.Struct("<I")


class Span(NamedTuple):
    """Where an array of numbers lies."""

    start: int
    number: int
    dtype: np.dtype[Any]
    is_boolean: bool


class Cursor:
    """A position in a message's body. `memory` goes on to the views that are made on the way."""

    def __init__(self, body: Any, memory: Any, name: str) -> None:
        self.body, self.memory, self.name = body, memory, name
        self.at, self.size = 0, len(body)
        self.is_writable = memory.is_writable

    def refuse(self, what: str) -> MalformedMessageError:
        """The error to raise."""
        return MalformedMessageError(f"no {self.name}: {what} at byte {self.at} of {self.size}")

    def take(self, width: int, alignment: int) -> int:
        """Where the next so many bytes start; there are as many."""
        start = -(-self.at // alignment) * alignment
        if width > self.size - start:
            raise self.refuse(f"{width} more bytes are wanted than there are")
        self.at = start + width
        return start

    def length(self, most: int | None) -> int:
        """The number of elements of what follows."""
        start = self.take(4, 4)
        number: int = _LENGTH.unpack_from(self.body, start)[0]
        if number > self.size - self.at or (most is not None and number > most):
            raise self.refuse(f"{number} elements are announced")
        return number


Reader = Callable[[Cursor], Any]


class Layout:
    """The fields of a message type, in order."""

    def __init__(self, message_type: Any) -> None:
        names = list(message_type.get_fields_and_field_types())
        self.types = dict(zip(names, message_type.SLOT_TYPES, strict=True))
        package, kind = message_type.__module__.split(".")[:2]
        self.name = f"{package}/{kind}/{message_type.__name__}"
        self.message_type = message_type
        self.readers = [(name, _reader(self.types[name])) for name in names]
        self.widths = {
            name: struct.Struct("<" + NUMBERS[kind.typename][0])
            for name, kind in self.types.items()
            if isinstance(kind, idl.BasicType)
        }

    def read(self, cursor: Cursor) -> tuple[dict[str, Any], dict[str, int]]:
        """Values by field, and where the single numbers lie if they may be written."""
        values: dict[str, Any] = {}
        places: dict[str, int] = {}
        for name, read in self.readers:
            values[name] = read(cursor)
            if cursor.is_writable and name in self.widths:
                places[name] = cursor.at - self.widths[name].size
        if not self.readers:
            cursor.take(1, 1)
        return values, places


@functools.cache
def layout_of(message_type: Any) -> Layout:
    """Compiled once."""
    return Layout(message_type)


def message_class(kind: Any) -> Any:
    """The Python class of a message type that another one names."""
    module = importlib.import_module(".".join(kind.namespaces))
    found = getattr(module, kind.name, None)
    if found is None:
        raise UnsupportedMessageError(f"no class of {'/'.join(kind.namespaces)}/{kind.name}")
    return found


def open_body(stored: Any, name: str) -> Any:
    """The bytes behind the encapsulation."""
    header = bytes(stored[:4])
    if len(header) < len(ENCAPSULATION) or header[:2] != ENCAPSULATION[:2]:
        raise MalformedMessageError(f"no {name}: it starts with {header.hex(' ') or 'nothing'}")
    return stored[4:]


def end(cursor: Cursor) -> None:
    """After the last field."""
    if cursor.size - cursor.at > MOST_PADDING:
        raise cursor.refuse("there is more than a message")


def most_of(kind: Any) -> int | None:
    """Bound of a sequence or string."""
    return kind.maximum_size if kind.has_maximum_size() else None


def _reader(kind: Any) -> Reader:
    if isinstance(kind, idl.BasicType):
        return _number(kind)
    if isinstance(kind, idl.AbstractWString):
        return functools.partial(_wide_text, most=most_of(kind))
    if isinstance(kind, idl.AbstractString):
        return functools.partial(_text, most=most_of(kind))
    if isinstance(kind, idl.NamespacedType):
        return _message(message_class(kind))
    if isinstance(kind, idl.Array):
        return _elements(kind.value_type, lambda cursor: int(kind.size))
    if isinstance(kind, idl.AbstractSequence):
        most = most_of(kind)
        return _elements(kind.value_type, lambda cursor: cursor.length(most))
    raise UnsupportedMessageError(f"fields of type {kind} cannot be shown")


def _number(kind: Any) -> Reader:
    if kind.typename not in NUMBERS:
        raise UnsupportedMessageError(f"fields of type {kind.typename} cannot be shown")
    packer = struct.Struct("<" + NUMBERS[kind.typename][0])
    width, unpack = packer.size, packer.unpack_from

    def read(cursor: Cursor) -> Any:
        return unpack(cursor.body, cursor.take(width, width))[0]

    return read


def _text(cursor: Cursor, most: int | None) -> str:
    length = cursor.length(None if most is None else most + 1)
    start = cursor.take(length, 1)
    stored = bytes(cursor.body[start : start + length])
    if not stored.endswith(b"\0"):
        raise cursor.refuse("a string without its NUL")
    return stored[:-1].decode(errors="replace")


def _wide_text(cursor: Cursor, most: int | None) -> str:
    length = cursor.length(most)
    start = cursor.take(4 * length, 4)
    units = np.frombuffer(bytes(cursor.body[start : start + 4 * length]), "<u4")
    if length and int(units.max()) > 0xFFFF:
        raise cursor.refuse("a wide character above 0xFFFF")
    return units.astype("<u2").tobytes().decode("utf-16-le", errors="replace")


def _message(message_type: Any) -> Reader:
    # Not earlier: a view's module needs this one.
    from ligament.views.fields import Fields, fields_class  # noqa: PLC0415

    made = fields_class(message_type, Fields)

    def read(cursor: Cursor) -> Any:
        return made(cursor)

    return read


def _messages(message_type: Any, count: Callable[[Cursor], int]) -> Reader:
    # Not earlier, as above.
    from ligament.views.records import Records, record_of  # noqa: PLC0415

    read_one, record = _message(message_type), record_of(message_type)
    if record is None:
        return lambda cursor: [read_one(cursor) for _ in range(count(cursor))]
    return lambda cursor: Records(cursor, count(cursor), record, read_one)


def _elements(kind: Any, count: Callable[[Cursor], int]) -> Reader:
    if isinstance(kind, idl.NamespacedType):
        return _messages(message_class(kind), count)
    if not isinstance(kind, idl.BasicType):
        read_one = _reader(kind)
        return lambda cursor: [read_one(cursor) for _ in range(count(cursor))]
    if kind.typename not in NUMBERS:
        raise UnsupportedMessageError(f"arrays of {kind.typename} cannot be shown")
    dtype = np.dtype(NUMBERS[kind.typename][1])
    width, is_boolean = dtype.itemsize, kind.typename == "boolean"

    def read(cursor: Cursor) -> Span:
        number = count(cursor)
        start = cursor.take(number * width, width) if number else cursor.at
        return Span(start, number, dtype, is_boolean)

    return read
