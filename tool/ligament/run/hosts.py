# SPDX-License-Identifier: Apache-2.0
"""The part of a graph that runs on this host, where the graph is spread over several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ligament.errors import InputError, Problem, listing, no_such
from ligament.mapping import GraphMapping, load_mapping


@dataclass(frozen=True)
class Share:
    """What is run here: containers by name as in build.json, and where the other nodes are."""

    containers: Mapping[str, Any]
    host: str = "local"
    elsewhere: Mapping[str, str] = field(default_factory=dict)

    @property
    def nodes(self) -> list[str]:
        """The nodes of this host."""
        return [node for container in self.containers.values() for node in container["nodes"]]


def mapping_of(build: Path) -> GraphMapping | None:
    """The mapping beside a build.json; None if that was moved away from it."""
    path = build.with_name("mapping.json")
    return load_mapping(path) if path.is_file() else None


def share_of(build: Mapping[str, Any], mapping: GraphMapping | None, host: str | None) -> Share:
    """What this host runs; raises InputError if it cannot be told which host this is."""
    hosts = mapping.hosts if mapping is not None else ()
    if host is None and not hosts:
        return Share(build["containers"])
    if host is None or mapping is None or host not in hosts:
        raise InputError(_unknown_host(build, hosts, host))
    places = {name: node.host or "" for name, node in mapping.nodes.items()}
    return Share(
        {
            name: container
            for name, container in build["containers"].items()
            if all(places.get(node) == host for node in container["nodes"])
        },
        host,
        {node: place for node, place in sorted(places.items()) if place != host},
    )


def _unknown_host(build: Mapping[str, Any], hosts: tuple[str, ...], host: str | None) -> Problem:
    name = build["graph"]
    if not hosts:
        return Problem(
            "host-unknown",
            f"--host {host}: the nodes of '{name}' name no hosts",
            hint="`host:` at the nodes in graph.yaml says which computer each runs on",
        )
    if host is None:
        return Problem(
            "host-missing",
            f"the graph '{name}' is spread over the hosts {listing(hosts)}",
            expected="--host NAME, to say which of them this is",
        )
    return no_such(
        "host-unknown",
        f"--host {host}: the graph '{name}' has no such host",
        host,
        hosts,
        before="one of ",
    )
