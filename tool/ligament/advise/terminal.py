# SPDX-License-Identifier: Apache-2.0
"""Advice in plain sentences on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def advice_text(data: dict[str, Any]) -> str:
    """The whole answer: what holds the chain back, then each change with its command."""
    chain = data["chain"]
    lines = [
        f"{data['graph']}/{data['variant']}: {chain['frames']} messages along {chain['id']}",
        f"  p50 {time_text(chain['p50_ns'])}, p99 {time_text(chain['p99_ns'])}; a replay of the "
        f"run gives {time_text(chain['replayed_p50_ns'])} and "
        f"{time_text(chain['replayed_p99_ns'])}",
        *(f"warning: {text}" for text in data["warnings"]),
        "",
        "What holds it back:",
        *(f"  - {text}" for text in data["holds"]),
        "",
        "What would change it:",
    ]
    for number, line in enumerate(data["changes"], 1):
        lines += _change(number, line, chain)
    return "\n".join(lines)


def _change(number: int, line: dict[str, Any], chain: dict[str, Any]) -> Iterator[str]:
    head = f"  {number}. {line['text']}"
    if line["p50"] is None:
        yield f"{head}: not predicted, as {line['unpredicted']}"
    else:
        change = line["p50"]["ns"] / chain["p50_ns"] - 1
        yield f"{head}: p50 {_figure(line['p50'])} ({change:+.1%}), p99 {_figure(line['p99'])}"
        yield f"     costs {line['cost']['text']}; based on {'; '.join(line['based_on'])}"
    if line["command"]:
        yield f"     try it: {line['command']}"


def _figure(figure: dict[str, float]) -> str:
    low, high = time_text(figure["low_ns"]), time_text(figure["high_ns"])
    return f"{time_text(figure['ns'])} [{low}, {high}]"


def time_text(value: float) -> str:
    """A time with three digits and its unit."""
    for limit, factor, unit in ((1e9, 1e-9, "s"), (1e6, 1e-6, "ms"), (1e3, 1e-3, "us")):
        if value >= limit:
            return f"{value * factor:.3g} {unit}"
    return f"{value:.0f} ns"
