# SPDX-License-Identifier: Apache-2.0
"""A second opinion on bytes: the rules of spec/wire/message.md in their plainest form."""

from __future__ import annotations

import struct
from typing import Any

from ligament.messages import FieldType, Message, TypeStore
from ligament.messages.model import Multiplicity

_FORMATS = {
    "bool": "?", "byte": "B", "char": "B", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H",
    "int32": "i", "uint32": "I", "int64": "q", "uint64": "Q", "float32": "f", "float64": "d",
}


class Encoder:
    """Writes one message after the encapsulation."""

    def __init__(self, store: TypeStore, little: bool = True) -> None:
        self.store = store
        self.order = "<" if little else ">"
        self.body = bytearray()

    def scalar(self, code: str, value: Any) -> None:
        size = struct.calcsize(code)
        self.body += bytes(-len(self.body) % size)
        self.body += struct.pack(self.order + code, value)

    def message(self, message: Message, value: dict[str, Any]) -> None:
        for f in message.fields:
            self.field(f.type, value[f.name])

    def field(self, kind: FieldType, value: Any) -> None:
        if kind.multiplicity is Multiplicity.SINGLE:
            self.element(kind, value)
            return
        if kind.is_sequence:
            self.scalar("I", len(value))
        for item in value:
            self.element(kind, item)

    def element(self, kind: FieldType, value: Any) -> None:
        if kind.is_message:
            self.message(self.store.message(kind.element), value)
        elif kind.element == "string":
            data = value.encode() + b"\0"
            self.scalar("I", len(data))
            self.body += data
        elif kind.element == "wstring":
            units = value.encode("utf-16-le")
            self.scalar("I", len(units) // 2)
            for i in range(0, len(units), 2):
                self.scalar("I", int.from_bytes(units[i : i + 2], "little"))
        else:
            self.scalar(_FORMATS[kind.element], value)


def encode(store: TypeStore, name: str, value: dict[str, Any], *, little: bool = True) -> bytes:
    """The stored form of a value."""
    encoder = Encoder(store, little)
    encoder.message(store.message(name), value)
    return bytes([0, int(little), 0, 0]) + bytes(encoder.body)
