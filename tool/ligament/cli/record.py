# SPDX-License-Identifier: Apache-2.0
"""`ligament record`: what a running graph publishes, in a bag that ROS 2's tools read."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from ligament.artefacts import DEFAULT_OUT
from ligament.bag.showing import followed, recording_line, recording_table, size_text
from ligament.bag.topics import absent_topics
from ligament.bag.types import domain_of_run, known_of_runs
from ligament.cli.common import JsonOption, print_json, warn
from ligament.errors import InputError, Problem
from ligament.run.edge import EdgeOptions, ros_domain

Target = Annotated[
    str | None,
    typer.Argument(metavar="GRAPH", help="Name of a running graph; default: the only one."),
]
Topics = Annotated[
    list[str] | None,
    typer.Option("--topics", "-t", metavar="NAME", help="Only this topic; may be repeated."),
]
Pattern = Annotated[
    str | None,
    typer.Option("--regex", "-e", metavar="TEXT", help="Only topics in whose name it is found."),
]
Folder = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="DIR", help="Folder to make; default: graph and time."),
]
Duration = Annotated[
    float | None,
    typer.Option("--duration", "-d", metavar="S", help="End after S seconds (above 0)."),
]
Types = Annotated[
    list[Path] | None,
    typer.Option(
        "--types",
        metavar="DIR",
        help="A package folder with .msg files that the graph uses; may be repeated. Those of "
        "graphs that run below build/ are known.",
    ),
]
Wait = Annotated[
    bool,
    typer.Option("--wait", help="Reliable keep_all publishers wait for the disk; none is lost."),
]
Held = Annotated[
    int,
    typer.Option(
        "--held",
        min=2,
        max=1024,
        metavar="N",
        help="Messages of a topic that may wait for the disk; their publisher gets that much "
        "more memory.",
    ),
]

Ros = Annotated[
    bool,
    typer.Option(
        "--ros",
        help="The ROS 2 domain of ROS_DOMAIN_ID: nodes on rmw_ligament_cpp, and graphs that run "
        "with --ros or have executables.",
    ),
]


def domain_of(graph: str | None, ros: bool) -> str | None:
    """The shared-memory domain that was asked for, by a running graph's name or its own.

    None: the only one that runs.
    """
    if graph and ros:
        raise InputError(Problem("two-domains", f"'{graph}' and --ros name two domains: give one"))
    if graph:
        return domain_of_run(DEFAULT_OUT, graph) or graph
    return ros_domain(EdgeOptions(shared=ros))


def record(
    graph: Target = None,
    topics: Topics = None,
    regex: Pattern = None,
    out: Folder = None,
    duration: Duration = None,
    types: Types = None,
    wait: Wait = False,
    held: Held = 16,
    ros: Ros = False,
    json: JsonOption = False,
) -> None:
    """Record what a running graph publishes into a bag in MCAP, as `ros2 bag record` does.

    Messages are written from where they lie in shared memory. Ends with the graph, after
    --duration, or with Ctrl-C. The graph does not wait for the disk: what is lost is counted.
    A topic of --topics that is not there yet is recorded once it is; a warning says so.

    Examples:

    `ligament record`

    `ligament record perception --topics /image_rect --duration 10 --out rectified`

    `ligament record --ros`, of rclpy nodes on `rmw_ligament_cpp`
    """
    domain = domain_of(graph, ros)
    folder = out or Path(
        datetime.now().strftime(f"{graph or domain or 'recording'}_%Y_%m_%d-%H_%M_%S")
    )
    _require_above_0(duration)
    _require_new(folder)
    words = ["record", "--out", str(folder), "--held", str(held)]
    words += ["--domain", domain] if domain else []
    words += [word for topic in topics or () for word in ("--topic", topic)]
    words += ["--regex", regex] if regex else []
    words += ["--duration", str(duration)] if duration else []
    words += ["--wait"] if wait else []
    with tempfile.NamedTemporaryFile("w", suffix=".json") as definitions:
        definitions.write(known_of_runs(DEFAULT_OUT, domain).text(types or ()))
        definitions.flush()
        started = time.monotonic()
        last = followed(
            [*words, "--types", definitions.name],
            lambda told: recording_line(time.monotonic() - started, told),
            is_quiet=json,
            warnings_of=absent_topics(topics or (), DEFAULT_OUT, domain),
        )
    if json:
        print_json(last)
    else:
        _tell(folder, last)


def _tell(folder: Path, last: Mapping[str, Any]) -> None:
    """What was recorded, and what is wrong with it."""
    print(recording_table(last))
    rate = size_text(last["bytes"] / max(last["seconds"], 1e-9))
    print(
        f"{folder}: {last['messages']} messages, {size_text(last['file_bytes'])} in "
        f"{last['seconds']:.1f} s ({rate}/s)"
        + (", until the graph ended" if last["graph_ended"] else "")
    )
    if not last["messages"]:
        warn(("no message came meanwhile: is it the right graph, and does it publish?",))
    if last["lost"]:
        warn((f"{last['lost']} messages were lost: published again before they were taken",))


def _require_above_0(duration: float | None) -> None:
    if duration is not None and not duration > 0:
        hint = "without it, the recording ends with the graph or with Ctrl-C"
        raise InputError(
            Problem("duration", f"--duration {duration:g}: a duration is above 0", hint=hint)
        )


def _require_new(folder: Path) -> None:
    if folder.exists():
        raise InputError(
            Problem("out-exists", f"'{folder}' is there already", hint="choose another --out DIR")
        )
