# SPDX-License-Identifier: Apache-2.0
"""All types known to one run: the standard ones of a distribution and users' own packages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache as once
from pathlib import Path
from typing import Any

from ligament import cache
from ligament.errors import Location, nearest
from ligament.messages.errors import DefinitionError
from ligament.messages.kept import (
    packed_action,
    packed_messages,
    packed_service,
    unpacked_action,
    unpacked_messages,
    unpacked_service,
)
from ligament.messages.model import PRIMITIVE_SIZES, Action, Field, Message, Multiplicity, Service
from ligament.messages.packages import Definitions, read_package
from ligament.messages.standard import read_standard_notes
from ligament.resources import spec_dir

KIND = "types"
"""The kind of the cache's entries."""


class TypeStore:
    """Messages, services and actions by full name (`package/kind/Name`)."""

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self.messages: dict[str, Message] = {}
        self.services: dict[str, Service] = {}
        self.actions: dict[str, Action] = {}
        self.unavailable: dict[str, str] = {}
        """Types of `spec/interfaces` that this distribution cannot have: name -> what it lacks."""
        for message in messages:
            self.add_message(message)

    def add_message(self, message: Message) -> None:
        """Add a message; a second, different one of the same name is an error."""
        known = self.messages.get(message.name)
        if known is not None and known != message:
            raise DefinitionError(
                "type-redefined",
                f"type '{message.name}' is defined differently in {known.origin}",
                message.location,
                expected="one definition per name",
            )
        self.messages.setdefault(message.name, message)

    def add_service(self, service: Service) -> None:
        """Add a service with its messages."""
        for message in service.messages:
            self.add_message(message)
        self.services[service.name] = service

    def add_action(self, action: Action) -> None:
        """Add an action with its messages and services."""
        for message in action.messages:
            self.add_message(message)
        self.add_service(action.send_goal)
        self.add_service(action.get_result)
        self.actions[action.name] = action

    def __contains__(self, name: object) -> bool:
        return name in self.messages

    def __iter__(self) -> Iterator[Message]:
        return iter(self.messages[name] for name in sorted(self.messages))

    def nearest(self, name: str) -> str:
        """`did you mean 'x'?` for the known type whose name is most like `name`, or nothing."""
        return nearest(name, [*self.messages, *self.services, *self.actions])

    def message(self, name: str, location: Location | None = None) -> Message:
        """The message of that name; a DefinitionError with the nearest name if there is none."""
        if name not in self.messages:
            missing = self.unavailable.get(name)
            raise DefinitionError(
                "type-unknown",
                f"unknown message type '{name}'",
                location,
                expected=f"a distribution that has {missing}, which it needs"
                if missing
                else "a type of the chosen distribution or of a package folder given",
                hint=self.nearest(name),
            )
        return self.messages[name]

    def nested(self, message: Message) -> list[Message]:
        """The message types that fields refer to, without repetition, in order of use."""
        places = {f.type.element: f.location for f in message.fields if f.type.is_message}
        return [self.message(name, place or message.location) for name, place in places.items()]

    def closure(self, messages: Iterable[Message]) -> list[Message]:
        """The messages and all they refer to, each after what it needs."""
        ordered: dict[str, Message] = {}

        def visit(message: Message, path: tuple[str, ...]) -> None:
            if message.name in path:
                chain = " -> ".join([*path, message.name])
                raise DefinitionError(
                    "type-cycle",
                    f"type '{message.name}' contains itself ({chain})",
                    message.location,
                    expected="types without cycles",
                )
            if message.name in ordered:
                return
            for inner in self.nested(message):
                visit(inner, (*path, message.name))
            ordered[message.name] = message

        for message in messages:
            visit(message, ())
        return list(ordered.values())

    def is_fixed(self, message: Message) -> bool:
        """Whether every value of the message has the same size on the wire."""
        return all(
            not f.type.is_sequence
            and not f.type.is_string
            and (not f.type.is_message or self.is_fixed(self.message(f.type.element)))
            for f in message.fields
        )

    def min_size(self, message: Message) -> int:
        """Fewest bytes a value takes on the wire, without padding."""
        return sum(self._min_field_size(f) for f in message.fields)

    def _min_field_size(self, field: Field) -> int:
        kind = field.type
        if kind.is_sequence:
            return 4
        if kind.is_message:
            element = self.min_size(self.message(kind.element))
        elif kind.is_string:
            element = 5 if kind.element == "string" else 4
        else:
            element = PRIMITIVE_SIZES[kind.element]
        return element * (kind.count if kind.multiplicity is Multiplicity.ARRAY else 1)

    def chosen(self, message: Message) -> Field | None:
        """The field that is, or holds, the chosen array of the message.

        The marked one; else the primitive array of the largest possible size, where unbounded
        beats bounded beats fixed, and the last in wire order wins a tie (payloads come last).
        Arrays inside single nested messages count, those inside sequences do not.
        """
        marked = [f for f in message.fields if f.marked]
        if marked:
            return marked[0]
        ranked = [(self._array_rank(f), f) for f in message.fields]
        best = max((rank for rank, _ in ranked), default=0.0)
        return [f for rank, f in ranked if rank == best][-1] if best else None

    def _array_rank(self, field: Field) -> float:
        kind = field.type
        if kind.multiplicity is Multiplicity.SINGLE:
            if not kind.is_message:
                return 0.0
            inner = self.message(kind.element)
            chosen = self.chosen(inner)
            return self._array_rank(chosen) if chosen else 0.0
        if not kind.is_primitive:
            return 0.0
        if kind.multiplicity is Multiplicity.SEQUENCE:
            return float("inf")
        # A bounded sequence beats every fixed array: its length is a matter of the message.
        variable = 2.0**40 if kind.multiplicity is Multiplicity.BOUNDED else 0.0
        return variable + kind.count * PRIMITIVE_SIZES[kind.element]


def load_store(distro: str = "jazzy", package_dirs: Iterable[Path] = ()) -> TypeStore:
    """All types of a distribution, of `spec/interfaces` and of the package folders given.

    Everything that the packages refer to is resolved, so that a wrong name is found here.
    """
    entry = cache.key(_sources(), distro)
    kept = cache.get(KIND, entry)
    if kept is None:
        store, events = _standard(distro)
        cache.put(KIND, entry, {**_packed(store), "events": events})
    else:
        store, events = _unpacked(kept), kept["events"]
    users = [read_package(folder, events=events) for folder in package_dirs]
    for definitions in users:
        _add_all(store, definitions)
    if users:
        _check(store)
    return store


def _standard(distro: str) -> tuple[TypeStore, bool]:
    """Return the types of a distribution and of `spec/interfaces`, and if services have events."""
    from ligament.messages.rosbags_types import standard_messages  # noqa: PLC0415 - slow to import

    interfaces = spec_dir() / "interfaces"
    notes = read_standard_notes(interfaces / "standard.yaml")
    store = TypeStore(notes.apply(m) for m in standard_messages(distro).values())
    events = "service_msgs/msg/ServiceEventInfo" in store
    for folder in sorted(p for p in interfaces.iterdir() if p.is_dir()):
        _add_available(store, read_package(folder, events=events))
    _check(store)
    return store, events


@once
def _sources() -> str:
    """Return what changes with the standard definitions and the code that reads them."""
    files = [
        *cache.files_of("rosbags", "typesys/stores/*.py"),
        *(path for path in (spec_dir() / "interfaces").rglob("*") if path.is_file()),
        *Path(__file__).parent.glob("*.py"),
    ]
    return cache.fingerprint(sorted(files))


def _packed(store: TypeStore) -> dict[str, Any]:
    return {
        **packed_messages(store.messages.values()),
        "services": [packed_service(s) for s in store.services.values()],
        "actions": [packed_action(a) for a in store.actions.values()],
        "unavailable": store.unavailable,
    }


def _unpacked(data: Mapping[str, Any]) -> TypeStore:
    store = TypeStore()
    store.messages = {m.name: m for m in unpacked_messages(data)}
    services = [unpacked_service(names, store.messages) for names in data["services"]]
    store.services = {s.name: s for s in services}
    actions = [unpacked_action(names, store.messages, store.services) for names in data["actions"]]
    store.actions = {a.name: a for a in actions}
    store.unavailable = dict(data["unavailable"])
    return store


def _check(store: TypeStore) -> None:
    store.closure(store)
    for message in store:
        _check_names(store, message)


def _add_all(store: TypeStore, definitions: Definitions) -> None:
    for message in definitions.messages:
        store.add_message(message)
    for service in definitions.services:
        store.add_service(service)
    for action in definitions.actions:
        store.add_action(action)


def _add_available(store: TypeStore, definitions: Definitions) -> None:
    """Add what this distribution can have; older ones lack some of the types referred to."""
    own = {m.name for m in definitions.all_messages()}
    for item in definitions.items():
        needed = {f.type.element for m in item.all_messages() for f in m.fields}
        missing = sorted(n for n in needed if "/" in n and n not in store and n not in own)
        if missing:
            store.unavailable.update({m.name: missing[0] for m in item.all_messages()})
        else:
            _add_all(store, item)


def _check_names(store: TypeStore, message: Message) -> None:
    """Generated names must not meet: `XShape`, `XView` and `XBuilder` belong to `X`."""
    for suffix in ("Shape", "View", "Builder"):
        if message.name + suffix in store:
            raise DefinitionError(
                "name-taken",
                f"type '{message.name}{suffix}' has the name of a class generated for "
                f"'{message.name}'",
                store.message(message.name + suffix).location,
                expected="another name",
            )
