# SPDX-License-Identifier: Apache-2.0
"""Parts `drives` and `delay`: how well the robot keeps its lane, drive by drive.

Lock step: an image waits for its command, and simulated time only moves on after it. So a drive is
the same on a busy machine; it only takes longer. All nodes are in one process: there the light
detectors, too, see each image before the next one comes.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ligament.artefacts import read_json_object, write_json
from ligament.bench.driving.running import (
    EXAMPLE,
    LANES,
    LONGEST_S,
    build_of,
    need_simulator,
    run_of,
)
from ligament.bench.measuring import Measured, Row, make_row, output_of, say
from ligament.errors import FailureError

VARIANT = "one_process"
SEEDS, LAPS = tuple(range(1, 11)), 3
GOOD = "good"
#: One drive of one lap for each: what docs/how-to/driving.md calls hard.
WEATHER: dict[str, dict[str, Any]] = {
    "noise": {"noise": 12.0},
    "exposure": {"exposure": 0.45},
    "blur": {"blur": 9},
    "glare": {"glare": 0.8},
    "shadows": {"shadows": 0.5},
    "worn": {"worn": 0.4},
    "robot ahead": {"other_robot": True},
    "all but glare": {
        "noise": 6.0, "exposure": 0.7, "blur": 4, "shadows": 0.3, "worn": 0.2, "other_robot": True,
    },
}  # fmt: skip
#: Delay and jitter, in ms; the means of the published chains are 20.58, 110.72 and 274.44.
DELAYS = tuple((ms, 0) for ms in (0, 20, 50, 75, 111, 274, 400, 600, 800, 1000))
JITTERS = ((0, 200), (0, 400), (0, 800))
QUICK_DELAYS = ((0, 0), (1000, 0), (0, 800))
#: Small images, half as many; too small to see a lamp in, so no lap has a red light.
QUICK = {"width": 320, "height": 240, "rate_hz": 15, "red_laps": [1000]}
#: Of real time: no image is given up on a busy machine.
_PATIENCE = {"reply_timeout_s": 120.0, "start_timeout_s": 300.0, "animation": 0}


@dataclass(frozen=True)
class Planned:
    """A drive: what its rows are told apart by, the simulator's options, and who drives."""

    params: Mapping[str, Any]
    options: Mapping[str, Any]
    variant: str = VARIANT
    platform: str = "host"
    #: Parameters of the graph's nodes, by their ids.
    nodes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    #: Real time after which it is given up.
    longest_s: float = LONGEST_S

    @property
    def name(self) -> str:
        """Of its log."""
        words = (f"{k}-{v}" for k, v in self.params.items())
        return "_".join(words).replace(" ", "-")


def weather_drives(quick: bool, seeds: Sequence[int] = ()) -> list[Planned]:
    """In good weather with each seed, then in each other weather."""
    seeds = seeds or ((1,) if quick else SEEDS)
    laps = 1 if quick else LAPS
    good = [_planned({"weather": GOOD, "seed": s, "laps": laps}, {}, quick) for s in seeds]
    names = list(WEATHER)[:1] if quick else list(WEATHER)
    return good + [
        _planned({"weather": name, "seed": 1, "laps": 1}, WEATHER[name], quick) for name in names
    ]


def late_drives(quick: bool, late: Sequence[int] = ()) -> list[Planned]:
    """With each delay of the commands, then with each jitter; `late`: with these delays alone."""
    pairs = QUICK_DELAYS if quick else (*DELAYS, *JITTERS)
    if late:
        pairs = tuple((delay, 0) for delay in late)
    return [
        _planned(
            {"delay_ms": delay, "jitter_ms": jitter, "seed": 1, "laps": 1},
            {"command_delay_ms": float(delay), "command_jitter_ms": float(jitter)},
            quick,
        )
        for delay, jitter in pairs
    ]


def _planned(params: dict[str, Any], more: Mapping[str, Any], quick: bool) -> Planned:
    own = {"seed": params["seed"], "laps": params["laps"], **(QUICK if quick else {}), **more}
    return Planned(params, patient(own))


def patient(options: Mapping[str, Any]) -> dict[str, Any]:
    """The simulator's options, with the patience that all drives need."""
    return {**options, **_PATIENCE}


def measure_drives(planned: Iterable[Planned], kept: str, result: Measured) -> None:
    """Drive them one after the other; what is in the folder `kept` is not driven again.

    Beside each log is a file that says by which nodes it was driven.
    """
    with tempfile.TemporaryDirectory() as passing:
        folder = Path(kept or passing).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        for one in planned:
            with result.attempt(one.name):
                log = folder / f"{one.name}.jsonl"
                nodes, by = nodes_of(one), log.with_suffix(".nodes.json")
                if not is_whole(log, one.options) or read_json_object(by) != nodes:
                    say("driving", f"drive {one.name}")
                    by.unlink(missing_ok=True)  # first: a log without it is nobody's
                    log.unlink(missing_ok=True)
                    _drive(one, log)
                    write_json(by, nodes)
                result.rows += rows_of(one.params, figures_of(log))


def nodes_of(one: Planned) -> dict[str, Any]:
    """What drives: the nodes' parameters, and hashes of their libraries, which are built for it."""
    built = read_json_object(build_of(LANES, one.variant, one.platform))
    parameters = {node: dict(values) for node, values in one.nodes.items()}
    hashes = {name: library["sha256"] for name, library in built["libraries"].items()}
    return {"parameters": parameters, "libraries": hashes}


def is_whole(log: Path, options: Mapping[str, Any]) -> bool:
    """Whether a log is that of such a drive, from its beginning to its end, image by image."""
    try:
        lines = log.read_text(encoding="utf-8").splitlines()
        first, last = json.loads(lines[0]), json.loads(lines[-1])
        driven = first["options"]
    except (OSError, ValueError, IndexError, KeyError, TypeError):
        return False
    wanted = {name: value for name, value in options.items() if name not in _PATIENCE}
    is_same = all(driven.get(name) == value for name, value in wanted.items())
    is_in_step = last.get("missed") == last.get("extra") == 0
    ended = last.get("event") == "end" and last.get("reason") != "stopped"
    return bool(is_same and is_in_step and ended)


def _drive(one: Planned, log: Path) -> None:
    """The run fails where the drive does, which is a figure of it and no failure of ours."""
    need_simulator()
    parameters = {**one.nodes, "/simulator": {**one.options, "log": str(log)}}
    wanted = {"parameters": parameters, "duration_s": one.longest_s}
    with run_of(build_of(LANES, one.variant, one.platform), wanted) as finished:
        if not log.is_file():
            raise FailureError(f"the drive has not begun: {finished.data['reason']}")


def figures_of(log: Path) -> dict[str, Any]:
    """As the example's own report has them; FailureError if images had no command."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "figures.json"
        words = [sys.executable, str(EXAMPLE / "report.py"), str(log), "--json", str(path)]
        output_of(words, "the log of the drive cannot be read")
        figures: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["drives"][0]
    if figures["missed"] is None:
        raise FailureError("the drive has no end: its simulator was ended")
    if figures["missed"] or figures["extra"]:
        raise FailureError(
            f"{figures['missed']} images had no command, {figures['extra']} commands no image: "
            "so this drive is another one each time",
            hint="is another graph in the same ROS domain? ROS_DOMAIN_ID chooses one",
        )
    return figures


def outcome(figures: Mapping[str, Any], laps: int) -> str:
    """`laps done`, `safe stop`, or what went wrong."""
    if figures["departures"]:
        return "left the lane"
    if figures["red_lights"] > figures["stops_obeyed"]:
        return "ran a red light"
    if figures["reason"] == "stuck":
        return "safe stop"
    return "laps done" if figures["laps"] >= laps else str(figures["reason"])


def rows_of(params: Mapping[str, Any], figures: Mapping[str, Any]) -> list[Row]:
    """Rows of one drive."""
    told = {**params, "outcome": outcome(figures, params["laps"])}
    run = figures["red_lights"] - figures["stops_obeyed"]
    lateral = figures["lateral_m"]
    rows = [
        make_row("driving", told, "departures", "times", figures["departures"]),
        make_row("driving", told, "red_lights", "times", figures["red_lights"]),
        make_row("driving", told, "red_lights_run", "times", run),
        make_row("driving", told, "laps_done", "laps", figures["laps"]),
    ]
    if lateral:
        rows.append(make_row("driving", told, "lateral_p95", "mm", lateral["p95"] * 1000))
        rows.append(make_row("driving", told, "lateral_max", "mm", lateral["max"] * 1000))
    if figures["lap_s"]:
        rows.append(make_row("driving", told, "lap", "s", figures["lap_s"]))
    return rows
