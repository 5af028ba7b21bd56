# SPDX-License-Identifier: Apache-2.0
"""Objects with the fields of a message, over memory that another object keeps."""

from __future__ import annotations

import functools
import struct
from typing import Any, ClassVar

import numpy as np

from ligament.views.clouds import Points
from ligament.views.copies import to_message
from ligament.views.errors import LoanError, MessageReleasedError
from ligament.views.images import Pixels
from ligament.views.layout import Cursor, Layout, Span, end, layout_of, open_body
from ligament.views.wanted import is_number, mismatch, unknown_field

#: Types that are more than their fields.
SHAPES: dict[str, type[Any]] = {
    "sensor_msgs/msg/Image": Pixels,
    "sensor_msgs/msg/PointCloud2": Points,
}


class Memory:
    """The bytes of a message until they are given up. All views of the message share it."""

    def __init__(self, owner: Any, is_writable: bool) -> None:
        # The array keeps its owner, and whatever array is made of it keeps this one.
        self._stored: Any = np.asarray(owner)
        self.is_writable = is_writable
        self.why_ended = "the view was released"

    @property
    def stored(self) -> Any:
        """All bytes, encapsulation included."""
        if self._stored is None:
            raise MessageReleasedError(self.why_ended)
        return self._stored

    def array(self, span: Span) -> Any:
        """An array of the message, in place."""
        begin = 4 + span.start
        plain = self.stored[begin : begin + span.number * span.dtype.itemsize]
        if not span.is_boolean:
            return plain.view(span.dtype)
        # What another process wrote may be neither 0 nor 1.
        return plain.view(np.bool_) if self.is_writable else plain != 0

    def end(self, why: str) -> None:
        """No more access through views. Arrays stay, and keep the memory until they go."""
        self._stored, self.why_ended = None, why

    @property
    def is_open(self) -> bool:
        """Not ended yet."""
        return self._stored is not None


class Fields:
    """The fields of a message. What has numbers is read when it is made; arrays when asked for."""

    __slots__ = ("_memory", "_places", "_values")
    _layout: ClassVar[Layout]

    def __init__(self, cursor: Cursor) -> None:
        self._memory: Memory = cursor.memory
        self._values, self._places = self._layout.read(cursor)

    def to_message(self) -> Any:
        """A copy as the ordinary message."""
        return to_message(self)

    def _get(self, name: str) -> Any:
        value = self._values[name]
        if type(value) is Span:
            return self._memory.array(value)
        _ = self._memory.stored  # raises where it has ended
        return value

    def _set(self, name: str, value: Any) -> None:
        stored = self._memory.stored
        if not self._memory.is_writable:
            raise AttributeError(f"{self._layout.name}.{name}: a message that came is read-only")
        old, kind = self._values[name], self._layout.types[name]
        if name in self._places:
            self._set_number(name, value, stored)
        elif isinstance(old, Span):
            self._set_array(name, value, old)
        elif isinstance(old, Fields):
            if not all(hasattr(value, inner) for inner in old._layout.types):
                raise LoanError(f"{self._layout.name}.{name}: {mismatch(value, kind)}")
            for inner in old._layout.types:
                setattr(old, inner, getattr(value, inner))
        elif old != value:
            raise LoanError(
                f"{self._layout.name}.{name}: strings, and lists of strings or messages, are given "
                "to loan(), because the places of the other fields depend on them"
            )

    def _set_number(self, name: str, value: Any, stored: Any) -> None:
        kind = self._layout.types[name]
        try:
            if not is_number(value, kind):
                raise TypeError
            self._layout.widths[name].pack_into(stored, 4 + self._places[name], value)
        except (struct.error, OverflowError, TypeError):
            raise LoanError(f"{self._layout.name}.{name}: {mismatch(value, kind)}") from None
        self._values[name] = value

    def _set_array(self, name: str, value: Any, old: Span) -> None:
        value = np.frombuffer(value, np.uint8) if isinstance(value, bytes) else value
        try:
            self._memory.array(old)[...] = np.asarray(value, old.dtype).reshape(-1)
        except (ValueError, OverflowError, TypeError) as error:
            wanted = f"{old.number} numbers of {old.dtype.name} are wanted"
            raise LoanError(f"{self._layout.name}.{name}: {wanted}: {error}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            object.__setattr__(self, name, value)
        except AttributeError:
            if name in self._layout.types or not self._memory.is_writable:
                raise
            raise unknown_field(self._layout.name, name, self._layout.types) from None

    def __repr__(self) -> str:
        shown = (f"{n}={f'<{v.number} numbers>' if type(v) is Span else repr(v)}"
                 for n, v in self._values.items())  # fmt: skip
        return f"{type(self).__name__}({', '.join(shown)})"


def _property(name: str) -> property:
    return property(lambda self: self._get(name), lambda self, value: self._set(name, value))


@functools.cache
def fields_class(message_type: Any, base: Any) -> Any:
    """A class with the fields of the type as properties."""
    layout = layout_of(message_type)
    bases: tuple[type[Any], ...] = (base,)
    if layout.name in SHAPES:
        bases = (SHAPES[layout.name], base)
    members: dict[str, Any] = {name: _property(name) for name in layout.types}
    members.update(__slots__=(), _layout=layout, __doc__=f"A {layout.name} in place.")
    return type(f"{message_type.__name__}{base.__name__}", bases, members)


def read_fields(message_type: Any, base: Any, memory: Memory) -> Any:
    """The message that lies there, checked to its end."""
    made = fields_class(message_type, base)
    body = open_body(memory.stored, made._layout.name)
    cursor = Cursor(memoryview(body), memory, made._layout.name)
    message = made(cursor)
    end(cursor)
    return message
