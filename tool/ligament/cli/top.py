# SPDX-License-Identifier: Apache-2.0
"""`ligament top`: a running graph, live."""

from __future__ import annotations

import json as json_module
import time
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.live import Live

from ligament.artefacts import DEFAULT_OUT, graph_folder
from ligament.cli.common import JsonOption, OutOption, graph_path, print_json
from ligament.errors import InputError
from ligament.graph import load_graph
from ligament.top.figures import Top
from ligament.top.find import find_run, no_such_run, read_run
from ligament.top.tail import StatusTail
from ligament.top.terminal import picture

Target = Annotated[
    str | None,
    typer.Argument(
        metavar="GRAPH|RUN_DIR",
        help="A graph, or its name; default: the graph that runs below --out.",
    ),
]
Once = Annotated[bool, typer.Option("--once", help="Show it once, and end.")]
Interval = Annotated[
    float, typer.Option("--interval", "-i", min=0.1, metavar="S", help="Time between two looks.")
]


def top(
    target: Target = None,
    once: Once = False,
    interval: Interval = 1.0,
    out: OutOption = DEFAULT_OUT,
    json: JsonOption = False,
) -> None:
    """Watch a running graph: rates, latencies, drops, copies, the pool's fill, CPU per container.

    Everything is counted by the containers anyway; nothing needs to be traced. Ends with the run,
    or with Ctrl-C. With --json one document per look, one line each.

    Examples:

    ligament top

    ligament top perception --once

    ligament top examples/perception --once --json
    """
    folder = find_run(runs_folder(target, out))
    view = RunView(folder)
    if once:
        shown = view.look()
        print_json(shown) if json else _console().print(picture(shown))
    elif json:
        for shown in view.looks(interval):
            print(json_module.dumps(shown, separators=(",", ":")), flush=True)
    else:
        _watch(view, interval)


class RunView:
    """One run, looked at again and again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._tail = StatusTail(folder / "status.jsonl")
        self._top = Top()

    def look(self) -> dict[str, Any]:
        """The run at this moment."""
        run = read_run(self._folder)
        self._top.take(self._tail.read())
        return self._top.snapshot(time.monotonic_ns(), run, self._tail.unreadable)

    def looks(self, interval_s: float) -> Any:
        """A look after each interval, until the run has ended."""
        while True:
            shown = self.look()
            yield shown
            if shown["state"] not in ("running", "unknown"):
                return
            time.sleep(interval_s)


def runs_folder(target: str | None, out: Path) -> Path:
    """A run's folder, or where the runs of a graph lie; it may be named, too."""
    if target is None:
        return out
    path = Path(target)
    if (path / "graph.yaml").is_file() or path.suffix in (".yaml", ".yml"):
        return graph_folder(load_graph(graph_path(target)).name, out)
    if path.exists():
        return path
    named = graph_folder(target, out)
    if len(path.parts) > 1 or not named.is_dir():
        raise InputError(no_such_run(target, out))
    return named


def _console() -> Console:
    console = Console()
    return console if console.is_terminal else Console(width=160)


def _watch(view: RunView, interval: float) -> None:
    console = _console()
    if not console.is_terminal:
        for shown in view.looks(interval):
            console.print(picture(shown))
        return
    with Live(console=console, auto_refresh=False, screen=True) as live:
        for shown in view.looks(interval):
            live.update(picture(shown), refresh=True)
    console.print(picture(shown))
