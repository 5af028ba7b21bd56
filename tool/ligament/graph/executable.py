# SPDX-License-Identifier: Apache-2.0
"""A program of another package in a graph: started with it, and otherwise left as it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ligament.errors import Location


@dataclass(frozen=True)
class Executable:
    """What is started, and what it is told. An empty name, namespace or level is its own."""

    executable: str
    """PACKAGE/NAME, or an absolute path."""
    description: str = ""
    arguments: tuple[str, ...] = ()
    name: str = ""
    namespace: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    parameter_files: tuple[str, ...] = ()
    remap: Mapping[str, str] = field(default_factory=dict)
    log_level: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    publishes: Mapping[str, str] = field(default_factory=dict)
    subscribes: Mapping[str, str] = field(default_factory=dict)
    host: str | None = None
    on_failure: str = "stop"
    at: Location | None = None

    @property
    def is_file(self) -> bool:
        """Return whether it is a path and not PACKAGE/NAME."""
        return self.executable.startswith("/")

    def ends(self) -> Iterator[tuple[str, str, str]]:
        """Yield the declared ends: role, topic, message type."""
        for role, of in (("publisher", self.publishes), ("subscription", self.subscribes)):
            for topic, message in sorted(of.items()):
                yield role, topic, message


def executables_from_json(data: Mapping[str, Any]) -> dict[str, Executable]:
    """Return the executables of an artefact's plain form."""
    return {name: _from_json(entry) for name, entry in data.items()}


def _from_json(data: Mapping[str, Any]) -> Executable:
    fresh = dict(data)
    for name in ("arguments", "parameter_files"):
        fresh[name] = tuple(data.get(name, ()))
    if data.get("at"):
        fresh["at"] = Location(**data["at"])
    return Executable(**fresh)
