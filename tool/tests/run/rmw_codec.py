# SPDX-License-Identifier: Apache-2.0
"""Messages of all types with chance values: rmw_codec.py write FILE | read FILE | abuse.

Written on one middleware and read on another, they tell whether both serialise alike. (Their bytes
differ: Fast DDS leaves in the padding what its memory held before.) Bytes that are cut or changed
must not end the process.
"""

from __future__ import annotations

import importlib
import json
import random
import sys
from pathlib import Path
from typing import Any

import rclpy
from rclpy.serialization import deserialize_message, serialize_message
from rosidl_parser.definition import (
    Array,
    BasicType,
    BoundedSequence,
    BoundedString,
    BoundedWString,
    NamespacedType,
    UnboundedString,
    UnboundedWString,
)

PACKAGES = ("geometry_msgs", "nav_msgs", "rcl_interfaces", "sensor_msgs", "std_msgs", "test_msgs")
INTEGERS = {f"{sign}int{bits}": (sign, bits) for sign in ("", "u") for bits in (8, 16, 32, 64)}


class Filler:
    """Fills a message by its slots' types; the same seed gives the same message anywhere."""

    def __init__(self, seed: str) -> None:
        self.chance = random.Random(seed)

    def message(self, kind: Any) -> Any:
        message = kind()
        names = list(kind.get_fields_and_field_types())
        for name, slot in zip(names, kind.SLOT_TYPES, strict=True):
            setattr(message, name, self.value(slot))
        return message

    def value(self, slot: Any) -> Any:
        if isinstance(slot, Array):
            return self.elements(slot, slot.size)
        if hasattr(slot, "value_type"):
            bound = slot.maximum_size if isinstance(slot, BoundedSequence) else 5
            return self.elements(slot, self.chance.randint(0, bound))
        if isinstance(slot, NamespacedType):
            module = importlib.import_module(".".join(slot.namespaces))
            return self.message(getattr(module, slot.name))
        if isinstance(slot, BasicType):
            return self.number(slot.typename)
        return self.text(slot)

    def elements(self, slot: Any, count: int) -> Any:
        return [self.value(slot.value_type) for _ in range(count)]

    def number(self, name: str) -> Any:
        if name == "boolean":
            return self.chance.random() < 0.5
        if name == "octet":
            return bytes([self.chance.randrange(256)])
        if name in ("float", "double"):
            return float(self.chance.randint(-(2**20), 2**20)) / 64
        sign, bits = INTEGERS.get(name, ("u", 8))
        low, high = (0, 2**bits) if sign else (-(2 ** (bits - 1)), 2 ** (bits - 1))
        return self.chance.randrange(low, high)

    def text(self, slot: Any) -> str:
        wide = isinstance(slot, UnboundedWString | BoundedWString)
        assert wide or isinstance(slot, UnboundedString | BoundedString)
        letters = "abcä€" if wide else "abc~"
        bound = getattr(slot, "maximum_size", 9)
        return "".join(self.chance.choice(letters) for _ in range(self.chance.randint(0, bound)))


def kinds() -> list[Any]:
    found = []
    for package in PACKAGES:
        module = importlib.import_module(f"{package}.msg")
        found += [kind for name, kind in sorted(vars(module).items()) if name[0].isupper()]
    return [kind for kind in found if hasattr(kind, "SLOT_TYPES")]


def messages() -> dict[str, Any]:
    made = {}
    for kind in kinds():
        name = f"{kind.__module__.split('.')[0]}/{kind.__name__}"
        for seed in range(3):
            made[f"{name} {seed}"] = Filler(f"{name} {seed}").message(kind)
    return made


def abuse(data: bytes, kind: Any, chance: random.Random) -> int:
    """Cut and changed bytes: read, or refused."""
    refused = 0
    cuts = [data[:size] for size in range(0, len(data), max(1, len(data) // 40))]
    changed = []
    for _ in range(40):
        bytes_ = bytearray(data)
        for _ in range(chance.randint(1, 4)):
            bytes_[chance.randrange(len(bytes_))] = chance.choice((0, 1, 0x7F, 0xFF))
        changed.append(bytes(bytes_))
    for bad in cuts + changed:
        try:
            deserialize_message(bad, kind)
        except Exception:  # of rclpy's C extension, which has no common class
            refused += 1
    return refused


def write(path: str) -> dict[str, Any]:
    lines = {name: serialize_message(message).hex() for name, message in messages().items()}
    Path(path).write_text(json.dumps(lines))
    return {"written": len(lines)}


def read(path: str) -> dict[str, Any]:
    lines = json.loads(Path(path).read_text())
    known = messages()
    assert lines.keys() == known.keys()
    wrong = [
        name
        for name, message in known.items()
        if deserialize_message(bytes.fromhex(lines[name]), type(message)) != message
    ]
    return {"read": len(lines), "wrong": wrong}


def abuse_all(_: str) -> dict[str, Any]:
    refused = 0
    for name, message in messages().items():
        data = serialize_message(message)
        assert deserialize_message(data, type(message)) == message, name
        refused += abuse(data, type(message), random.Random(name))
    return {"refused": refused > 1000}


def main() -> None:
    told = {"write": write, "read": read, "abuse": abuse_all}[sys.argv[1]](sys.argv[-1])
    told["rmw"] = rclpy.get_rmw_implementation_identifier()
    print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
