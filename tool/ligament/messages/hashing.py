# SPDX-License-Identifier: Apache-2.0
"""Type hashes as ROS 2 has them since Iron (REP 2016, version RIHS01)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from ligament.messages.model import Action, Field, FieldType, Message, Multiplicity, Service
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
    return _digest(message, [m for m in store.closure([message]) if m.name != name])


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
    described = _as_message(service)
    return _digest(described, store.closure([described])[:-1])


def action_hash(store: TypeStore, action: Action) -> bytes:
    """The 32 bytes of `RIHS01_…` of an action: a type with members for its parts."""
    services = [_as_message(service) for service in (action.send_goal, action.get_result)]
    parts = {
        "goal": action.goal,
        "result": action.result,
        "feedback": action.feedback,
        "send_goal_service": services[0],
        "get_result_service": services[1],
        "feedback_message": action.feedback_message,
    }
    return _digest(_with_members(action.name, parts), store.closure([*action.messages, *services]))


def _as_message(service: Service) -> Message:
    names = ("request_message", "response_message", "event_message")
    return _with_members(service.name, dict(zip(names, service.messages, strict=False)))


def _with_members(name: str, parts: Mapping[str, Message]) -> Message:
    return Message(name, tuple(Field(k, FieldType(part.name)) for k, part in parts.items()))


def _digest(message: Message, referenced: list[Message]) -> bytes:
    return digest(
        {
            "type_description": _description(message),
            "referenced_type_descriptions": [
                _description(m) for m in sorted(referenced, key=lambda m: m.name)
            ],
        }
    )
