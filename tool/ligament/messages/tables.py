# SPDX-License-Identifier: Apache-2.0
"""The type tables as JSON (`ligament/types/1`): for every room that reads types without C++."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ligament.messages.hashing import action_hash, service_hash, type_hash
from ligament.messages.model import Constant, Field, Message, Value
from ligament.messages.store import TypeStore


def type_tables(store: TypeStore, messages: Iterable[Message], distro: str) -> dict[str, Any]:
    """All tables as plain data: messages, and the services and actions that name them."""
    wanted = sorted(messages, key=lambda m: m.name)
    present = {m.name for m in wanted}
    services = [s for s in store.services.values() if {m.name for m in s.messages} <= present]
    actions = [a for a in store.actions.values() if {m.name for m in a.messages} <= present]
    return {
        "schema": "ligament/types/1",
        "distro": distro,
        "messages": {m.name: _message(store, m) for m in wanted},
        "services": {
            s.name: {
                "type_hash": "RIHS01_" + service_hash(store, s).hex(),
                "messages": [m.name for m in s.messages],
            }
            for s in sorted(services, key=lambda s: s.name)
        },
        "actions": {
            a.name: {
                "type_hash": "RIHS01_" + action_hash(store, a).hex(),
                "messages": [m.name for m in a.messages],
                "services": [a.send_goal.name, a.get_result.name],
            }
            for a in sorted(actions, key=lambda a: a.name)
        },
    }


def _message(store: TypeStore, message: Message) -> dict[str, Any]:
    chosen = store.chosen(message)
    return {
        "type_hash": "RIHS01_" + type_hash(store, message.name).hex(),
        "fixed_size": store.is_fixed(message),
        "chosen": chosen.name if chosen else None,
        "fields": [_field(f) for f in message.fields],
        "constants": [_constant(c) for c in message.constants],
    }


def _field(field: Field) -> dict[str, Any]:
    return {
        "name": field.name,
        "element": field.type.element,
        "multiplicity": field.type.multiplicity.value,
        "count": field.type.count,
        "string_bound": field.type.string_bound,
        "default": _plain(field.default),
    }


def _constant(constant: Constant) -> dict[str, Any]:
    return {"name": constant.name, "type": constant.type, "value": _plain(constant.value)}


def _plain(value: Value | None) -> Any:
    """JSON has no infinities and no NaN: they become the texts `inf`, `-inf` and `nan`."""
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
