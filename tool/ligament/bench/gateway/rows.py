# SPDX-License-Identifier: Apache-2.0
"""Rows of `ligament bench gateway`."""

from __future__ import annotations

from typing import Any

from ligament.bench.gateway.options import READ_WORDS, Experiment, Shape
from ligament.bench.measuring import Row, make_row

NOTES = (
    "speedup: cycles over a software-mapped topic / cycles through a gateway, message by message;"
    " both of the same width, engines, bursts and memory",
    "path hw: from the publisher's first beat, or software's publish, to the last beat at the"
    " slowest core; path sw: to the end of the copy that the subscriber in software makes",
    "software true: durations of software are injected into the simulated time (composed timeline);"
    " false: they take no time, which leaves the hardware alone",
    "port_efficiency: beats moved / cycles in which the port was wanted, all messages",
    "cycles are deterministic: a spread is one between messages, not between runs",
)


def rows_of(
    shape: Shape, experiment: Experiment, smt: dict[str, Any], gateway: dict[str, Any]
) -> list[Row]:
    """Transfers, their ratios and the port's efficiency."""
    peer = peer_of(shape)
    common = {
        "publisher": experiment.publisher,
        "subscribers": shape.subscribers,
        "bytes": experiment.bytes,
        "width": shape.width,
        "read_latency": experiment.read_latency if shape.burst else 0,
        "software": experiment.software,
    }
    rows = []
    for path in ("hw", "sw"):
        params = {**common, "path": path}
        ratios = speedups(smt[path], gateway[path], published=shape.burst == 0)
        rows.append(make_row("gateway", params, "speedup", "1", ratios, peer))
        for transport, said in (("smt", smt), ("gateway", gateway)):
            of = {**params, "transport": transport}
            rows.append(make_row("gateway", of, "transfer", "cycles", said[path], peer))
    for transport, said in (("smt", smt), ("gateway", gateway)):
        if said["busy"]:
            share = (said["reads"] + said["writes"]) / said["busy"]
            of = {**common, "transport": transport}
            rows.append(make_row("gateway", of, "port_efficiency", "1", share, peer))
    return rows


def peer_of(shape: Shape) -> str:
    """Whose figures these are: ours, or those of a reading of the published design."""
    if shape.burst:
        return "ligament"
    return READ_WORDS[shape.read_words]


def speedups(smt: list[int], gateway: list[int], published: bool) -> list[float]:
    """Message by message; of the published design, whose polls are chance, that of the means."""
    if published:
        return [(sum(smt) / len(smt)) / (sum(gateway) / len(gateway))]
    return [s / g for s, g in zip(smt, gateway, strict=True)]
