# SPDX-License-Identifier: Apache-2.0
"""`ligament view`: a running graph in the browser."""

from __future__ import annotations

import json as json_module
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from ligament.artefacts import DEFAULT_OUT, graph_folder, read_json_object
from ligament.bag.types import graphs_of_runs
from ligament.cli.common import JsonOption, OutOption, warn
from ligament.cli.record import Pattern, Ros, Topics, domain_of
from ligament.cli.top import runs_folder
from ligament.errors import FailureError, InputError, Problem
from ligament.top.find import find_run, read_run
from ligament.viewer.choose import chosen_chain
from ligament.viewer.feed import Feed, FeedError
from ligament.viewer.server import Server, Source
from ligament.viewer.state import View

Target = Annotated[
    str | None,
    typer.Argument(
        metavar="GRAPH|RUN_DIR", help="A running graph's name, file or run; default: the only one."
    ),
]
Port = Annotated[
    int, typer.Option("--port", min=0, max=65535, metavar="N", help="0: any that is free.")
]
Host = Annotated[
    str,
    typer.Option("--host", metavar="ADDRESS", help="Address to serve on; other computers can look "
                 "at what is not 127.0.0.1, without a password."),
]  # fmt: skip
From = Annotated[
    str | None,
    typer.Option("--from", metavar="TOPIC", help="First topic of the chain whose latency is told."),
]
To = Annotated[str | None, typer.Option("--to", metavar="TOPIC", help="Its last topic.")]
Wait = Annotated[bool, typer.Option("--wait", help="Wait until the graph runs.")]
Rate = Annotated[
    float,
    typer.Option("--rate", min=0.1, max=30.0, metavar="HZ", help="Images of a topic in a second."),
]
_AGAIN_S = 0.5
GRAPH = "graph.json"


def view(
    target: Target = None,
    topics: Topics = None,
    regex: Pattern = None,
    port: Port = 8421,
    host: Host = "127.0.0.1",
    begin: From = None,
    end: To = None,
    rate: Rate = 5.0,
    wait: Wait = False,
    ros: Ros = False,
    out: OutOption = DEFAULT_OUT,
    json: JsonOption = False,
) -> None:
    """Show a running graph in the browser: images, maps and paths, commands, a chain's latency.

    Nothing is published, and no publisher waits. Ends with the graph, or with Ctrl-C. With --json
    its first line is an object with `url`; the page's data is at `/state` below that.

    Examples:

    `ligament view`

    `ligament view examples/driving/graph_slam.yaml --wait`

    `ligament view --topics /camera/image_raw --port 9000`
    """
    words = ["--rate", str(rate)]
    words += [word for topic in topics or () for word in ("--topic", topic)]
    words += ["--regex", regex] if regex else []
    shown = View()
    feeds: list[Feed] = []
    server = _serve(host, port, shown, feeds)
    _tell(server, json)
    try:
        while True:
            try:
                domain, graph = _found(target, out, ros)
                shown.begin(str(graph.get("name", "")), chosen_chain(graph, begin, end))
                _follow([*words, *(["--domain", domain] if domain else [])], shown, feeds)
                return
            except InputError as error:
                if not (wait and shown.is_waiting and _may_come(error)):
                    raise
            time.sleep(_AGAIN_S)
    finally:
        server.close()


def _found(target: str | None, out: Path, ros: bool) -> tuple[str | None, dict[str, Any]]:
    """Return the domain that is meant, None for the only one; and what is known of its graph."""
    if target is None or ros:
        domain = domain_of(target, ros)
        return domain, next(graphs_of_runs(out, domain), {})
    if not Path(target).exists() and not graph_folder(target, out).is_dir():
        return target, {}
    run = find_run(runs_folder(target, out) if Path(target).exists() else graph_folder(target, out))
    return str(read_run(run).get("domain", "")) or None, read_json_object(run.parents[2] / GRAPH)


def _serve(host: str, port: int, shown: View, feeds: list[Feed]) -> Server:
    def wanted(topics: list[str]) -> None:
        for one in feeds[-1:]:
            for topic in topics:
                one.want(topic)

    def state() -> dict[str, Any]:
        wanted(shown.drawn_topics())
        return shown.to_json()

    def image(topic: str) -> Any:
        if not shown.has_files(topic):
            return None
        wanted([topic])
        return shown.file(topic)

    try:
        return Server(host, port, Source(state, image))
    except OSError as error:
        raise InputError(
            Problem("port", f"{host}:{port} cannot be served: {error}",
                    hint="--port N takes another port, 0 any that is free")
        ) from error  # fmt: skip


def _tell(server: Server, as_json: bool) -> None:
    if as_json:
        print(json_module.dumps({"schema": "ligament/view/1", "url": server.url}), flush=True)
    else:
        print(f"view: {server.url} (Ctrl-C ends it)", flush=True)
    if not (server.host.startswith("127.") or server.host in ("localhost", "::1")):
        warn((f"whoever reaches {server.host} can look at the graph: there is no password",))


def _follow(words: list[str], shown: View, feeds: list[Feed]) -> None:
    """Show what is told until the graph ends."""
    with Feed.started(words) as feed:
        feeds[:] = [feed]
        try:
            for record in feed.records():
                shown.take(record)
        except FeedError as error:
            raise FailureError(f"what ligament-bag tells cannot be read: {error}") from error


def _may_come(error: InputError) -> bool:
    """Whether the graph only does not run yet."""
    said = ("no graph runs", "does not run", "which graph?")
    return any(
        p.code == "nothing-runs" or any(text in p.text for text in said) for p in error.problems
    )
