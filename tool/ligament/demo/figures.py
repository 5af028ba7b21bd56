# SPDX-License-Identifier: Apache-2.0
"""The demo's own figures: overhead above the floor when paced, our kernels beside the bare ones."""

from __future__ import annotations

from typing import Any

from ligament.report.hardware import clock_of

GOAL = 0.05
"""Message passing's share of the chain: less than this, fast and (above the floor) paced."""
SOFTWARE = "processes"
PUBLISHED_OFFLOADED = -0.0622
PUBLISHED: dict[str, float | None] = {
    "fpga_offloaded": PUBLISHED_OFFLOADED,
    "fpga_streamed": -0.2442,
    "fpga_wide": None,
    "fpga_widest": None,
    "fpga_fused": -0.2696,
}
"""Change of the chain's latency against software, as published: one board, 250 MHz, wall time.

None: nobody published such a way.
"""


def paced_entry(variant: dict[str, Any], floors: list[dict[str, Any]]) -> dict[str, Any]:
    """Message passing of a paced run above what the machine charges for its wake-ups.

    Medians: one scheduling accident of a millisecond would rule the mean of 300 frames.
    """
    wakes = sum(hop["wakes"] for hop in variant["hops"])
    floor_ns = sum(row["p50"] for row in floors) / len(floors)
    latency, passing = variant["latency_ns"], variant["message_passing_ns"]
    above = passing["p50"] - wakes * floor_ns if passing else None
    return {
        "name": variant["name"],
        "run_dir": variant["run_dir"],
        "frames": variant["frames"],
        "equal": variant["equal"],
        "equality": variant["equality"],
        "latency_ns": latency,
        "message_passing_ns": passing,
        "wakes": wakes,
        "floor_ns": floor_ns,
        "floors": floors,
        "overhead": above / latency["p50"] if above is not None and latency["p50"] else None,
        "drops": variant["drops"],
        "lost_events": variant["lost_events"],
    }


def unpinned_entry(
    variant: dict[str, Any], pinned: dict[str, Any], wakes: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    """A run on any core beside that on one: what its wake-ups explain of the difference.

    `pinned`: the same variant's entry of the run on one core; `wakes`: the bare wake-up's rows.
    """
    entry = paced_entry(variant, [wakes["unpinned"]])
    passing, before = entry["message_passing_ns"], pinned["message_passing_ns"]
    dearer = wakes["unpinned"]["p50"] - wakes["pinned"]["p50"]
    return entry | {
        "message_passing": variant["message_passing"],
        "pinned_message_passing": pinned["message_passing"],
        "pinned_latency_ns": pinned["latency_ns"],
        "more_ns": passing["p50"] - before["p50"] if passing and before else None,
        "more_by_wakes_ns": entry["wakes"] * dearer,
    }


def hardware_entry(variant: dict[str, Any]) -> dict[str, Any]:
    """What a variant's designs took, in modelled cycles; the simulator's own time is in neither.

    Cycles differ a little between frames, as memory does: a message may begin anywhere in a beat.
    """
    told = {(v["node"], v["value"]): v for v in variant["span_values"]}
    cycles = {node: row for (node, value), row in told.items() if value == "cycles"}
    kept = ("name", "run_dir", "frames", "equal", "equality", "latency_ns", "message_passing")
    return {
        **{name: variant[name] for name in kept},
        "time_base": variant["time_base"],
        "wall_latency_ns": variant.get("wall_latency_ns"),
        **({"hardware": variant["hardware"]} if "hardware" in variant else {}),
        "cycles": {
            node: {k: row[k] for k in ("n", "p50", "min", "max")} for node, row in cycles.items()
        },
        "cycles_per_frame": sum(row["p50"] for row in cycles.values()),
        "clock_hz": clock_of(variant),
    }


def filters_entry(variant: dict[str, Any]) -> dict[str, Any]:
    """Of the graph with all kernels for GPUs: whether they are equal, and who ran them."""
    kept = ("name", "run_dir", "frames", "equal", "equality", "latency_ns", "time_base")
    devices = {span.get("device") for span in variant["spans"]} - {None}
    return {
        **{name: variant[name] for name in kept},
        "message_passing": variant["message_passing"],
        "devices": sorted(devices),
    }


def four_ways(report: dict[str, Any]) -> list[dict[str, Any]]:
    """The published comparison: each way's change of the median latency, at each clock.

    `change` is against software as fast as it goes, and `change_paced` against software at a
    camera's rate, whose caches and memory cool down between two frames as those beside the
    simulated FPGA do; `over_offloaded` is against the two nodes over memory, at the same clock.
    Software differs between computers. Published are means; of a few frames an
    accident of scheduling would rule the mean.
    """
    software = _latency_of_software(report["variants"])
    paced = _latency_of_software(report.get("paced", {}).get("variants", []))
    entries = [
        entry
        for entry in report.get("hardware", {}).get("variants", [])
        if entry["name"] in PUBLISHED and entry["latency_ns"]
    ]
    if software is None:
        return []
    chains = {(e["name"], e["clock_hz"]): e["latency_ns"]["p50"] for e in entries}
    ways = []
    for (name, clock), chain in chains.items():
        offloaded = chains.get(("fpga_offloaded", clock))
        published = PUBLISHED[name]
        over = None if published is None else (1 + published) / (1 + PUBLISHED_OFFLOADED) - 1
        ways.append(
            {
                "name": name,
                "clock_hz": clock,
                "chain_ns": chain,
                "change": chain / software - 1,
                "change_paced": chain / paced - 1 if paced else None,
                "over_offloaded": chain / offloaded - 1 if offloaded else None,
                "published": published,
                "published_over_offloaded": over,
            }
        )
    return ways


def _latency_of_software(variants: list[dict[str, Any]]) -> float | None:
    """Median in ns, where it ran and any frame came to its end."""
    software = next((v for v in variants if v["name"] == SOFTWARE), None)
    return software["latency_ns"]["p50"] if software and software["latency_ns"] else None


def kernel_entries(
    variants: list[dict[str, Any]], bare: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """All compute spans of each variant's chain beside the bare calls, per frame.

    A kernel that ran for few frames (a table that is made once) counts by how often it ran.
    """
    together = bare[-1]
    entries = []
    for variant in variants:
        spans = [s for s in variant["spans"] if s["category"] == "compute"]
        most = max((span["time_ns"]["n"] for span in spans), default=1)
        ours = sum(span["time_ns"]["p50"] * span["time_ns"]["n"] / most for span in spans)
        entries.append(
            {
                "variant": variant["name"],
                "spans": [f"{span['node']} {span['span']}" for span in spans],
                "ours_p50_ns": ours,
                "bare_p50_ns": together["p50"],
                "ratio": ours / together["p50"] if together["p50"] else None,
            }
        )
    return entries
