# SPDX-License-Identifier: Apache-2.0
"""Nodes, streams and topics in hardware: what their designs counted, and the cells they take.

Counts are of the last status line of each life of a container, added up; cells are those of the
synthesis in build.json, if there was one of the sources as they were built.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ligament.report.limits import limits_of
from ligament.report.tables import count_of, entries_of, lives_of

_COUNTS = ("messages", "refused", "left", "cycles")
_SUMMED = ("frames", "beats", "stalls", "gaps", "drops")


def hardware_of(status: Path, build: Path) -> dict[str, Any]:
    """`hardware` of a variant's entry, under that key; empty where no node is in hardware."""
    nodes: dict[str, dict[str, Any]] = {}
    topics: dict[str, dict[str, Any]] = {}
    for life in lives_of(status):
        for node in entries_of(life.last, "nodes"):
            if isinstance(told := node.get("hardware"), dict):
                _add_node(nodes, str(node.get("id")), told)
                for network in entries_of(told, "networks"):
                    _add_topic(topics, network)
    if not nodes:
        return {}
    area = _area(build)
    return {
        "hardware": {
            "nodes": [nodes[name] for name in sorted(nodes)],
            "topics": [topics[name] for name in sorted(topics)],
            **limits_of(status),
            **({"area": area} if area else {}),
        }
    }


def clock_of(variant: Mapping[str, Any]) -> float | None:
    """The clock of a variant's designs, in hertz, as its spans tell it."""
    told = (row for row in variant["span_values"] if row["value"] == "clock_hz")
    return max((row["p50"] for row in told), default=None)


def _add_node(nodes: dict[str, dict[str, Any]], name: str, told: Mapping[str, Any]) -> None:
    row = nodes.setdefault(name, {"node": name, **dict.fromkeys(_COUNTS, 0), "isolated": False})
    for what in _COUNTS:
        row[what] += count_of(told, what)
    row["isolated"] = told.get("isolated") is True


def _add_topic(topics: dict[str, dict[str, Any]], told: Mapping[str, Any]) -> None:
    name = str(told.get("topic"))
    row = topics.setdefault(name, {"topic": name, **dict.fromkeys(_SUMMED, 0), "peak_beats": 0})
    for what in _SUMMED:
        row[what] += count_of(told, what)
    row["peak_beats"] = max(row["peak_beats"], count_of(told, "peak_beats"))


def _area(build: Path) -> dict[str, Any]:
    """Cells per part of the designs, their sum, and the device's budget; empty: not known."""
    try:
        synthesis = json.loads(build.read_text(encoding="utf-8")).get("synthesis")
    except (OSError, ValueError):
        return {}
    if not synthesis:
        return {}
    parts = [
        {"part": part, "of": design.get("whose", {}).get(part, design["name"]), **_cells(cells)}
        for design in synthesis["designs"]
        for part, cells in design["parts"].items()
    ]
    rows = [*parts, {"part": "all", "of": synthesis["device"], **_cells(synthesis["total"])}]
    if synthesis["budgets"]:
        rows.append({"part": "budget", "of": synthesis["device"], **_cells(synthesis["budgets"])})
    return {"family": synthesis["family"], "rows": rows}


def _cells(cells: Mapping[str, float]) -> dict[str, float | None]:
    return {name: cells.get(name) for name in ("lut", "ff", "bram18", "dsp")}
