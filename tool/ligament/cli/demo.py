# SPDX-License-Identifier: Apache-2.0
"""`ligament demo`: the main job on real camera frames, from the graph to the report."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from ligament.artefacts import DEFAULT_OUT
from ligament.cli.common import (
    JsonOption,
    OutOption,
    graph_path,
    has_display,
    open_page,
    print_json,
)
from ligament.demo import software
from ligament.demo.ending import beginning, ending, judged
from ligament.demo.mcu import show as show_microcontroller
from ligament.demo.phases import Phases
from ligament.demo.runs import FIRST_FRAMES, HARDWARE_FRAMES, DemoOptions
from ligament.demo.terminal import print_demo
from ligament.demo.times import Times
from ligament.graph import load_graph
from ligament.report.terminal import report_console
from ligament.resources import examples_dir

if TYPE_CHECKING:
    from ligament.demo.demo import Demonstrated, Early

Graph = Annotated[
    str | None,
    typer.Option("--graph", metavar="GRAPH", help="Default: the perception example that ships."),
]
Frames = Annotated[int, typer.Option("--frames", min=20, metavar="N", help="Frames per variant.")]
Full = Annotated[
    bool,
    typer.Option(
        "--full",
        help=f"All frames through simulated hardware too, else {HARDWARE_FRAMES} of them.",
    ),
]
PacedFrames = Annotated[
    int,
    typer.Option("--paced-frames", min=0, metavar="N", help="Frames per paced run; 0: none."),
]
Rate = Annotated[
    float, typer.Option("--rate", min=1.0, metavar="HZ", help="Rate of the paced runs.")
]
Input = Annotated[
    str | None,
    typer.Option("--input", "-i", metavar="PATH", help="Your own frames: a folder, video or bag."),
]
Calibration = Annotated[
    str | None,
    typer.Option("--calibration", metavar="FILE", help="Calibration of your own frames."),
]
OpenOption = Annotated[
    bool, typer.Option("--open/--no-open", help="Open the page, where there is a display.")
]
First = Annotated[
    bool,
    typer.Option(
        "--first",
        help=f"Only the first {FIRST_FRAMES} frames, of variants without device and DDS.",
    ),
]
Tables = Annotated[
    bool, typer.Option("--tables", help="Print every table too: hops, kernels, cycles, paced runs.")
]

Mcu = Annotated[
    bool,
    typer.Option(
        "--mcu",
        help="Show a microcontroller instead: firmware is built, an emulated core runs it, its "
        "topic arrives, and messages go there and back.",
    ),
]
Software = Annotated[
    bool,
    typer.Option(
        "--software",
        help="Only variants on processors, without recording: the time of a frame, and whether all "
        "outputs are equal. An installation can do this without compiler and LTTng.",
    ),
]


def demonstrate(options: DemoOptions, say: Phases, early: Early) -> Demonstrated:
    """Run all of it; what reads recordings is imported here, as `--software` does without."""
    from ligament.demo.demo import demonstrate as whole  # noqa: PLC0415

    return whole(options, say, early)


def first_frames_of(options: DemoOptions, say: Phases) -> dict[str, Any]:
    """Run the variants that can be built soonest; likewise."""
    from ligament.demo.demo import first_frames_of as soonest  # noqa: PLC0415

    return soonest(options, say)


def demo(
    graph: Graph = None,
    frames: Frames = 600,
    full: Full = False,
    paced_frames: PacedFrames = 100,
    rate: Rate = 30.0,
    input: Input = None,  # noqa: A002 - it is the option's name
    calibration: Calibration = None,
    out: OutOption = DEFAULT_OUT,
    open_: OpenOption = True,
    first: First = False,
    tables: Tables = False,
    mcu: Mcu = False,
    software_only: Software = False,
    json: JsonOption = False,
) -> None:
    """Run the perception graph in all its variants: traced, proven equal, compared.

    Exit code 1 if any variant's outputs differ from the reference program's.

    Examples:

    `ligament demo --input my_recording.mcap --frames 1000`

    `ligament demo --mcu`

    `ligament demo --software`
    """
    if mcu:
        return show_microcontroller(out, lambda line: print(line, flush=True))
    path = graph_path(graph) if graph else _example("perception")
    options = DemoOptions(
        path,
        frames=frames,
        hardware_frames=frames if full else min(frames, HARDWARE_FRAMES),
        paced_frames=paced_frames,
        rate_hz=rate,
        source=input,
        calibration=calibration,
        out=out,
        filters=None if graph else _example("filters"),
    )
    if software_only:
        _software(options, json)
    software.require_all()
    times = Times(out / "demo-first-times.json")
    if first:
        _first(replace(options, frames=min(frames, FIRST_FRAMES)), times, json)
    _whole(options, times, tables=tables, json=json, open_=open_)


def _whole(
    options: DemoOptions, times: Times, *, tables: bool, json: bool, open_: bool
) -> NoReturn:
    """Show all of it and end."""
    begin = time.monotonic()
    with Phases(sys.stderr, options.out / f"demo-{load_graph(options.graph).name}.json") as phases:

        def early(report: dict[str, Any]) -> None:
            times.first_frames()
            phases.tell(beginning(report))

        shown = demonstrate(options, phases, early)
    if json:
        print_json(shown.report | {"seconds": dict(phases.seconds), "times_s": times.whole()})
    else:
        _print(shown, time.monotonic() - begin, tables=tables)
    if open_ and not json and has_display():
        open_page(shown.page)
    raise typer.Exit(0 if shown.equal else 1)


def _print(shown: Demonstrated, seconds: float, *, tables: bool) -> None:
    """What the whole demo ends in."""
    if tables:
        print_demo(shown.report, report_console())
    files = {"page": shown.page, "path": shown.path}
    print("\n".join(ending(shown.report | files, seconds)))


def _software(options: DemoOptions, json: bool) -> NoReturn:
    """Show what needs neither compiler nor recording, and end."""
    with Phases(sys.stderr, options.out / "demo-software.json") as phases:
        shown = software.compare(options, phases)
    if json:
        print_json(shown)
    else:
        print("\n".join(software.ending(shown)))
    raise typer.Exit(0 if software.is_equal(shown) else 1)


def _first(options: DemoOptions, times: Times, json: bool) -> NoReturn:
    """Show the first frames and end."""
    with Phases(sys.stderr, options.out / "demo-first.json") as phases:
        report = first_frames_of(options, phases)
    times.first_frames(keep=True)
    if json:
        print_json(report | {"seconds": dict(phases.seconds), "times_s": times.whole()})
    else:
        print("\n".join(beginning(report)))
    raise typer.Exit(0 if all(entry["equal"] for entry in judged(report)) else 1)


def _example(name: str) -> Path:
    """A graph that ships."""
    return graph_path(str(examples_dir() / name))
