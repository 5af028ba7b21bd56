# SPDX-License-Identifier: Apache-2.0
"""`ligament play`: the messages of a bag, published again."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from ligament.artefacts import DEFAULT_OUT
from ligament.bag.showing import followed, playing_line, size_text
from ligament.bag.topics import chosen, published_already, require_topics, topics_in
from ligament.bag.types import known_of_runs
from ligament.cli.common import JsonOption, print_json, warn
from ligament.cli.record import Pattern, Ros, Topics, Types, domain_of
from ligament.errors import InputError, Problem

BagArgument = Annotated[
    Path, typer.Argument(metavar="FILE", help="A bag's folder, or an .mcap file.")
]
Rate = Annotated[
    float, typer.Option("--rate", "-r", metavar="X", help="Play X times as fast as recorded.")
]
Loop = Annotated[bool, typer.Option("--loop", "-l", help="Again and again, until Ctrl-C.")]
Domain = Annotated[
    str | None,
    typer.Option(
        "--domain",
        metavar="NAME",
        help="Publish into this graph; default: the only one that runs. If none of that name "
        "runs, its shared-memory domain is made.",
    ),
]


def play(
    file: BagArgument,
    rate: Rate = 1.0,
    loop: Loop = False,
    topics: Topics = None,
    regex: Pattern = None,
    domain: Domain = None,
    types: Types = None,
    ros: Ros = False,
    json: JsonOption = False,
) -> None:
    """Publish a bag into a running graph, with the recorded spacing and QoS.

    Reads bags of `ligament record`, and of `ros2 bag record` in MCAP without compression.

    Examples:

    `ligament play rectified --rate 2`

    `ligament play rectified --topics /image_rect --loop --domain perception`
    """
    if not file.exists():
        raise InputError(Problem("file-missing", f"there is no bag '{file}'"))
    if not rate > 0:
        raise InputError(Problem("rate", f"--rate {rate}: a rate is above 0"))
    known = topics_in(file)
    require_topics(file, topics or (), known)
    words = ["play", str(file), "--rate", str(rate)]
    domain = domain_of(domain, ros)
    warn(published_already(chosen(known, topics or (), regex), DEFAULT_OUT, domain))
    words += ["--domain", domain] if domain else []
    words += [word for topic in topics or () for word in ("--topic", topic)]
    words += ["--regex", regex] if regex else []
    words += ["--loop"] if loop else []
    with tempfile.NamedTemporaryFile("w", suffix=".json") as definitions:
        definitions.write(known_of_runs(DEFAULT_OUT, domain).text(types or ()))
        definitions.flush()
        last = followed([*words, "--types", definitions.name], playing_line, is_quiet=json)
    if json:
        print_json(last)
        return
    print(f"{file}: {last['published']} messages, {size_text(last['bytes'])} played")
    if last["refused"]:
        warn((f"{last['refused']} messages were not published: the pool had no memory for them",))
