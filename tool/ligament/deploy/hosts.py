# SPDX-License-Identifier: Apache-2.0
"""hosts.yaml: how each host of a graph is reached (spec/run/hosts.schema.json)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ligament.errors import InputError, listing, no_such
from ligament.graph.loader import read_document
from ligament.graph.source import Document


@dataclass(frozen=True)
class Host:
    """One computer. Paths are as the schema says; `key` and `target` from the file's folder."""

    name: str
    address: str
    user: str = ""
    port: int | None = None
    key: Path | None = None
    ssh_options: tuple[str, ...] = ()
    ligament: str = "ligament"
    folder: str = ".cache/ligament/deploy"
    domain: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    target: Path | None = None
    """Where the runtime that its part is built against is installed here; None: this one's."""

    @property
    def destination(self) -> str:
        """As ssh takes it: user@address."""
        return f"{self.user}@{self.address}" if self.user else self.address


@dataclass(frozen=True)
class Hosts:
    """All of them, and what they have in common."""

    hosts: Mapping[str, Host]
    lease_s: float = 5.0
    max_clock_difference_s: float = 1.0
    domain_id: int | None = None


def load_hosts(path: Path, needed: Collection[str]) -> Hosts:
    """Read the file; raise InputError if it is wrong, or lacks a host that the graph needs."""
    document = read_document(path, "hosts")
    data: dict[str, Any] = document.data
    found = {name: _host(name, entry, path.parent) for name, entry in data["hosts"].items()}
    problems = [_lacks(document, name, found) for name in sorted(set(needed) - set(found))]
    if problems:
        raise InputError(problems)
    common = {k: data[k] for k in ("lease_s", "max_clock_difference_s", "domain_id") if k in data}
    return Hosts({name: found[name] for name in sorted(needed)}, **common)


def _host(name: str, entry: Mapping[str, Any], folder: Path) -> Host:
    given = dict(entry)
    for path in given.keys() & {"key", "target"}:
        given[path] = folder / Path(given[path]).expanduser()
    if "ssh_options" in given:
        given["ssh_options"] = tuple(given["ssh_options"])
    return Host(name, **given)


def _lacks(document: Document, name: str, known: Collection[str]) -> Any:
    return no_such(
        "host-unknown",
        f"the graph has nodes on the host '{name}', which is not in this file",
        name,
        known,
        document.key_at("hosts"),
        before=f"an entry for each of the graph's hosts; there are {listing(known)}; found: ",
    )
