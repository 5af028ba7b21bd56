# SPDX-License-Identifier: Apache-2.0
"""Definitions of message types for a recording: those of ROS 2, and of users' own packages."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from ligament.artefacts import read_json_object
from ligament.messages import load_store, type_hash
from ligament.messages.text import definition_text


def types_text(packages: Iterable[Path], distro: str = "jazzy") -> str:
    """What `ligament-bag --types` reads: each type's hash and definition."""
    store = load_store(distro, packages)
    types = {
        message.name: {
            "hash": f"RIHS01_{type_hash(store, message.name).hex()}",
            "definition": definition_text(store, message.name),
        }
        for message in store
    }
    return json.dumps(types)


def packages_of_runs(out: Path) -> list[Path]:
    """The message packages of the graphs that run below `out`: their types need no option."""
    found: set[Path] = set()
    for run in out.glob("*/*/runs/*/run.json"):
        if read_json_object(run).get("state") == "running":
            graph = read_json_object(run.parents[3] / "graph.json")
            packages = graph.get("message_packages", {})
            found.update(Path(p) for p in packages.values() if Path(p).is_dir())
    return sorted(found)
