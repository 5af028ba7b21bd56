# SPDX-License-Identifier: Apache-2.0
"""Type hashes as ROS 2 has them since Iron (REP 2016, version RIHS01)."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from ligament.messages.model import Field, FieldType, Message, Multiplicity, Service
from ligament.messages.store import TypeStore

#: type_description_interfaces/msg/FieldType: constants of single elements. rosidl turns the .msg
#: type `char` into IDL's uint8 before hashing.
_TYPE_IDS = {
    "int8": 2,
    "uint8": 3,
    "char": 3,
    "int16": 4,
    "uint16": 5,
    "int32": 6,
    "uint32": 7,
    "int64": 8,
    "uint64": 9,
    "float32": 10,
    "float64": 11,
    "bool": 15,
    "byte": 16,
    "string": 17,
    "wstring": 18,
}
_NESTED_ID = 1
_BOUNDED_STRING_OFFSET = 4  # string 17 -> bounded string 21, wstring 18 -> 22
_MULTIPLICITY_OFFSETS = {
    Multiplicity.SINGLE: 0,
    Multiplicity.ARRAY: 48,
    Multiplicity.BOUNDED: 96,
    Multiplicity.SEQUENCE: 144,
}


def type_hash(store: TypeStore, name: str) -> bytes:
    """The 32 bytes of `RIHS01_…` of a message."""
    message = store.message(name)
    referenced = [m for m in store.closure([message]) if m.name != name]
    document = {
        "type_description": _description(message),
        "referenced_type_descriptions": [
            _description(m) for m in sorted(referenced, key=lambda m: m.name)
        ],
    }
    return digest(document)


def digest(document: dict[str, Any]) -> bytes:
    """SHA-256 of a type description's JSON text in the form that RIHS01 fixes."""
    text = json.dumps(document, separators=(", ", ": "), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).digest()


def _description(message: Message) -> dict[str, Any]:
    return {
        "type_name": message.name,
        "fields": [{"name": f.name, "type": _field_type(f.type)} for f in message.fields],
    }


def _field_type(kind: FieldType) -> dict[str, Any]:
    type_id = _NESTED_ID if kind.is_message else _TYPE_IDS[kind.element]
    if kind.string_bound:
        type_id += _BOUNDED_STRING_OFFSET
    return {
        "type_id": type_id + _MULTIPLICITY_OFFSETS[kind.multiplicity],
        "capacity": kind.count,
        "string_capacity": kind.string_bound,
        "nested_type_name": kind.element if kind.is_message else "",
    }


def service_hash(store: TypeStore, service: Service) -> bytes:
    """The 32 bytes of `RIHS01_…` of a service: a type whose members are its messages."""
    names = ("request_message", "response_message", "event_message")
    members = zip(names, service.messages, strict=False)
    description = Message(
        service.name, tuple(Field(name, FieldType(part.name)) for name, part in members)
    )
    referenced = store.closure([description])[:-1]
    return digest(
        {
            "type_description": _description(description),
            "referenced_type_descriptions": [
                _description(m) for m in sorted(referenced, key=lambda m: m.name)
            ],
        }
    )
