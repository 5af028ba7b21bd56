# SPDX-License-Identifier: Apache-2.0
"""Sequences of messages that have only numbers, such as poses: in place, as one structured array.

Their elements all have one size, so none is read before it is asked for.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from rosidl_parser import definition as idl

from ligament.views.layout import NUMBERS, Cursor, layout_of, message_class


class Record(NamedTuple):
    """How an element lies: its fields, where the next one starts, and where the first may."""

    dtype: np.dtype[Any]
    stride: int
    alignment: int

    def size(self, count: int) -> int:
        """Bytes of so many, from the first number of the first to the last of the last."""
        return (count - 1) * self.stride + self.dtype.itemsize if count else 0


@functools.cache
def record_of(message_type: Any) -> Record | None:
    """Nothing where elements may differ in size, or where their place decides how they lie."""
    widths: list[int] = []
    dtype = _dtype_at(message_type, 0, widths)
    # The first number aligns all the others only if none of them is wider.
    if dtype is None or not widths or widths[0] != max(widths):
        return None
    return Record(dtype, -(-dtype.itemsize // widths[0]) * widths[0], widths[0])


def _dtype_at(message_type: Any, begin: int, widths: list[int]) -> np.dtype[Any] | None:
    """Of a message behind so many bytes; notes the widths of its numbers, in order."""
    names, formats, offsets = [], [], []
    at = begin
    for name, kind in layout_of(message_type).types.items():
        one = kind.value_type if isinstance(kind, idl.Array) else kind
        if isinstance(one, idl.BasicType) and one.typename in NUMBERS:
            inner: Any = np.dtype(NUMBERS[one.typename][1])
            widths.append(inner.itemsize)
            at = -(-at // inner.itemsize) * inner.itemsize
            form = np.dtype((inner, (kind.size,))) if one is not kind else inner
        elif isinstance(kind, idl.NamespacedType):
            form = _dtype_at(message_class(kind), at, widths)
        else:
            form = None
        if form is None:
            return None
        names.append(name)
        formats.append(form)
        offsets.append(at - begin)
        at += form.itemsize
    if not names:
        return None
    return np.dtype(
        {"names": names, "formats": formats, "offsets": offsets, "itemsize": at - begin}
    )


class Records(Sequence[Any]):
    """The elements, each a view when it is asked for."""

    def __init__(self, cursor: Cursor, count: int, record: Record, made: Any) -> None:
        self._memory, self._name = cursor.memory, cursor.name
        self._record, self._made, self._count = record, made, count
        size = record.size(count)
        self._start = cursor.take(size, record.alignment) if count else cursor.at

    def __len__(self) -> int:
        return self._count

    def __repr__(self) -> str:
        return f"<{self._count} of {self._made._layout.name}>"

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self._count))]
        place = range(self._count)[index]
        cursor = Cursor(self._memory.stored[4:], self._memory, self._name)
        cursor.at = self._start + place * self._record.stride
        return self._made(cursor)

    def array(self) -> Any:
        """All of them in place: `poses.array()["position"]["x"]`."""
        begin = 4 + self._start
        part = self._memory.stored[begin : begin + self._record.size(self._count)]
        stride = (self._record.stride,)
        return np.ndarray((self._count,), self._record.dtype, buffer=part, strides=stride)
