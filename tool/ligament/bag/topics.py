# SPDX-License-Identifier: Apache-2.0
"""Names of topics: which a bag has, which a running graph has, and which of the asked ones lack.

Of a bag only the Channel records at the top level of its files are read, and those of its summary:
spec/wire/bag.md. Its messages are read by `ligament-bag`, which says what is wrong with it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from ligament.bag.types import graphs_of_runs
from ligament.errors import InputError, nearest, no_such

_MAGIC = b"\x89MCAP0\r\n"
_FOOTER, _CHANNEL = 0x02, 0x04
_MOST_BYTES = 1 << 24
"""Of a Channel record: a file's lengths may be anything."""
_SHOWN = 3


def topics_in(bag: Path) -> set[str]:
    """The topics of a bag's folder or file; empty where they cannot be told."""
    files = sorted(bag.glob("*.mcap")) if bag.is_dir() else [bag]
    return {topic for file in files for topic in _topics_of_file(file)}


def require_topics(bag: Path, asked: Iterable[str], known: Collection[str]) -> None:
    """Refuse names that are no topic of the bag."""
    problems = [
        no_such("topic-unknown", f"--topics: the bag '{bag}' has no topic '{name}'", name, known)
        for name in asked
        if name not in known
    ]
    if problems and known:
        raise InputError(problems)


def absent_topics(
    asked: Collection[str], out: Path, domain: str | None
) -> Callable[[Mapping[str, Any]], list[str]]:
    """What to say of asked topics that a recorder's status does not show.

    That is no mistake: a publisher may still come.
    """
    known = {
        topic
        for graph in graphs_of_runs(out, domain)
        for part in (graph, *(one for one in graph.get("executables", {}).values()))
        for role in ("topics", "publishes", "subscribes")
        for topic in part.get(role, ())
    }

    def warnings(status: Mapping[str, Any]) -> list[str]:
        there = {topic["topic"] for topic in status["topics"]}
        return [
            f"nobody publishes or subscribes to '{name}': it is recorded only if a publisher comes"
            + (f"; {meant}" if (meant := nearest(name, known)) else "")
            for name in asked
            if name not in there
        ]

    return warnings


def published_already(topics: Iterable[str], out: Path, domain: str | None) -> tuple[str, ...]:
    """What to say of topics that nodes of the running graph publish, too."""
    publishers = {
        name: end["node"]
        for graph in graphs_of_runs(out, domain)
        for name, topic in graph.get("topics", {}).items()
        for end in topic.get("ends", ())
        if end.get("direction") == "out"
    }
    publishers |= {
        topic: name
        for graph in graphs_of_runs(out, domain)
        for name, executable in graph.get("executables", {}).items()
        for topic in executable.get("publishes", ())
    }
    both = sorted(topic for topic in topics if topic in publishers)
    if not both:
        return ()
    shown = ", ".join(f"{topic} by {publishers[topic]}" for topic in both[:_SHOWN])
    more = f" and {len(both) - _SHOWN} more" if len(both) > _SHOWN else ""
    return (
        f"the running graph publishes topics of this bag itself ({shown}{more}): its subscriptions "
        "get the messages of both. Name the topics of the nodes that you left out: --topics NAME",
    )


def chosen(known: Iterable[str], asked: Collection[str], pattern: str | None) -> set[str]:
    """The topics that `--topics` and `--regex` mean; a pattern that is none chooses nothing."""
    if not asked and not pattern:
        return set(known)
    try:
        found = re.compile(pattern) if pattern else None
    except re.error:
        found = None
    return {name for name in known if name in asked or (found and found.search(name))}


def _topics_of_file(path: Path) -> Iterator[str]:
    try:
        with path.open("rb") as file:
            if file.read(len(_MAGIC)) == _MAGIC:
                yield from _channels(file)
    except OSError:
        return


def _channels(file: BinaryIO) -> Iterator[str]:
    """Up to the file's end, wherever that is: each record is a kind, a length and so many bytes."""
    end = os.fstat(file.fileno()).st_size
    while len(head := file.read(9)) == 9 and head[0] != _FOOTER:
        size = int.from_bytes(head[1:], "little")
        if size > end - file.tell():
            return
        if head[0] != _CHANNEL or size > _MOST_BYTES:
            file.seek(size, os.SEEK_CUR)
            continue
        # Two numbers of 16 bits, then the topic: its length in 32 bits, and its text.
        record = file.read(size)
        length = int.from_bytes(record[4:8], "little")
        yield record[8 : 8 + length].decode(errors="replace")
