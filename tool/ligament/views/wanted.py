# SPDX-License-Identifier: Apache-2.0
"""What a loan says of values that do not fit: the field, its type and its range."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable
from typing import Any

import numpy as np
from rosidl_parser import definition as idl

from ligament.errors import listing, nearest
from ligament.views.errors import LoanError
from ligament.views.layout import NUMBERS

#: Where IDL's name of a type is not that of .msg files.
_NAMES = {"boolean": "bool", "octet": "byte", "float": "float32", "double": "float64"}


def mismatch(value: Any, kind: Any) -> str:
    """`-1 is no uint32 (0 .. 4294967295)`."""
    return f"{reprlib.repr(value)} is no {_kind_text(kind)}"


def is_number(value: Any, kind: Any) -> bool:
    """Whether it may be packed; what is out of range, packing refuses."""
    if kind.typename == "boolean":  # packing takes everything for true or false
        return isinstance(value, (bool, np.bool_, int, np.integer)) and value in (0, 1)
    return not isinstance(value, str)


def unknown_field(owner: str, name: str, known: Iterable[str]) -> LoanError:
    """The error to raise; it names the field that was probably meant."""
    fields = list(known)
    meant = nearest(name, fields) or f"its fields: {listing(fields, len(fields))}"
    return LoanError(f"{owner} has no field '{name}': {meant}")


def require_shape(message: Any, *names: str) -> None:
    """Before an array of a loan: with a 0 it would have no element, and nothing would be filled."""
    if not message._memory.is_writable or not message.data.size:
        return
    if unset := [name for name in names if not getattr(message, name)]:
        wanted = f"{', '.join(names[:-1])} and {names[-1]}"
        are = "is" if len(unset) == 1 else "are"
        raise LoanError(
            f"{message._layout.name}.array(): set {wanted} first ({', '.join(unset)} {are} 0)"
        )


def _kind_text(kind: Any) -> str:
    if isinstance(kind, idl.BasicType):
        dtype = np.dtype(NUMBERS[kind.typename][1])
        name: str = _NAMES.get(kind.typename, kind.typename)
        if kind.typename in ("octet", "boolean"):
            return name + (" (b'x', one byte)" if kind.typename == "octet" else " (True, False)")
        if dtype.kind == "f":
            return f"{name} (to {np.finfo(dtype).max:.3g})"
        return f"{name} ({np.iinfo(dtype).min} .. {np.iinfo(dtype).max})"
    if isinstance(kind, (idl.AbstractString, idl.AbstractWString)):
        return "string"
    if isinstance(kind, idl.NamespacedType):
        return "/".join([*kind.namespaces, kind.name])
    return f"array of {_kind_text(kind.value_type)}"
