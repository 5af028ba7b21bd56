# SPDX-License-Identifier: Apache-2.0
"""A container's configuration (spec/run/container.schema.json), as far as Python needs it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ligament.python_container.faults import Refused

SCHEMA = "ligament/container/1"


@dataclass(frozen=True)
class NodeConfig:
    """One node: its class, and what the graph says of it."""

    id: str
    name: str
    namespace: str
    library: str
    class_name: str
    remap: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    parameter_types: Mapping[str, str] = field(default_factory=dict)
    qos: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    parameter_rules: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class ContainerConfig:
    """All nodes of the process, and what it is called."""

    container: str
    log_level: str
    nodes: tuple[NodeConfig, ...]
    rings: Mapping[str, int]
    """Samples that publishers of a topic keep, where that is more than they ask for."""
    threads: int = 1


def read_config(path: Path) -> ContainerConfig:
    """Read a configuration; raises with what is wrong in it."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Refused(f"cannot read the configuration {path}: {error}") from error
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise Refused(f"{path} is no container's configuration (schema: {SCHEMA})")
    try:
        return ContainerConfig(
            data["container"],
            data.get("log_level", "info"),
            tuple(_node(entry) for entry in data["nodes"]),
            {t: topic["ring"] for t, topic in data["topics"].items() if "ring" in topic},
            data.get("executor_threads", 1),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise Refused(f"{path}: {type(error).__name__} {error}; it is generated, so build again") \
            from error  # fmt: skip


def _node(data: Mapping[str, Any]) -> NodeConfig:
    return NodeConfig(
        data["id"],
        data["name"],
        data["namespace"],
        data["library"],
        data["class"],
        data.get("remap", {}),
        data.get("parameters", {}),
        data.get("parameter_types", {}),
        data.get("qos", {}),
        data.get("parameter_rules", {}),
    )
