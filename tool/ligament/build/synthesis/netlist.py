# SPDX-License-Identifier: Apache-2.0
"""What a synthesised netlist is made of, part by part (Yosys's write_json)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

Modules = Mapping[str, Mapping[str, Any]]


def cells_of(modules: Modules, module: str) -> Counter[str]:
    """Return the cells of a module with all that is in it, by type."""
    found: Counter[str] = Counter()
    for cell in modules[module]["cells"].values():
        kind = cell["type"]
        if _is_inside(modules, kind):
            found += cells_of(modules, kind)
        else:
            found[kind] += 1
    return found


def parts_of(modules: Modules, top: str) -> dict[str, Counter[str]]:
    """Return the cells of each module that the top holds, by the name of its instance.

    What the top itself has beside them is under its own name.
    """
    parts: dict[str, Counter[str]] = {}
    own: Counter[str] = Counter()
    for name, cell in modules[top]["cells"].items():
        if _is_inside(modules, cell["type"]):
            parts[name] = cells_of(modules, cell["type"])
        else:
            own[cell["type"]] += 1
    return {**({top: own} if own or not parts else {}), **dict(sorted(parts.items()))}


def _is_inside(modules: Modules, kind: str) -> bool:
    """Whether a cell is a module of the design, and not one of the family's own cells."""
    return kind in modules and not modules[kind].get("attributes", {}).get("blackbox")
