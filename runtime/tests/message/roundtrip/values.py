# SPDX-License-Identifier: Apache-2.0
"""Random values of any type, as plain data, and as the objects that rosbags works with."""

from __future__ import annotations

import random
import struct
from typing import Any

import numpy as np
from rosbags.interfaces import Nodetype
from rosbags.typesys.store import Typestore

from ligament.messages import FieldType, Message, TypeStore
from ligament.messages.model import Multiplicity

_INTEGERS = {
    "byte": (0, 255),
    "char": (0, 255),
    **{f"uint{bits}": (0, 2**bits - 1) for bits in (8, 16, 32, 64)},
    **{f"int{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)},
}
_DTYPES = {"bool": "bool", "byte": "uint8", "char": "uint8"}
_LETTERS = "abcXYZ 09_/äß€𝄞\n\"'\\"


class Values:
    """Draws values; small lengths are common, zero included."""

    def __init__(self, store: TypeStore, seed: int) -> None:
        self.store = store
        self.random = random.Random(seed)

    def message(self, message: Message) -> dict[str, Any]:
        return {f.name: self.field(f.type) for f in message.fields}

    def field(self, kind: FieldType) -> Any:
        if kind.multiplicity is Multiplicity.SINGLE:
            return self.element(kind)
        count = kind.count
        if kind.is_sequence:
            largest = min(count or 5, 5)
            count = self.random.randint(0, largest)
        return [self.element(kind) for _ in range(count)]

    def element(self, kind: FieldType) -> Any:
        if kind.is_message:
            return self.message(self.store.message(kind.element))
        if kind.is_string:
            return self.text(kind)
        if kind.element == "bool":
            return self.random.random() < 0.5
        if kind.element in _INTEGERS:
            low, high = _INTEGERS[kind.element]
            return self.random.choice([low, high, self.random.randint(low, high)])
        number = self.random.choice([0.0, -0.0, 1.5, self.random.uniform(-1e30, 1e30), np.inf])
        return struct.unpack("f", struct.pack("f", number))[0] if kind.element == "float32" else number

    def text(self, kind: FieldType) -> str:
        bound = min(kind.string_bound or 12, 12)
        text = "".join(self.random.choices(_LETTERS, k=self.random.randint(0, bound)))
        encoding = "utf-16-le" if kind.element == "wstring" else "utf-8"
        unit = 2 if kind.element == "wstring" else 1
        while kind.string_bound and len(text.encode(encoding)) // unit > kind.string_bound:
            text = text[:-1]
        return text


def to_rosbags(types: Typestore, store: TypeStore, name: str, value: dict[str, Any]) -> Any:
    """The value as an object of rosbags' class for that type."""
    fields = {}
    for f in store.message(name).fields:
        fields[f.name] = _field_to_rosbags(types, store, f.type, value[f.name])
    return types.types[name](*fields.values())


def _field_to_rosbags(types: Typestore, store: TypeStore, kind: FieldType, value: Any) -> Any:
    if kind.is_message:
        if kind.multiplicity is Multiplicity.SINGLE:
            return to_rosbags(types, store, kind.element, value)
        return [to_rosbags(types, store, kind.element, v) for v in value]
    if kind.is_primitive and kind.multiplicity is not Multiplicity.SINGLE:
        return np.array(value, dtype=_DTYPES.get(kind.element, kind.element))
    if kind.element == "byte":
        return value - 256 if value > 127 else value  # rosbags packs single bytes as signed
    return value


def register(types: Typestore, store: TypeStore, messages: list[Message]) -> None:
    """Teach rosbags our types (it carries neither services nor users' packages)."""
    types.register(
        {
            m.name: ([], [(f.name, _description(f.type)) for f in m.fields])
            for m in store.closure(messages)
            if m.name not in types.fielddefs
        }
    )


def _description(kind: FieldType) -> Any:
    if kind.is_message:
        inner: Any = (Nodetype.NAME, kind.element)
    else:
        inner = (Nodetype.BASE, (kind.element, kind.string_bound))
    if kind.multiplicity is Multiplicity.SINGLE:
        return inner
    array = kind.multiplicity is Multiplicity.ARRAY
    return (Nodetype.ARRAY if array else Nodetype.SEQUENCE, (inner, kind.count))


def uses_wide_text(store: TypeStore, message: Message) -> bool:
    """rosbags has no wide strings: such types are judged by the reference encoder alone."""
    return any(f.type.element == "wstring" for m in store.closure([message]) for f in m.fields)
