# SPDX-License-Identifier: Apache-2.0
"""Parts `versions` and `slam`: the published versions of the driving graphs, in closed loop.

Nodes in hardware over topics in software, and topics in hardware, beside software over DDS, which
part `chain` measures on an idle machine: its kept result is taken. And the dataflow: how many
cycles a frame takes when several are on their way, beside the slowest core. With SLAM, topic /A is
in shared memory alone, or has a gateway.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ligament.bench.driving.closed import WARM_UP, Closed, closed_of, periods_of, stages_of
from ligament.bench.driving.goals import BASE, GATEWAY, NODES_IN, STANDARD, TOPICS_IN
from ligament.bench.driving.running import ROAD, SLAM, build_of, need_simulator, run_of
from ligament.bench.goals import Row
from ligament.bench.measuring import OURS, REPOSITORY, Measured, make_row, say
from ligament.errors import FailureError
from ligament.report.counters import status_events
from ligament.report.database import open_events
from ligament.report.limits import limits_of
from ligament.report.statistics import summarise
from ligament.run.graph_run import FinishedRun
from ligament.trace.stage import trace_run

PLATFORM = "fpga_sim"
#: How many frames of images of 640x480 a simulated FPGA has the time for; cycles repeat.
FRAMES, QUICK_FRAMES = 8, 2
SOFTWARE = REPOSITORY / "benchmarks" / "results" / "driving.json"
RATE_HZ = 30
#: Of the variant `hardware_dataflow`; a run has whole batches of them.
IN_FLIGHT = 4
#: The chain's last core that gets pictures: a frame has left the chain's long part with it.
LAST_OF_PICTURES = "/lane_following"
_PATIENT_S = 600.0


@dataclass(frozen=True)
class Version:
    """One of those that were published, or ours beside them."""

    name: str
    graph: Path
    variant: str
    #: The version whose chain is that many times as long; empty: it is the first of its graph.
    over: str = ""


VERSIONS = (
    Version(NODES_IN, ROAD, "hardware_nodes", BASE),
    Version(TOPICS_IN, ROAD, "hardware_topics", BASE),
    Version(STANDARD, SLAM, "hardware"),
    Version(GATEWAY, SLAM, "hardware_gateway", STANDARD),
)


def measure_versions(quick: bool, result: Measured) -> None:
    """Those of the graph without SLAM, then the dataflow."""
    with result.attempt(BASE):
        kept = json.loads(SOFTWARE.read_text(encoding="utf-8"))
        result.notes.append(f"{BASE}: of {SOFTWARE.name}, commit {kept['context']['commit']}")
        _measure_all(ROAD, quick, result, {BASE: software_ns(kept["rows"])})
    with result.attempt("dataflow"):
        say("driving", "version: dataflow")
        _measure_dataflow(quick, result)


def measure_slam(quick: bool, result: Measured) -> None:
    """Those of the graph with SLAM, beside the simulator."""
    _measure_all(SLAM, quick, result, {})


def software_ns(rows: Sequence[Row]) -> float:
    """Median of chain alpha of software over DDS, on the drawn road."""
    for row in rows:
        where = row["params"].get("variant"), row["params"].get("images")
        if (row["metric"], row["peer"], *where) == ("chain", OURS, "dds", "road"):
            return float(row["p50"])
    raise FailureError(
        f"{SOFTWARE.name} has no chain of the variant dds",
        hint="ligament bench driving --only chain --json benchmarks/results/driving.json",
    )


def _measure_all(graph: Path, quick: bool, result: Measured, medians: dict[str, float]) -> None:
    """What cannot be measured costs its own rows alone. `medians`: chains that are known, in ns.

    Ratios are of the hardware's own time: what the host adds depends on how busy it is.
    """
    commands: dict[str, Any] = {}
    for version in [one for one in VERSIONS if one.graph == graph]:
        say("driving", f"version: {version.name}")
        with result.attempt(version.name):
            found = _measure(version, quick, result, commands)
            medians[version.name] = float(np.median(found.hardware_ns))
            if version.over in medians:
                params = {"version": version.name, "over": version.over}
                ratio = medians[version.over] / medians[version.name]
                result.rows.append(make_row("driving", params, "version_speed_up", "1", ratio))


def _measure(version: Version, quick: bool, result: Measured, commands: dict[str, Any]) -> Closed:
    with _run_of(version, quick) as finished:
        folder = _traced(finished)
        found = closed_of(open_events(folder / "events.parquet"))
        if version.graph == SLAM:
            commands[version.name] = _commands(folder)
            _require_same(commands)
        params = {"version": version.name}
        result.rows.append(
            make_row("driving", params, "version_chain", "ns", summarise(found.total))
        )
        result.rows.append(
            make_row("driving", params, "version_cycles", "cycles", summarise(found.cycles))
        )
        rate = 1e9 / float(np.mean(found.simulated_ns))
        result.rows.append(make_row("driving", params, "version_simulated", "frames/s", rate))
        result.notes += [f"{version.name}: {text}" for text in _limits(folder)]
        if version.name == TOPICS_IN:
            result.rows += stage_rows(folder)
        if found.skipped:
            result.notes.append(
                f"{version.name}: {found.skipped} images had not one command before the next"
            )
        return found


def _run_of(version: Version, quick: bool) -> Any:
    frames = WARM_UP + (QUICK_FRAMES if quick else FRAMES)
    if version.graph == ROAD:
        build = build_of(ROAD, version.variant, PLATFORM)
        return run_of(build, _on_the_road(frames))
    need_simulator()
    build = build_of(SLAM, version.variant, PLATFORM)
    parameters = {
        "laps": 1000, "seconds": frames / RATE_HZ, "animation": 0, "slam": True,
        "reply_timeout_s": _PATIENT_S, "start_timeout_s": _PATIENT_S,
    }  # fmt: skip
    return run_of(build, {"trace": "ligament", "parameters": {"/simulator": parameters}})


def _traced(finished: FinishedRun) -> Path:
    """The run's folder, with its event table."""
    if finished.exit_code != 0:
        raise FailureError(f"it did not finish: {finished.data['reason']}")
    trace_run(finished.path.parent)
    return finished.path.parent


def _on_the_road(frames: int) -> dict[str, Any]:
    return {
        "trace": "ligament",
        "until": ("/camera",),
        "parameters": {"/camera": {"frames": frames}},
    }


def _commands(folder: Path) -> list[Any]:
    """What the robot was told, and where it was."""
    lines = (folder / "outputs" / "drive.jsonl").read_text(encoding="utf-8").splitlines()
    frames = [one for one in map(json.loads, lines) if one["event"] == "frame"]
    return [(one["command"], one["x"], one["y"]) for one in frames]


def _require_same(commands: dict[str, Any]) -> None:
    """FailureError where the versions drove in another way: then their times say nothing."""
    first = next(iter(commands))
    for name, other in commands.items():
        if other != commands[first]:
            count = sum(a == b for a, b in zip(commands[first], other, strict=False))
            text = f"{name}: of {len(other)} commands {count} are those of {first}"
            raise FailureError(text)


# --- dataflow ------------------------------------------------------------------------------------


def stage_rows(folder: Path) -> list[Row]:
    """Cycles of a frame that each core needs for itself."""
    stages = stages_of(status_events(folder / "status.jsonl"))
    return [
        make_row("driving", {"node": node}, "stage", "cycles", cycles)
        for node, cycles in sorted(stages.items())
    ]


def _measure_dataflow(quick: bool, result: Measured) -> None:
    """The time between frames that leave, beside the slowest core of the run with one in flight."""
    stages = {r["params"]["node"]: r["p50"] for r in result.rows if r["metric"] == "stage"}
    if not stages:
        raise FailureError(f"the version '{TOPICS_IN}' has no figures, which this needs")
    node = max(stages, key=lambda name: stages[name])
    frames = IN_FLIGHT * (1 if quick else FRAMES // IN_FLIGHT)
    build = build_of(ROAD, "hardware_dataflow", PLATFORM)
    with run_of(build, _on_the_road(frames)) as finished:
        folder = _traced(finished)
        database = open_events(folder / "events.parquet")
        periods = periods_of(database, LAST_OF_PICTURES) * _clock_hz(database) / 1e9
        result.notes += [f"dataflow: {text}" for text in _limits(folder)]
    result.rows += dataflow_rows(periods, node, stages[node], _latency(result))


def dataflow_rows(periods: Any, node: str, slowest: float, latency: float) -> list[Row]:
    """Rows of frames of which several were on their way."""
    if len(periods) == 0:
        raise FailureError("no two frames were in the design together")
    told = summarise(periods)
    params = {"node": node, "in_flight": IN_FLIGHT}
    return [
        make_row("driving", params, "period", "cycles", told),
        make_row("driving", params, "period_over_slowest", "1", told["mean"] / slowest),
        make_row("driving", params, "period_spread", "1", told["sd"] / told["mean"]),
        make_row("driving", {"node": node}, "latency_over_slowest", "1", latency / slowest),
    ]


def _latency(result: Measured) -> float:
    return float(next(
        row["mean"] for row in result.rows
        if row["metric"] == "version_cycles" and row["params"]["version"] == TOPICS_IN
    ))  # fmt: skip


def _clock_hz(database: Any) -> float:
    row = database.execute("SELECT max(value) FROM span_values WHERE name = 'clock_hz'").fetchone()
    return float(row[0])


def _limits(folder: Path) -> list[str]:
    """What held the designs back, in words."""
    designs = limits_of(folder / "status.jsonl").get("designs", [])
    return [design["text"] for design in designs]
