# SPDX-License-Identifier: Apache-2.0
"""Advice in plain sentences on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import TYPE_CHECKING, Any

from ligament.advise.times import time_text

if TYPE_CHECKING:
    from ligament.advise.check import Checked


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
        # Of the replay: what the model leaves out is left out on both sides.
        change = line["p50"]["ns"] / chain["replayed_p50_ns"] - 1
        yield f"{head}: p50 {_figure(line['p50'])} ({change:+.1%}), p99 {_figure(line['p99'])}"
        yield f"     costs {line['cost']['text']}; based on {'; '.join(line['based_on'])}"
    if line["command"]:
        yield f"     try it: {line['command']}"


def checked_text(checked: Checked) -> str:
    """Predicted beside measured, and why a prediction missed."""
    if not checked.measured:
        return f"  {checked.name}: not run, as {checked.left_out}"
    lines = [f"  {checked.name}: {checked.text}"]
    for name in checked.measured:
        ours, theirs = (median(side[name]) for side in (checked.predicted, checked.measured))
        units = (time_text(ours), time_text(theirs))
        if name == "cycles":
            units = (f"{ours:,.0f}", f"{theirs:,.0f}")
        verdict = "missed" if checked.is_missed(name) else "as predicted"
        lines.append(
            f"     {name}: predicted {units[0]}, measured {units[1]}; off by "
            f"{checked.error(name):.1%}, {verdict}"
        )
    if any(checked.is_missed(name) for name in checked.measured):
        lines += [f"     why: {why}" for why in checked.why()]
    return "\n".join(lines)


def _figure(figure: dict[str, float]) -> str:
    low, high = time_text(figure["low_ns"]), time_text(figure["high_ns"])
    return f"{time_text(figure['ns'])} [{low}, {high}]"
