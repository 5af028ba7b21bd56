# SPDX-License-Identifier: Apache-2.0
"""Ordinary messages from views: for what is kept, changed or published."""

from __future__ import annotations

import array
from typing import Any

import numpy as np
from rosidl_parser import definition as idl

from ligament.views.records import Records

#: Type codes that rclpy's arrays have, by NumPy's names.
_CODES = {
    "i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "i8": "q", "u8": "Q",
    "f4": "f", "f8": "d",
}  # fmt: skip


def to_message(view: Any) -> Any:
    """A copy of all fields as the ordinary message."""
    layout = view._layout
    message = layout.message_type()
    for name, kind in layout.types.items():
        setattr(message, name, _copy(kind, view._get(name)))
    return message


def _copy(kind: Any, value: Any) -> Any:
    if isinstance(kind, idl.NamespacedType):
        return to_message(value)
    if isinstance(value, (list, Records)):
        return [_copy(kind.value_type, element) for element in value]
    return _copy_numbers(kind, value) if isinstance(value, np.ndarray) else value


def _copy_numbers(kind: Any, value: Any) -> Any:
    name = kind.value_type.typename
    if name == "octet":
        return [bytes([byte]) for byte in value]
    if name == "boolean":
        return value.tolist()
    if isinstance(kind, idl.Array):
        return value.copy()
    made = array.array(_CODES[value.dtype.str[1:]])
    made.frombytes(value.tobytes())
    return made
