# SPDX-License-Identifier: Apache-2.0
"""Figures as people read them: three digits and a unit."""

from __future__ import annotations

from collections.abc import Sequence

_NS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
_STEPS = ((1e9, "G"), (1e6, "M"), (1e3, "k"))


def value_text(value: float, unit: str) -> str:
    """`9.48 us`, `52.1 kB`, `3.1 %`, `1.08`, `393,220 cycles`."""
    if unit in _NS:
        return time_text(value * _NS[unit])
    if unit in ("%", "percent", "share"):
        value *= 100 if unit == "share" else 1
        return f"{value:,.0f} %" if abs(value) >= 1000 else f"{value:.3g} %"
    if unit in ("1", "ratio"):
        whole = value == 0 or (float(value).is_integer() and value >= 10)
        return f"{value:,.0f}" if whole else f"{value:.2f}" if abs(value) < 10 else f"{value:.3g}"
    if unit in ("cycles", "kills", "executions", "instructions"):
        return f"{value:,.0f} {unit}"
    if unit == "beats/cycle":
        return f"{value:.4g} {unit}"
    return f"{_stepped(value)}{'B' if unit == 'bytes' else unit}"


def time_text(ns: float) -> str:
    """Three digits with the unit in which they can be read."""
    return _stepped(ns, ((1e9, "s"), (1e6, "ms"), (1e3, "us")), "ns")


def size_text(count: int) -> str:
    """64 B, 4 kB, 10 MB: of powers of two where it is one, else of ten."""
    for step in (1 << 10, 1000):
        for unit, text in ((step**2, "MB"), (step, "kB")):
            if count >= unit and count % unit == 0:
                return f"{count // unit} {text}"
    return f"{_stepped(count)}B"


def factor_text(value: float) -> str:
    """Two or three digits: 1/535, 0.54, 14.8, 126k."""
    for size, suffix in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{suffix}"
    if value >= 0.1:
        return f"{value:.2f}" if value < 10 else f"{value:.3g}"
    return f"1/{factor_text(float(f'{1 / value:.2g}'))}" if value > 0 else "0"


def _stepped(value: float, steps: Sequence[tuple[float, str]] = _STEPS, below: str = "") -> str:
    """`52.1 k`, to which the unit is appended."""
    for size, letter in steps:
        if abs(value) >= size:
            return f"{value / size:.3g} {letter}"
    return f"{value:.3g} {below}"
