# SPDX-License-Identifier: Apache-2.0
"""The field stream of a value, by the rules of spec/wire/fields.md in their plainest form."""

from __future__ import annotations

import struct
from typing import Any

from driver import Beat, Kind
from ligament.messages import FieldType, Message, TypeStore
from ligament.messages.hdl import Layout
from ligament.messages.model import Multiplicity
from reference import _FORMATS


class FieldStream:
    """Collects the beats of one message."""

    def __init__(self, store: TypeStore, layout: Layout, lanes: int = 8) -> None:
        self.store = store
        self.lanes = lanes
        self.numbers = {leaf.path: number for number, leaf in enumerate(layout.leaves)}
        self.beats: list[Beat] = []

    def of(self, message: Message, value: dict[str, Any]) -> list[Beat]:
        self.message(message, value, "")
        self.beats.append(Beat(Kind.DONE, 0, b"\0"))
        return self.beats

    def message(self, message: Message, value: dict[str, Any], prefix: str) -> None:
        for f in message.fields:
            self.field(f.type, value[f.name], prefix + f.name)

    def field(self, kind: FieldType, value: Any, path: str) -> None:
        if kind.is_sequence:
            self.count(path, len(value))
        if kind.is_primitive:
            single = kind.multiplicity is Multiplicity.SINGLE
            items = [value] if single else value
            self.values(path, struct.pack(f"<{len(items)}{_FORMATS[kind.element]}", *items))
        elif kind.multiplicity is Multiplicity.SINGLE:
            self.element(kind, value, path)
        else:
            for item in value:
                self.element(kind, item, path + "[]")

    def element(self, kind: FieldType, value: Any, path: str) -> None:
        if kind.is_message:
            self.message(self.store.message(kind.element), value, path + ".")
        elif kind.element == "string":
            self.count(path, len(value.encode()))
            self.values(path, value.encode())
        else:
            units = value.encode("utf-16-le")
            self.count(path, len(units) // 2)
            wide = [units[i : i + 2] + b"\0\0" for i in range(0, len(units), 2)]
            self.values(path, b"".join(wide))

    def count(self, path: str, number: int) -> None:
        self.beats.append(Beat(Kind.COUNT, self.numbers[path], struct.pack("<I", number)))

    def values(self, path: str, data: bytes) -> None:
        number = self.numbers[path]
        for begin in range(0, len(data), self.lanes):
            self.beats.append(Beat(Kind.VALUES, number, data[begin : begin + self.lanes]))
