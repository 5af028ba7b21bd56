# SPDX-License-Identifier: Apache-2.0
"""A store of types as JSON data and back: how the standard types are kept from run to run.

`packed_X` and `unpacked_X` are each other's inverse. Types of fields are written once each and
referred to by number: a few dozen serve some thousand fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ligament.errors import Location
from ligament.messages.model import (
    Action,
    Constant,
    Field,
    FieldType,
    Message,
    Multiplicity,
    Service,
    Value,
)


def packed_messages(messages: Iterable[Message]) -> dict[str, Any]:
    """Return messages as JSON data."""
    types: dict[FieldType, int] = {}
    packed = [
        [
            message.name,
            [
                [f.name, types.setdefault(f.type, len(types)), f.default, f.marked, _at(f.location)]
                for f in message.fields
            ],
            [[c.name, c.type, c.value, _at(c.location)] for c in message.constants],
            message.origin,
            _at(message.location),
        ]
        for message in messages
    ]
    listed = [[t.element, t.multiplicity.value, t.count, t.string_bound] for t in types]
    return {"types": listed, "messages": packed}


def unpacked_messages(data: Mapping[str, Any]) -> Iterator[Message]:
    """Yield the messages of `packed_messages`."""
    types = [FieldType(e, Multiplicity(m), count, bound) for e, m, count, bound in data["types"]]
    for name, fields, constants, origin, at in data["messages"]:
        yield Message(
            name,
            tuple(
                Field(n, types[t], _value(d), marked, _place(p)) for n, t, d, marked, p in fields
            ),
            tuple(Constant(n, t, value, _place(p)) for n, t, value, p in constants),
            origin,
            _place(at),
        )


def packed_service(service: Service) -> list[str | None]:
    """Return a service as the names of its messages."""
    event = service.event.name if service.event else None
    return [service.name, service.request.name, service.response.name, event]


def unpacked_service(names: list[str | None], messages: Mapping[str, Message]) -> Service:
    """Return the service of `packed_service`."""
    name, request, response, event = names
    assert name and request and response
    return Service(name, messages[request], messages[response], messages[event] if event else None)


def packed_action(action: Action) -> list[str]:
    """Return an action as the names of its messages and services."""
    services = (action.send_goal.name, action.get_result.name)
    return [action.name, *(m.name for m in action.messages), *services]


def unpacked_action(
    names: list[str], messages: Mapping[str, Message], services: Mapping[str, Service]
) -> Action:
    """Return the action of `packed_action`."""
    name, *parts, goal, result = names
    made = [messages[part] for part in parts]
    return Action(name, made[0], made[1], made[2], made[3], services[goal], services[result])


def _at(location: Location | None) -> list[Any] | None:
    if location is None:
        return None
    return [location.file, location.line, location.column, location.length]


def _place(packed: list[Any] | None) -> Location | None:
    return None if packed is None else Location(*packed)


def _value(packed: Any) -> Value | None:
    return tuple(packed) if isinstance(packed, list) else packed
