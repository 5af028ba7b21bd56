# SPDX-License-Identifier: Apache-2.0
"""The event table as Python objects, from spec/events: events.yaml, and ros2.yaml for imports."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ligament import cache, resources


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
    length: int = 0
    """Of an array of bytes."""

    @property
    def argument(self) -> str:
        """Its name as a parameter in C++, where one word of ros2_tracing's is reserved."""
        return f"{self.name}_" if self.name == "namespace" else self.name


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

    def extended(self, foreign: ImportSet) -> EventSet:
        """With the rows and columns that imports add: all that an event table may hold."""
        extra = Event("", "run", "columns of imports", foreign.columns)
        return EventSet(self.provider, self.common, (*self.events, *foreign.rows, extra))

    def names(self) -> list[str]:
        """Names of the events; the place is the event's code."""
        return [event.name for event in self.events if event.name]

    def columns(self) -> tuple[Field, ...]:
        """Each distinct field once, in order of first appearance, common fields first.

        The description is that of the first event that carries the field.
        """
        found: dict[str, Field] = {}
        for field in (*self.common, *(field for event in self.events for field in event.fields)):
            found.setdefault(field.name, field)
        return tuple(found.values())


@dataclass(frozen=True)
class ForeignField:
    """A field of another provider's event. `since`: the first distribution that has it."""

    name: str
    type: str
    since: str = ""
    handle: bool = False
    bits: int = 64
    length: int = 0

    def as_recorded(self) -> Field:
        """With the width that Jazzy records."""
        kind = "i32" if self.type == "i64" and self.bits == 32 else self.type
        return Field(self.name, kind, "", handle=self.handle, length=self.length)


@dataclass(frozen=True)
class ForeignEvent:
    """An event of another provider, what rows become of it, and what it marks if we emit it."""

    name: str
    rows: str
    fields: tuple[ForeignField, ...]
    emitted: str = ""


@dataclass(frozen=True)
class ImportSet:
    """All that is known of another provider: its events, and what they add to the event table."""

    provider: str
    rows: tuple[Event, ...]
    columns: tuple[Field, ...]
    events: tuple[ForeignEvent, ...]

    def emitted(self) -> EventSet:
        """Those that our own nodes emit when asked to."""
        events = tuple(
            Event(
                one.name,
                "run",
                f"{one.emitted[0].upper()}{one.emitted[1:]}.",
                tuple(field.as_recorded() for field in one.fields),
            )
            for one in self.events
            if one.emitted
        )
        return EventSet(self.provider, (), events)


def load_events(path: Path) -> EventSet:
    """Read and check events.yaml; the schema lies beside it."""
    document = _load(path, "events.schema.json")
    common = tuple(Field(**field) for field in document["common"])
    result = EventSet(document["provider"], common, _events(document["events"]))
    _check(path, result)
    return result


@functools.cache
def event_set() -> EventSet:
    """The declared events."""
    return load_events(resources.spec_dir() / "events" / "events.yaml")


def load_import(path: Path, ours: EventSet) -> ImportSet:
    """Read and check another provider's declaration, beside our own events."""
    document = _load(path, "import.schema.json")
    columns = tuple(
        Field(**{key: value for key, value in column.items() if key != "rows"})
        for column in document["columns"]
    )
    events = tuple(
        ForeignEvent(
            **{**event, "fields": tuple(ForeignField(**field) for field in event["fields"])}
        )
        for event in document["events"]
    )
    result = ImportSet(document["provider"], _events(document["rows"]), columns, events)
    _check(path, ours.extended(result))
    return result


def _load(path: Path, schema_name: str) -> dict[str, Any]:
    """A text that was read and checked before is neither parsed nor checked again."""
    text = path.read_text(encoding="utf-8")
    schema_text = (path.parent / schema_name).read_text(encoding="utf-8")
    entry = cache.key(cache.fingerprint([Path(__file__)]), schema_text, text)
    kept = cache.get("events", entry)
    if isinstance(kept, dict):
        return kept
    import jsonschema  # noqa: PLC0415 - slow to import
    from ruamel.yaml import YAML  # noqa: PLC0415 - slow to import

    document: dict[str, Any] = YAML(typ="safe").load(text)
    schema = json.loads(schema_text)
    problem = next(iter(jsonschema.Draft202012Validator(schema).iter_errors(document)), None)
    if problem is not None:
        where = "/".join(str(part) for part in problem.absolute_path)
        raise EventsError(f"{path}: {where}: {problem.message}")
    cache.put("events", entry, document)
    return document


def _events(entries: list[dict[str, Any]]) -> tuple[Event, ...]:
    return tuple(
        Event(**{**entry, "fields": tuple(Field(**field) for field in entry["fields"])})
        for entry in entries
    )


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
