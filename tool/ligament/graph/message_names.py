# SPDX-License-Identifier: Apache-2.0
"""Which message types there are, and which fields they have, as far as a graph needs to know.

A thin look at `ligament.messages`, which knows everything about definitions. What is wrong with a
definition is one problem among the graph's; its package's names still count, so that one broken
.msg file does not make every node that uses the package wrong too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ligament.errors import InputError, Location, Problem, nearest

if TYPE_CHECKING:
    from ligament.messages import FieldType, TypeStore


@dataclass(frozen=True)
class FieldInfo:
    """A field: its message type if it holds messages, and whether its length has a limit.

    spelling: as a .msg file writes its type; is_chosen: it is, or holds, the chosen array.
    """

    message: str
    kind: str
    spelling: str = ""
    is_chosen: bool = False


@dataclass(frozen=True)
class MessageCatalog:
    """Message types by name with their fields, and the user's message packages by name."""

    types: Mapping[str, Mapping[str, FieldInfo]]
    packages: Mapping[str, str] = field(default_factory=dict)
    services: frozenset[str] = frozenset()
    parts: Mapping[str, Mapping[str, FieldInfo]] = field(default_factory=dict)
    """Requests and responses of services, which no topic can have."""
    actions: frozenset[str] = frozenset()

    def has(self, name: str) -> bool:
        """Return whether a message type exists."""
        return name in self.types

    def fields_of(self, name: str) -> Mapping[str, FieldInfo]:
        """Return the fields of a message type, or of a service's request or response."""
        return self.types.get(name) or self.parts.get(name, {})

    def field_kind(self, message: str, path: str) -> str:
        """Return what a field path leads to: `unbounded`, `bounded`, `plain` or an empty string."""
        found = FieldInfo(message, "plain")
        for part in path.split("."):
            fields = self.types.get(found.message)
            if fields is None or part not in fields:
                return ""
            found = fields[part]
        return found.kind

    def chosen(self, message: str) -> str:
        """Return the path of the chosen array of a message; empty where it has none."""
        for name, info in self.types.get(message, {}).items():
            if info.is_chosen:
                return f"{name}.{self.chosen(info.message)}" if info.message else name
        return ""

    def unbounded(self, message: str, prefix: str = "") -> list[str]:
        """Return the paths of all fields of a message whose length has no limit."""
        found: list[str] = []
        for name, info in self.types.get(message, {}).items():
            if info.kind == "unbounded":
                found.append(f"{prefix}{name}")
            if info.message:
                found += self.unbounded(info.message, f"{prefix}{name}.")
        return found


def load_messages(
    distro: str, folders: Mapping[str, Location], problems: list[Problem]
) -> MessageCatalog:
    """Return the catalogue of a distribution plus message package folders."""
    # Imported here: it takes a noticeable part of a second, and `--help` has no use for it.
    from ligament.messages import load_store  # noqa: PLC0415
    from ligament.messages.packages import package_name, read_package  # noqa: PLC0415

    packages: dict[str, str] = {}
    good: list[Path] = []
    broken: dict[str, Mapping[str, FieldInfo]] = {}
    for name, asked_at in folders.items():
        folder = Path(name)
        if not folder.is_dir():
            problems.append(_missing(folder, asked_at))
            continue
        try:
            packages[package_name(folder)] = str(folder)
            read_package(folder)
            good.append(folder)
        except InputError as error:
            problems += [_placed(p, asked_at) for p in error.problems]
            broken |= {f"{folder.name}/msg/{p.stem}": {} for p in folder.glob("msg/*.msg")}
    try:
        known = _known(load_store(distro, good)) if good else _standard(distro)
    except InputError as error:  # a reference to a type that does not exist, a name taken twice
        problems += error.problems
        known = _standard(distro)
        broken |= {f"{package_name(f)}/msg/{p.stem}": {} for f in good for p in f.glob("msg/*.msg")}
    return replace(known, types={**known.types, **broken}, packages=packages)


def _placed(problem: Problem, asked_at: Location) -> Problem:
    if problem.location:
        return problem
    return Problem(problem.code, problem.text, asked_at, problem.expected, problem.hint)


def _missing(folder: Path, asked_at: Location) -> Problem:
    beside = [p.name for p in folder.parent.iterdir()] if folder.parent.is_dir() else []
    text = f"there is no folder '{folder}'"
    return Problem("file-missing", text, asked_at, hint=nearest(folder.name, beside))


@cache
def _standard(distro: str) -> MessageCatalog:
    from ligament.messages import load_store  # noqa: PLC0415

    return _known(load_store(distro))


def _known(store: TypeStore) -> MessageCatalog:
    found: dict[str, Mapping[str, FieldInfo]] = {}
    parts: dict[str, Mapping[str, FieldInfo]] = {}
    for message in store:
        if message.kind in ("msg", "srv"):
            chosen = store.chosen(message)
            fields = {f.name: _info(f.type, f == chosen) for f in message.fields}
            (found if message.kind == "msg" else parts)[message.name] = fields
    services, actions = frozenset(store.services), frozenset(store.actions)
    return MessageCatalog(found, services=services, actions=actions, parts=parts)


def _info(kind: FieldType, is_chosen: bool) -> FieldInfo:
    message = kind.element if kind.is_message else ""
    lengths = [kind.string_bound] if kind.is_string else []
    lengths += [kind.count] if kind.is_sequence else []
    if not lengths:
        return FieldInfo(message, "plain", str(kind), is_chosen)
    limited = "bounded" if all(lengths) else "unbounded"
    return FieldInfo(message, limited, str(kind), is_chosen)
