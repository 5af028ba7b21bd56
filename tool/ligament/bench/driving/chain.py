# SPDX-License-Identifier: Apache-2.0
"""Part `chain`: chain alpha of each variant, on the drawn road, and beside the simulator."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ligament.bench.driving.alpha import NODES, Alpha, alpha_of, rows_of
from ligament.bench.driving.peers import measure_peers
from ligament.bench.driving.running import LANES, ROAD, build_of, need_simulator, run_of
from ligament.bench.floor import measure_floor
from ligament.bench.measuring import Measured, Row, comparison, in_turn, make_row, say
from ligament.errors import FailureError
from ligament.report.database import open_events
from ligament.report.options import WARM_UP_FRAMES
from ligament.report.statistics import summarise
from ligament.report.tables import Life, count_of, entries_of, lives_of
from ligament.trace.stage import trace_run

#: Of examples/driving/road.yaml; the first is what the others are compared with.
VARIANTS = ("processes", "one_process", "dds")
#: As the papers repeat it.
FRAMES, QUICK_FRAMES = 1000, 100
PASSES, QUICK_PASSES = 3, 1
#: Of a pass in which more than one image was on its way.
TRIES = 3
PUBLISHED = "published"
#: Of the floor: about as often as the road sends an image, so that both ends have slept as long.
WAKES_HZ, WAKES, QUICK_WAKES = 80.0, 1600, 160
#: Of the simulator, in simulated time: about as many frames at 30 Hz.
BESIDE_S, QUICK_BESIDE_S = 34.0, 5.0


def measure_chain(quick: bool, result: Measured) -> None:
    """All variants in turn on the drawn road; then two of them beside the simulator."""
    on_the_road(quick, result)
    result.notes += first_to_accelerate(result.rows)
    with result.attempt("rclpy nodes"):
        measure_peers((QUICK_FRAMES if quick else FRAMES) + WARM_UP_FRAMES, result)
    with result.attempt("beside the simulator"):
        need_simulator()
        for variant in VARIANTS[:2]:
            say("driving", f"{variant} beside the simulator")
            result.rows += _beside(variant, QUICK_BESIDE_S if quick else BESIDE_S)


def on_the_road(quick: bool, result: Measured) -> None:
    """Each pass has all variants, beginning with another one."""
    frames = (QUICK_FRAMES if quick else FRAMES) + WARM_UP_FRAMES
    passes = QUICK_PASSES if quick else PASSES
    builds = {}
    for variant in VARIANTS:
        say("driving", f"building {variant}")
        with result.attempt(f"variant {variant}"):
            builds[variant] = build_of(ROAD, variant)
    alphas: dict[str, list[Alpha]] = {variant: [] for variant in builds}
    cpu: dict[str, list[Row]] = {}
    for number in range(passes):
        for variant in in_turn(list(builds), number):
            say("driving", f"pass {number + 1}/{passes}: {variant}, {frames} frames")
            with result.attempt(f"pass {number + 1}, {variant}"):
                alpha, cpu[variant] = one_in_flight(
                    partial(_on_the_road, builds[variant], variant, frames)
                )
                alphas[variant].append(alpha)
                result.notes += overlap_notes(variant, alpha)
    for variant, found in alphas.items():
        if found:
            result.rows += [*rows_of(found, _params(variant, "road")), *cpu[variant]]
    compare(alphas, result)
    with result.attempt("bare wake-ups"):
        wake = measure_floor(WAKES_HZ, QUICK_WAKES if quick else WAKES)["p50"]
        result.rows += floor_of(wake, result.rows)


def floor_of(wake_ns: float, rows: Sequence[Row]) -> list[Row]:
    """The least share of message passing in separate processes: a bare wake-up between two nodes.

    `wake_ns`: its median of this run. It is divided by the chain's median over shared memory.
    """
    params = _params(VARIANTS[0], "road")
    found = [r["p50"] for r in rows if r["metric"] == "chain" and r["params"] == params]
    share = [(len(NODES) - 1) * wake_ns / chain for chain in found]
    return [make_row("driving", params, "passing_share", "1", one, "futex") for one in share]


def one_in_flight(run: Callable[[], tuple[Alpha, list[Row]]]) -> tuple[Alpha, list[Row]]:
    """Run again where images overlapped, which begins by chance and then stays until the end."""
    found = run()
    for _ in range(TRIES - 1):
        if found[0].overlaps <= len(found[0].total) // 100:
            break
        found = run()
    return found


def overlap_notes(variant: str, alpha: Alpha) -> list[str]:
    """A sentence where more than one image was on its way: then nodes wait for each other.

    The drawn road sends the next image after half a second without a command.
    """
    if not alpha.overlaps:
        return []
    return [
        f"{variant}: {alpha.overlaps} of {len(alpha.total)} images were sent before the command to "
        "the one before; the machine was busy with something else"
    ]


def first_to_accelerate(rows: Sequence[Row]) -> list[str]:
    """A sentence: who computes longest in chain alpha over shared memory."""
    own = [r for r in rows if r["params"].get("variant") == VARIANTS[0]]
    nodes = {r["params"]["node"]: r["mean"] for r in own if r["metric"] == "compute"}
    if not nodes:
        return []
    node = max(nodes, key=lambda name: nodes[name])
    chain = next(r["mean"] for r in own if r["metric"] == "chain")
    return [
        f"accelerate {node} first: it computes {nodes[node] / 1e6:.2f} of the {chain / 1e6:.2f} ms "
        f"of chain alpha (`{VARIANTS[0]}`, road, means)"
    ]


def compare(alphas: Mapping[str, list[Alpha]], result: Measured) -> None:
    """How many times as long as over `shm` the chain takes over `dds`, pass by pass."""
    medians = {name: [summarise(a.total)["p50"] for a in of] for name, of in alphas.items()}
    ours, theirs = medians.get("processes", []), medians.get("dds", [])
    if ours and len(ours) == len(theirs):
        params = {"images": "road"}
        ratios = [other / own for own, other in zip(ours, theirs, strict=True)]
        result.rows.append(make_row("driving", params, "speed_up", "1", ratios))
        pairs = list(zip(theirs, ours, strict=True))
        result.comparisons += comparison(params, "speed_up", "processes", pairs, contestant="dds")


def _params(variant: str, images: str) -> dict[str, Any]:
    return {"variant": variant, "images": images}


def _on_the_road(build: Path, variant: str, frames: int) -> tuple[Alpha, list[Row]]:
    request = {
        "trace": "ligament",
        "until": ("/camera",),
        "parameters": {"/camera": {"frames": frames}},
    }
    with run_of(build, request) as finished:
        if finished.exit_code != 0:
            raise FailureError(f"it did not finish: {finished.data['reason']}")
        alpha = _alpha(finished.path.parent)
        return alpha, cpu_rows(finished.path.parent, _params(variant, "road"))


def _beside(variant: str, seconds: float) -> list[Row]:
    """Lock step: image, command, next image; so the rate is what both together can do."""
    parameters = {"laps": 1000, "seconds": seconds, "animation": 0, "reply_timeout_s": 60.0}
    request = {"trace": "ligament", "parameters": {"/simulator": parameters}}
    params = _params(variant, "simulator")
    with run_of(build_of(LANES, variant), request) as finished:
        folder = finished.path.parent
        alpha = _alpha(folder)
        rows = [*rows_of([alpha], params), *cpu_rows(folder, params)]
    if alpha.rate_hz:
        rows.append(make_row("driving", params, "frames_per_s", "frames/s", alpha.rate_hz))
    return rows


def _alpha(folder: Path) -> Alpha:
    trace_run(folder)
    return alpha_of(open_events(folder / "events.parquet"))


def cpu_rows(folder: Path, params: Mapping[str, Any]) -> list[Row]:
    """CPU time of each node per frame, between the first and the last status line of its process.

    So what starting cost is left out. A run of less than two lines has no row. And how many frames
    per second the time of all cores allows, if none of them ever waited.
    """
    lives = [life for life in lives_of(folder / "status.jsonl") if life.elapsed_ns > 0]
    rates = {name: rate for life in lives for name, rate in _rates(life, "cpu_ns").items()}
    frames = {name: rate for life in lives for name, rate in _rates(life, PUBLISHED).items()}
    frames_per_ns = frames.get(NODES[0], 0.0)
    if not frames_per_ns:
        return []
    cores = len(os.sched_getaffinity(0))
    possible = cores * 1e9 / (sum(rates.values()) / frames_per_ns)
    return [
        *(
            make_row("driving", {**params, "node": node}, "cpu", "ns", rate / frames_per_ns)
            for node, rate in sorted(rates.items())
        ),
        make_row("driving", params, "frames_by_cpu", "frames/s", possible),
    ]


def _rates(life: Life, what: str) -> dict[str, float]:
    """How much a count of each node of a process grew, per nanosecond."""
    first, last = (
        {str(node.get("id")): _count(node, what) for node in entries_of(line, "nodes")}
        for line in (life.first, life.last)
    )
    return {name: (last[name] - first.get(name, 0)) / life.elapsed_ns for name in last}


def _count(node: dict[str, Any], what: str) -> int:
    if what == PUBLISHED:
        return sum(count_of(one, what) for one in entries_of(node, "publishers"))
    return count_of(node, what)
