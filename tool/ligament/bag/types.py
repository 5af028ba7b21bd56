# SPDX-License-Identifier: Apache-2.0
"""Definitions of message types for a recording: those of ROS 2, and of users' own packages."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ligament.artefacts import read_json_object
from ligament.errors import InputError, Problem, listing
from ligament.messages import load_store, type_hash
from ligament.messages.text import definition_text
from ligament.run.lock import is_running


@dataclass(frozen=True)
class Known:
    """Where types are from: a distribution of ROS 2, and users' packages."""

    distro: str = "jazzy"
    packages: tuple[Path, ...] = ()

    def text(self, more: Iterable[Path] = ()) -> str:
        """What `ligament-bag --types` reads: each type's hash and definition."""
        store = load_store(self.distro, [*self.packages, *more])
        types = {
            message.name: {
                "hash": f"RIHS01_{type_hash(store, message.name).hex()}",
                "definition": definition_text(store, message.name),
            }
            for message in store
        }
        return json.dumps(types)


def _running(out: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Each run.json below `out` that says it runs, and what it holds."""
    for path in out.glob("*/*/runs/*/run.json"):
        run = read_json_object(path)
        if run.get("state") == "running":
            yield path, run


def graphs_of_runs(out: Path, domain: str | None) -> Iterator[dict[str, Any]]:
    """The graph.json of what runs below `out`; with a domain, only what runs in it."""
    for path, run in _running(out):
        if domain in (None, run.get("domain")):
            yield read_json_object(path.parents[3] / "graph.json")


def domain_of_run(out: Path, graph: str) -> str | None:
    """The domain of a graph that runs below `out`; one with ROS 2 nodes is in that of ROS 2."""
    named = {str(run["domain"]) for _, run in _running(out) if run.get("graph") == graph}
    found = sorted(domain for domain in named if is_running(graph, domain))
    if len(found) > 1:
        raise InputError(
            Problem(
                "which-run",
                f"graph '{graph}' runs in the domains {listing(found)}",
                expected="the name of one of these domains",
            )
        )
    return found[0] if found else None


def known_of_runs(out: Path, domain: str | None) -> Known:
    """What the graphs that run below `out` use, or the one in a domain: it needs no option."""
    found: set[Path] = set()
    distro = Known.distro
    for graph in graphs_of_runs(out, domain):
        distro = graph.get("distro", distro)
        packages = graph.get("message_packages", {})
        found.update(Path(p) for p in packages.values() if Path(p).is_dir())
    return Known(distro, tuple(sorted(found)))
