# SPDX-License-Identifier: Apache-2.0
"""`ligament trace`: the sixth stage, and `ligament trace import` for recordings of others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ligament.cli.common import JsonOption, print_json, warn
from ligament.trace.convert import Conversion
from ligament.trace.errors import TraceError
from ligament.trace.graph_file import write_graph
from ligament.trace.imported import GRAPH, import_folder, import_recording, imported_into
from ligament.trace.perfetto import MOST_ROWS
from ligament.trace.stage import Traced, environment_of, trace_run


class _RunByDefault(TyperGroup):
    """`ligament trace RUN_DIR` is `ligament trace run RUN_DIR`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the sub-command in where none is named."""
        if args and args[0] not in self.commands and args[0] not in ("--help", "-h"):
            args = ["run", *args]
        words: list[str] = super().parse_args(ctx, args)
        return words


trace = typer.Typer(
    cls=_RunByDefault,
    add_completion=False,
    rich_markup_mode="rich",
    no_args_is_help=True,
    help="Turn raw traces into one event table: `ligament trace RUN_DIR` for a run of ours, "
    "`ligament trace import DIR` for a recording of another ROS 2 system.",
)

RunArgument = Annotated[
    Path, typer.Argument(metavar="RUN_DIR", help="The folder of a run that was made with --trace.")
]
RecordingArgument = Annotated[
    Path,
    typer.Argument(metavar="DIR", help="A recording of ros2_tracing: the folder it was put into."),
]
NameOption = Annotated[
    str | None,
    typer.Option("--name", metavar="NAME", help="Its name in reports. Default: the folder's."),
]
GraphNameOption = Annotated[
    str,
    typer.Option("--graph-name", metavar="GRAPH", help="Recordings of one graph can be compared."),
]
OutOption = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="FOLDER", help="Default: build/GRAPH/NAME."),
]
GraphOption = Annotated[
    Path | None,
    typer.Option(
        "--graph", metavar="FILE", help="Also write a graph.yaml of what was found, to start from."
    ),
]


@trace.command("run", hidden=True)
def run(run: RunArgument, json: JsonOption = False) -> None:
    """Turn the recording of a run into one event table (events.parquet), on one clock.

    Also writes timeline.json, which ui.perfetto.dev shows.

    Example: `ligament trace build/perception/processes/runs/20260101-120000`
    """
    traced = trace_run(run)
    if json:
        print_json({**_counts(traced.conversion), **_timeline(traced)})
    else:
        _print(traced)


@trace.command("env")
def env(run: RunArgument, json: JsonOption = False) -> None:
    """Print what a program needs in its environment to be recorded with a run that is in progress.

    Example: `env $(ligament trace env build/perception/processes/runs/RUN) python3 tracker.py`
    """
    found = environment_of(run)
    if json:
        print_json(found)
    else:
        print("\n".join(f"{name}={value}" for name, value in found.items()))


@trace.command("import")
def import_(
    recording: RecordingArgument,
    name: NameOption = None,
    graph_name: GraphNameOption = GRAPH,
    out: OutOption = None,
    graph: GraphOption = None,
    json: JsonOption = False,
) -> None:
    """Read a recording of an unmodified ROS 2 system (ros2_tracing, Humble to Jazzy).

    Writes the event table, timeline.json for ui.perfetto.dev and import.json into a folder that
    `ligament report` takes.

    Example: `ligament trace import ~/.ros/tracing/session-20260101` `--graph graph.yaml`
    """
    folder = import_folder(recording, name=name, graph=graph_name, out=out)
    before = imported_into(folder)
    made = import_recording(recording, name=name, graph=graph_name, out=out)
    if before is not None:
        warn((f"{folder}: replaced the earlier import of '{before}'",))
    gaps = write_graph(made.conversion.path, graph, made.folder.name) if graph else []
    if json:
        print_json(
            {
                **_counts(made.conversion),
                "folder": str(made.folder),
                **_timeline(made),
                "graph": str(graph) if graph else None,
                "graph_gaps": gaps,
                "error": made.conversion.error or None,
            }
        )
    else:
        _print(made)
        if graph:
            print(f"graph: {graph}")
            for gap in gaps:
                print(f"  to be filled in: {gap}")
        print(f"report: ligament report {made.folder}")
    if made.conversion.error:
        raise TraceError(
            f"the recording could not be read to its end: {made.conversion.error} "
            f"({made.conversion.provider_events} events before that were imported)",
            hint=f"`ligament report {made.folder}` reports on these, and says so",
        )


def _timeline(traced: Traced) -> dict[str, object]:
    return {"timeline": str(traced.timeline), "timeline_is_whole": traced.timeline_is_whole}


def _counts(conversion: Conversion) -> dict[str, object]:
    return {
        "table": str(conversion.path),
        "events": conversion.events,
        "provider_events": conversion.provider_events,
        "discarded_events": conversion.discarded_events,
        "discarded_packets": conversion.discarded_packets,
        "unknown_losses": conversion.unknown_losses,
        "foreign_events": conversion.foreign_events,
    }


def _print(traced: Traced) -> None:
    conversion = traced.conversion
    lost = conversion.discarded_events + conversion.discarded_packets + conversion.unknown_losses
    rows = conversion.events
    made = conversion.provider_events
    events = f"{made} events" if made == rows else f"{made} events ({rows} rows)"
    print(f"{events}, {lost} lost: {conversion.path}")
    whole = traced.timeline_is_whole
    shown = "" if whole else f" (the first {MOST_ROWS} rows; the rest is in the table beside it)"
    print(f"timeline for ui.perfetto.dev: {traced.timeline}{shown}")
