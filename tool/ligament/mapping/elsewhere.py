# SPDX-License-Identifier: Apache-2.0
"""A device that a platform lacks: which of the known platforms have it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from ligament.errors import InputError, Problem, listing
from ligament.graph.model import Graph
from ligament.mapping.backends import Backends
from ligament.mapping.files import load_platform, platform_names
from ligament.mapping.map import map_graph
from ligament.mapping.model import GraphMapping
from ligament.mapping.platform import Platform

#: Of the refusal of a device.
_LACKS = re.compile(r"'([^']*)' has no device '([^']*)'$")


def map_or_tell(
    graph: Graph, platform: Platform, variant: str | None = None, backends: Backends | None = None
) -> GraphMapping:
    """As `map_graph`, whose refusal then names the platforms that have the device."""
    try:
        return map_graph(graph, platform, variant, backends)
    except InputError as error:
        raise InputError(told_where(error.problems)) from None


def told_where(problems: Iterable[Problem]) -> list[Problem]:
    """Return the problems; the last one about a device that other platforms have names these."""
    found = list(problems)
    told: dict[str, str] = {}
    for number in reversed(range(len(found))):
        lacks = _LACKS.search(found[number].text)
        if found[number].code != "device-unknown" or lacks is None:
            continue
        shown = "" if lacks[2] in told else _hint(lacks[1], lacks[2])
        if told.setdefault(lacks[2], shown):
            found[number] = replace(found[number], hint=shown)
    return found


def _hint(platform: str, asked: str) -> str:
    """Which platforms have the device; empty where none has it."""
    able = [one for one in map(load_platform, platform_names()) if _has(one, asked)]
    if not able:
        return ""
    # What runs on this computer is tried before a board.
    here = [one.name for one in able if not one.board]
    boards = [one.name for one in able if one.board]
    names = [listing(here)] * bool(here) + [f"boards: {listing(boards)}"] * bool(boards)
    default = "; where none is named, it is 'host'" if platform == "host" else ""
    return f"name one that has '{asked}' with --platform: {'; '.join(names)}{default}"


def _has(platform: Platform, asked: str) -> bool:
    return platform.find(asked) is not None or bool(platform.of_kind(asked))
