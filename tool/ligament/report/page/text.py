# SPDX-License-Identifier: Apache-2.0
"""How a figure of report.json reads on the page. The unrounded figure is beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

NONE = "–"


def look_up(document: Any, path: str) -> Any:
    """The value at `variants/0/latency_ns/p50`; None where a step of the way is missing."""
    value = document
    for step in path.split("/"):
        if isinstance(value, Mapping):
            value = value.get(step)
        elif isinstance(value, Sequence) and not isinstance(value, str) and step.isdigit():
            value = value[int(step)] if int(step) < len(value) else None
        else:
            return None
    return value


def text_of(value: Any, kind: str) -> str:
    """A figure in the form that its kind has."""
    if value is None:
        return NONE
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ", ".join(str(part) for part in value)
    return _FORMS[kind](value)


def duration(value_ns: float) -> str:
    """A time with three or four digits in the unit that suits it."""
    units = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"))
    return _scaled(value_ns, units) or f"{_digits(value_ns)} ns"


def _scaled(value: float, units: Sequence[tuple[float, str]]) -> str:
    """In the first unit that there is one of; empty where there is none."""
    found = next((unit for unit in units if abs(value) >= unit[0]), None)
    return f"{_digits(value / found[0])} {found[1]}" if found else ""


def _digits(value: float) -> str:
    if abs(value) >= 100 or value == int(value):
        return f"{value:.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def _size(value: float) -> str:
    return _scaled(value, ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))) or f"{value:.0f} B"


def _energy(value_j: float) -> str:
    units = ((1.0, "J"), (1e-3, "mJ"), (1e-6, "µJ"))
    return _scaled(value_j, units) or f"{_digits(value_j * 1e9)} nJ"


_FORMS: dict[str, Callable[[Any], str]] = {
    "time": duration,
    "count": lambda value: f"{value:,.0f}".replace(",", "\u202f"),
    "share": lambda value: f"{value * 100:.2f} %",
    "clock": lambda value: f"{value / 1e6:g} MHz",
    "rate": lambda value: f"{_digits(value)} Hz",
    "size": _size,
    "ratio": lambda value: f"× {value:.3f}",
    "number": lambda value: f"{value:.2f}",
    "energy": _energy,
    "text": str,
}
