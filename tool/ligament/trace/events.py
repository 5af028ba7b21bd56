# SPDX-License-Identifier: Apache-2.0
"""The event table as Python objects, read from spec/events/events.yaml."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
from ruamel.yaml import YAML


class EventsError(ValueError):
    """The event declarations contradict their schema or themselves."""


@dataclass(frozen=True)
class Field:
    """One value that an event carries."""

    name: str
    type: str
    description: str
    unit: str = ""
    handle: bool = False


@dataclass(frozen=True)
class Event:
    """One trace event."""

    name: str
    phase: str
    description: str
    fields: tuple[Field, ...]
    default: bool = True


@dataclass(frozen=True)
class EventSet:
    """All events of a provider."""

    provider: str
    common: tuple[Field, ...]
    events: tuple[Event, ...]

    def columns(self) -> tuple[Field, ...]:
        """Each distinct field once, in order of first appearance, common fields first.

        The description is that of the first event that carries the field.
        """
        found: dict[str, Field] = {}
        for field in (*self.common, *(field for event in self.events for field in event.fields)):
            found.setdefault(field.name, field)
        return tuple(found.values())


def load_events(path: Path) -> EventSet:
    """Read and check events.yaml; the schema lies beside it."""
    document: dict[str, Any] = YAML(typ="safe").load(path.read_text(encoding="utf-8"))
    schema = json.loads((path.parent / "events.schema.json").read_text(encoding="utf-8"))
    problem = next(iter(jsonschema.Draft202012Validator(schema).iter_errors(document)), None)
    if problem is not None:
        where = "/".join(str(part) for part in problem.absolute_path)
        raise EventsError(f"{path}: {where}: {problem.message}")
    events = tuple(
        Event(**{**entry, "fields": tuple(Field(**field) for field in entry["fields"])})
        for entry in document["events"]
    )
    common = tuple(Field(**field) for field in document["common"])
    result = EventSet(document["provider"], common, events)
    _check(path, result)
    return result


def _check(path: Path, events: EventSet) -> None:
    """A name means one thing: no event twice, no field with two types."""
    seen: set[str] = set()
    types: dict[str, tuple[str, str]] = {}
    for event in events.events:
        if event.name in seen:
            raise EventsError(f"{path}: event {event.name!r} is declared twice")
        seen.add(event.name)
        for field in (*events.common, *event.fields):
            first, owner = types.setdefault(field.name, (field.type, event.name))
            if first != field.type:
                raise EventsError(
                    f"{path}: field {field.name!r} is {field.type} in {event.name!r} "
                    f"but {first} in {owner!r}"
                )
