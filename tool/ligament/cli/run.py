# SPDX-License-Identifier: Apache-2.0
"""`ligament run`: the fifth stage."""

from __future__ import annotations

import sys
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from ligament.artefacts import DEFAULT_OUT
from ligament.build.progress import progress_bar
from ligament.build.stage import build
from ligament.cli.common import (
    MappingOption,
    OutOption,
    PlatformOption,
    VariantOption,
    graph_path,
    platform_here,
    print_json,
    warn,
)
from ligament.graph import load_graph
from ligament.mapping import load_mapping
from ligament.pipeline import Request, generated
from ligament.run.cores import check_cores
from ligament.run.display import Display, Quiet
from ligament.run.edge import MAX_DOMAIN_ID, EdgeOptions, ros_domain
from ligament.run.executables import on_host, require_programs
from ligament.run.graph_run import FinishedRun, RunRequest, run_graph
from ligament.run.lock import lock_of, require_free
from ligament.run.overrides import Overrides, check_parameters, parse_overrides
from ligament.run.process import mismatches_in
from ligament.run.python_spec import require_ros
from ligament.run.supervisor import RunOptions
from ligament.run.wave import Wave, not_written, parse_wave, written


class Level(StrEnum):
    """How much is logged: from everything to what ends a process."""

    DEBUG = "debug"
    INFO = "info"
    WARN = "warn"
    ERROR = "error"
    FATAL = "fatal"


class Provider(StrEnum):
    """Whose events are recorded: ours, or beside them those of ros2_tracing."""

    LIGAMENT = "ligament"
    ROS2 = "ros2"


class BareTrace(TyperCommand):
    """`--trace` without a value is `--trace=ligament`; what follows it is another argument."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Give a bare `--trace` its value."""
        given = ["--trace=ligament" if word == "--trace" else word for word in args]
        words: list[str] = super().parse_args(ctx, given)
        return words


Target = Annotated[
    str, typer.Argument(metavar="GRAPH", help="A graph, as everywhere, or a build.json.")
]
Trace = Annotated[
    Provider | None,
    typer.Option(
        "--trace",
        metavar="[=ros2]",
        help="Record events with LTTng. `--trace=ros2`: beside ours those of ros2_tracing, for "
        "its analysers and `ligament trace import`.",
    ),
]
Duration = Annotated[
    float | None,
    typer.Option("--duration", "-d", min=0.0, metavar="S", help="Run for at most S seconds."),
]
Until = Annotated[
    list[str] | None,
    typer.Option("--until", metavar="NODE", help="Stop when NODE is done; may be repeated."),
]
Restart = Annotated[bool, typer.Option("--restart", help="Start a container that crashed again.")]
StartTimeout = Annotated[
    float,
    typer.Option("--start-timeout", min=0.1, metavar="S", help="A container is ready by then."),
]
DrainTimeout = Annotated[
    float,
    typer.Option("--drain-timeout", min=0.0, metavar="S", help="After that it is killed."),
]
Domain = Annotated[
    str | None,
    typer.Option("--domain", metavar="NAME", help="Shared-memory domain; default: the graph."),
]
LogLevel = Annotated[
    Level,
    typer.Option("--log-level", help="What is worth a line in the logs."),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", "-s", metavar="NODE.PARAM=VALUE", help="Set a parameter for this run."),
]
Cores = Annotated[
    str | None,
    typer.Option(
        "--cores",
        metavar="LIST",
        help="Run all containers on these cores only, as taskset takes them: 1 or 0,2-3.",
    ),
]
Edge = Annotated[
    bool,
    typer.Option("--edge", help="Let ROS 2 nodes and tools on the network take part (DDS)."),
]
Ros = Annotated[
    bool,
    typer.Option(
        "--ros",
        help="Take part in this computer's ROS 2 domain (ROS_DOMAIN_ID): exchange messages with "
        "nodes on rmw_ligament_cpp, and with other graphs run so, through shared memory. A graph "
        "with executables does so by itself.",
    ),
]
DomainId = Annotated[
    int | None,
    typer.Option(
        "--domain-id",
        min=0,
        max=MAX_DOMAIN_ID,
        metavar="N",
        help="ROS 2 domain of --ros and --edge; default: the graph's, else ROS_DOMAIN_ID, or 0.",
    ),
]
Host = Annotated[
    str | None,
    typer.Option("--host", metavar="NAME", help="Which of the graph's hosts this computer is."),
]
WaveOption = Annotated[
    str | None,
    typer.Option(
        "--wave",
        metavar="FRAME",
        help="Write the waveform of message FRAME through simulated FPGAs (3, or 3-5), counted "
        "from 1 where it enters: FST in the run's `outputs`, with views for GTKWave and Surfer.",
    ),
]
WaveNode = Annotated[
    list[str] | None,
    typer.Option(
        "--wave-node", metavar="NODE", help="Only this node's signals in it; may be repeated."
    ),
]
QuietOption = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="While it runs nothing but errors and warnings is printed."),
]

RunJsonOption = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Print run.json at the end: state, processes, losses. Figures of nodes are in "
        "status.jsonl beside it; those of messages are in `ligament report`.",
    ),
]


def run(
    graph: Target = ".",
    variant: VariantOption = None,
    trace: Trace = None,
    duration: Duration = None,
    until: Until = None,
    set_parameters: SetOption = None,
    restart: Restart = False,
    start_timeout: StartTimeout = 10.0,
    drain_timeout: DrainTimeout = 5.0,
    domain: Domain = None,
    log_level: LogLevel = Level.INFO,
    cores: Cores = None,
    edge: Edge = False,
    ros: Ros = False,
    domain_id: DomainId = None,
    host: Host = None,
    wave: WaveOption = None,
    wave_node: WaveNode = None,
    quiet: QuietOption = False,
    platform: PlatformOption = None,
    out: OutOption = DEFAULT_OUT,
    mapping: MappingOption = None,
    json: RunJsonOption = False,
) -> None:
    """Run a graph, with a status line per node, until its work is done or Ctrl-C.

    Checks, maps, generates and builds first, unless a build.json is given. A container that
    crashes is reported with its last lines, and the graph stops with exit code 1, unless
    --restart or the graph's `on_failure` says otherwise. Ctrl-C stops in order; a second one kills.

    Examples:

    `ligament run examples/perception --variant one_process --trace`

    `ligament run graph.yaml --duration 10 --json`

    `ligament run examples/perception --set sink.frames=60`

    `ligament run graph.yaml --edge`, then `ros2 topic list`

    `ligament run graph.yaml --ros`, beside nodes with `RMW_IMPLEMENTATION=rmw_ligament_cpp`

    `ligament run graph.yaml --mapping build/perception/processes/advise/together.json --trace`

    `ligament run examples/threshold --variant hardware --platform fpga_sim --wave 2`

    `ligament run graph.yaml --host robot`, and with `--host desk` on the other computer
    """
    options = EdgeOptions(edge, domain_id, shared=ros)
    waves = parse_wave(wave, tuple(wave_node or ()))
    target = platform or platform_here(Path(graph), mapping)
    asked = Request(Path(graph), variant, target, out, mapping, waves is not None)
    parameters = parse_overrides(set_parameters or ())
    request = RunRequest(
        build=_build(asked, domain, host, options, parameters),
        trace=trace.value if trace else None,
        domain=domain,
        until=tuple(until or ()),
        log_level=log_level.value,
        parameters=parameters,
        cores=check_cores(cores),
        edge=options,
        host=host,
        wave=waves,
        options=RunOptions(start_timeout, drain_timeout, duration_s=duration, restart=restart),
    )
    _warn(request.build)
    raise typer.Exit(_told(_shown(request, quiet or json), waves, json))


command = typer.Typer(add_completion=False, rich_markup_mode="rich")
command.command(cls=BareTrace)(run)


def _shown(request: RunRequest, quiet: bool) -> FinishedRun:
    """Run it, with a status line per node unless that is not wanted."""
    if quiet:
        return run_graph(request, Quiet())
    folder = request.build.resolve().parent
    with Display(f"{folder.parent.name}/{folder.name}") as display:
        return run_graph(request, display)


def _told(finished: FinishedRun, wave: Wave | None, as_json: bool) -> int:
    """Print how it ended; returns the exit code."""
    folder = finished.path.parent
    warn(tuple(mismatches_in(folder / "log")))
    waveforms = written(folder / "outputs")
    if wave and not waveforms:
        warn((not_written(wave),))
    if as_json:
        print_json(finished.data)
    else:
        print("\n".join([_ending(finished), *waveforms]))
    return finished.exit_code


def _build(
    request: Request, domain: str | None, host: str | None, edge: EdgeOptions, parameters: Overrides
) -> Path:
    """Build what is to be run, unless it would be refused then: a build can take minutes."""
    if request.graph.name == "build.json":
        return request.graph
    graph = graph_path(str(request.graph))
    loaded = load_graph(graph)
    check_parameters(parameters, loaded)
    programs = on_host(loaded.executables, host)
    chosen = loaded.variants.get(request.variant or loaded.default_variant)
    shared = replace(edge, shared=edge.shared or bool(programs))
    require_free(lock_of(loaded.name, domain, ros_domain(shared, chosen.edge if chosen else None)))
    require_programs(programs)
    made = generated(replace(request, graph=graph))
    require_ros(made.manifest, loaded.distro)
    with progress_bar() as progress:
        return build(made.manifest, progress=progress).build


def _warn(build: Path) -> None:
    """Print the mapping's warnings; a build.json that was moved away from it has none to print."""
    mapping = build.with_name("mapping.json")
    if mapping.is_file():
        warn(load_mapping(mapping).warnings)


def _ending(finished: FinishedRun) -> str:
    data: dict[str, Any] = finished.data
    if finished.exit_code != 0:
        print(f"error: {data['reason']}", file=sys.stderr)
    lines = [f"{data['graph']}/{data['variant']}: {data['state']}"]
    if finished.exit_code == 0:
        lines[0] += f" ({data['reason']})"
    if data["restarts"]:
        times = ", ".join(f"{name} {count} x" for name, count in data["restarts"].items())
        lines.append(f"started again: {times}")
    if data["shutdown"]["killed"]:
        lines.append(f"killed: {', '.join(data['shutdown']['killed'])}")
    lines.append(f"run: {finished.path}")
    return "\n".join(lines)
