# SPDX-License-Identifier: Apache-2.0
"""`ligament view`: a running graph in the browser."""

from __future__ import annotations

import json as json_module
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from ligament.artefacts import DEFAULT_OUT, graph_folder, read_json_object
from ligament.bag.types import graphs_of_runs
from ligament.cli.common import JsonOption, OutOption, warn
from ligament.cli.record import Pattern, Ros, Topics, domain_of
from ligament.cli.top import RunView, runs_folder
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
    int,
    typer.Option(
        "--port", min=0, max=65535, metavar="N", help="Port to serve on; 0: any that is free."
    ),
]
Host = Annotated[
    str,
    typer.Option("--host", metavar="ADDRESS", help="Address to serve on; at any other than "
                 "127.0.0.1 other computers can look, without a password."),
]  # fmt: skip
From = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="TOPIC",
        help="First topic of the chain whose latency is shown; default: of the longest one.",
    ),
]
To = Annotated[str | None, typer.Option("--to", metavar="TOPIC", help="Last topic of that chain.")]
Wait = Annotated[bool, typer.Option("--wait", help="Wait until the graph runs.")]
Rate = Annotated[
    float,
    typer.Option(
        "--rate", min=0.1, max=30.0, metavar="HZ", help="Most images of a topic in a second."
    ),
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
    # In the background of a script it would be ignored, and `kill -INT` end nothing.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    words = ["--rate", str(rate)]
    words += [word for topic in topics or () for word in ("--topic", topic)]
    words += ["--regex", regex] if regex else []
    if not wait:  # a mistake is told before a page is promised
        chosen_chain(_found(target, out, ros).graph, begin, end)
    shown = View()
    feeds: list[Feed] = []
    server = _serve(host, port, shown, feeds)
    _tell(server, json)
    try:
        while True:
            try:
                found = _found(target, out, ros)
                chain = chosen_chain(found.graph, begin, end)
                shown.begin(str(found.graph.get("name", "")), chain, found.looks)
                domain_words = ["--domain", found.domain] if found.domain else []
                _follow([*words, *domain_words], shown, feeds)
                return
            except InputError as error:
                if not (wait and shown.is_waiting and _may_come(error)):
                    raise
            time.sleep(_AGAIN_S)
    finally:
        server.close()


@dataclass(frozen=True)
class _Found:
    """What is meant: the domain, None for the only one; what is known of its graph and its run."""

    domain: str | None
    graph: dict[str, Any] = field(default_factory=dict)
    looks: RunView | None = None


def _found(target: str | None, out: Path, ros: bool) -> _Found:
    if ros:
        domain = domain_of(target, ros)
        return _Found(domain, next(graphs_of_runs(out, domain), {}))
    if target is None and next(graphs_of_runs(out, None), None) is None:
        return _Found(None)  # one that was started elsewhere
    folder = out if target is None else graph_folder(target, out)
    if target is not None and Path(target).exists():
        folder = runs_folder(target, out)
    elif not folder.is_dir():
        _require_name(target)
        return _Found(target)
    run = find_run(folder)
    domain = str(read_run(run).get("domain", "")) or None
    return _Found(domain, read_json_object(run.parents[2] / GRAPH), RunView(run))


def _require_name(target: str | None) -> None:
    """Refuse a path that leads nowhere: with --wait it would be waited for without end."""
    if target and (len(Path(target).parts) > 1 or target.endswith((".yaml", ".yml"))):
        raise InputError(
            Problem("file-missing", f"there is no graph or run '{target}'",
                    expected="a running graph's name, its graph.yaml, or a run's folder")
        )  # fmt: skip


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
                    hint="--port N takes another port, 0 any that is free; --host takes an address "
                         "of this computer")
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
