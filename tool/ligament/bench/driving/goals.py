# SPDX-License-Identifier: Apache-2.0
"""The goals of `ligament bench driving`, and what its page shows without a goal."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ligament.bench.driving.drives import GOOD
from ligament.bench.goals import Figures, Goal, Row

#: Chain alpha of the published versions, mean in ms, on their board.
PUBLISHED_MS = {"software": 274.44, "nodes in hardware": 110.72, "topics, too": 20.58}
SIMULATOR, ROAD = "simulator", "road"
#: Of part `versions`.
BASE, NODES_IN, TOPICS_IN = "software over DDS", "hardware nodes", "hardware topics"
STANDARD, GATEWAY = "with SLAM, /A in memory", "with SLAM, /A with a gateway"
#: How many times as fast as the version that it is compared with each published version is.
PUBLISHED_RATIOS = {NODES_IN: 2.48, TOPICS_IN: 13.34, GATEWAY: 1.4}
#: The same graph as rclpy nodes.
PEERS = ("rclpy on Fast DDS", "rclpy on rmw_ligament_cpp")
_SHM = {"variant": "processes"}
_OTHERS = {"variant": ("one_process", "dds")}
#: Of a chain's times; median, deviation and jitter are in the result file, and in its picture.
_SPREAD = (("mean", "mean"), ("p99", "99th percentile"))


def _published(row: Row) -> str:
    """Only the version over DDS is one that was published."""
    is_theirs = row["params"]["variant"] == "dds"
    return f"{PUBLISHED_MS['software']:.0f} ms (published, their board)" if is_theirs else ""


def _chain() -> Iterator[Goal]:
    share = "message passing in chain alpha of `{variant}`, {images}"
    passing = "passing_share"
    yield Goal(share, passing, 0.02, _SHM, unit="share", why=_PASSING)
    yield Goal(share, passing, None, _OTHERS, unit="share")
    yield Goal("frames per second beside the simulator, `{variant}`", "frames_per_s", 30.0, _SHM,
               at_least=True, why=_FRAMES)  # fmt: skip
    yield Goal("frames per second beside the simulator, `{variant}`", "frames_per_s", None, _OTHERS,
               at_least=True)  # fmt: skip
    yield Goal("frames per second that the cores' time allows, `{variant}`, {images}",
               "frames_by_cpu", at_least=True)  # fmt: skip
    yield Goal("chain alpha over `dds`, times that over `shm`", "speed_up", at_least=True,
               published="2.48 with nodes in hardware, 13.3 with topics, too")  # fmt: skip
    for value, words in _SPREAD:
        published = _published if value == "mean" else ""
        yield Goal(f"chain alpha of `{{variant}}`, {{images}}: {words}", "chain", value=value,
                   published=published)  # fmt: skip
    for peer in PEERS:
        yield Goal(f"chain alpha, {peer}: mean", "chain", value="mean", contestant=peer)
        yield Goal(f"chain alpha, {peer}: 99th percentile", "chain", value="p99", contestant=peer)
        yield Goal(f"message passing in chain alpha, {peer}", passing, unit="share",
                   contestant=peer)  # fmt: skip
    parts = {**_SHM, "images": ROAD}
    yield Goal("computed by `{node}` in `{variant}`, {images}", "compute", where=parts)
    yield Goal("`{hop}` in `{variant}`, {images}", "between", where=parts)
    for where in (parts, {**_SHM, "images": SIMULATOR, "node": "/simulator"}):
        yield Goal("CPU time of `{node}` per frame, `{variant}`, {images}", "cpu", where=where)


_PASSING = (
    "two light detectors wake with each image, beside the chain's next node: with fewer cores than "
    "woken nodes, one of them waits for a core, which counts as message passing; the chain is so "
    "short here that its wake-ups alone take more than the goal (floor, on the road)"
)
_FRAMES = (
    "the simulator draws each image in software, and takes most of the time of a frame: see CPU "
    "time per frame"
)


def _good(limit: float) -> Callable[[Row], float | None]:
    return lambda row: limit if row["params"].get("weather") == GOOD else None


def _bad(row: Row) -> float | None:
    """5 cm, or a safe stop."""
    params = row["params"]
    is_other = params.get("weather", GOOD) == GOOD or params["outcome"] == "safe stop"
    return None if is_other else 50.0


def _none(row: Row) -> float | None:
    return 0.0 if "weather" in row["params"] else None


def _laps(row: Row) -> float | None:
    params = row["params"]
    if "weather" not in params:
        return None
    return 0.0 if params["outcome"] == "safe stop" else float(params["laps"])


def _drives() -> Iterator[Goal]:
    yield Goal("lateral error p95, {weather} weather", "lateral_p95", _good(30.0), why=_STEERING)
    yield Goal("lateral error p95, {weather}", "lateral_p95", _bad, why=_STEERING)
    yield Goal("lane departures, {weather}", "departures", _none, why=_STEERING)
    yield Goal("red lights run, {weather}", "red_lights_run", _none, why=_STEERING)
    yield Goal("laps, {weather}: {outcome}", "laps_done", _laps, at_least=True, why=_STEERING)
    yield Goal("time of a lap, {weather}", "lap", where={"weather": GOOD})


_STEERING = "the steering aims 23 cm ahead, and cuts curves"


def _delay() -> Iterator[Goal]:
    head = "commands {delay_ms} ms late, and up to {jitter_ms} ms more"
    yield Goal(f"lateral error p95, {head}: {{outcome}}", "lateral_p95",
               where={"weather": None, "nodes": None})  # fmt: skip


def _asked(row: Row) -> float | None:
    return float(row["params"]["laps"]) if "nodes" in row["params"] else None


def _hardware() -> Iterator[Goal]:
    both = {"nodes": ("software", "hardware")}
    head = "{images}, nodes in {nodes}"
    yield Goal(f"laps, {head}", "laps_done", _asked, both, at_least=True)
    yield Goal(f"red lights, {head}", "red_lights", where=both)
    yield Goal(f"red lights run, {head}", "red_lights_run", 0.0, both)
    yield Goal(f"lane departures, {head}", "departures", 0.0, both)
    yield Goal(f"lateral error p95, {head}", "lateral_p95", 30.0, both, why=_STEERING)
    yield Goal("images with their command, {images}, nodes in {nodes}", "commands")
    yield Goal("of these not as in software, {images}", "commands_unlike", 0.0, exact=True)


_BOARD = (
    "the published software took 274 ms on the board's ARM cores, ours takes about a twentieth of "
    "that on this computer's; "
)
_NOT_AS_FAST = {
    NODES_IN: f"{_BOARD}and cores on topics in memory work one after the other here, the light "
    "detectors, too",
    TOPICS_IN: f"{_BOARD}and a frame, then a view of twice its pixels, pass one after the other: "
    "Image Compensation has a whole frame before its first pixel leaves",
    GATEWAY: "SLAM gets /A beside the chain here: it delays the chain only where memory is busy",
}

_SIMULATED = "nine cores in one thread of the simulator, cycle by cycle"

_OUTSIDE = (
    "Image Projection takes the rows above and below its view one after the other with the view; "
    "its own figure has them only as far as its input waits"
)


def _versions() -> Iterator[Goal]:
    for version, ratio in PUBLISHED_RATIOS.items():
        yield Goal("chain alpha, {over} / {version}", "version_speed_up", ratio,
                   {"version": version}, at_least=True, published=f"{ratio:g}",
                   why=_NOT_AS_FAST[version])  # fmt: skip
    yield Goal("cycles of a frame, {version}", "version_cycles", value="mean")
    yield Goal("frames per second of the simulation, {version}", "version_simulated", 3.0,
               {"version": TOPICS_IN}, at_least=True, why=_SIMULATED)  # fmt: skip
    yield Goal("frames per second of the simulation, {version}", "version_simulated",
               where={"version": (NODES_IN, STANDARD, GATEWAY)}, at_least=True)  # fmt: skip
    yield Goal("cycles of a frame that `{node}` needs for itself", "stage")
    yield Goal("cycles between frames, {in_flight} on their way", "period", value="mean")
    yield Goal("cycles between frames, times those of the slowest core, `{node}`",
               "period_over_slowest", 1.1, why=_OUTSIDE)  # fmt: skip
    yield Goal("cycles between frames, standard deviation over mean", "period_spread", 0.001,
               unit="share")  # fmt: skip
    yield Goal("cycles of a frame, one on its way, times those of the slowest core, `{node}`",
               "latency_over_slowest")  # fmt: skip


FIGURES = Figures(
    goals=(*_chain(), *_versions(), *_drives(), *_delay(), *_hardware()),
    results={
        "driving": "chain alpha: five nodes, 640x480",
        "driving_versions": "the published versions, 640x480, four pixels per cycle",
        "driving_slam": "the published versions with SLAM, 640x480, four pixels per cycle",
        "driving_drives": "drives in lock step",
        "driving_delay": "late commands, in lock step, one lap each",
        "driving_hardware": "the same drive in software and in a simulated FPGA, in lock step",
    },
    floors=("futex",),
    words={
        "`processes`, `one_process`, `dds`": "variants of the graph: a process per node over "
        "shared memory; all nodes in one process; a process per node over DDS",
        "`hardware nodes`, `hardware topics`": "all nodes as cores of an FPGA, which is simulated "
        "at 100 MHz: topics in shared memory, or streams in the FPGA",
        "road, simulator": "who sends the images: the node `driving/road`, or MuJoCo",
    },
)
