# SPDX-License-Identifier: Apache-2.0
"""A device that a platform lacks: which of the known platforms have it."""

from __future__ import annotations

import re
from dataclasses import replace

from ligament.errors import InputError, Problem, listing
from ligament.graph.model import Graph
from ligament.mapping.backends import Backends
from ligament.mapping.files import load_platform, platform_names
from ligament.mapping.map import map_graph
from ligament.mapping.model import GraphMapping
from ligament.mapping.platform import Platform


def map_or_tell(
    graph: Graph, platform: Platform, variant: str | None = None, backends: Backends | None = None
) -> GraphMapping:
    """As `map_graph`, whose refusal then names the platforms that have the device."""
    try:
        return map_graph(graph, platform, variant, backends)
    except InputError as error:
        raise InputError([told_where(problem) for problem in error.problems]) from None


def told_where(problem: Problem) -> Problem:
    """Return the problem with a hint, where a device is unknown that another platform has."""
    asked = re.search(r"'([^']*)'$", problem.text)
    if problem.code != "device-unknown" or asked is None:
        return problem
    known = [load_platform(name) for name in platform_names()]
    able = [platform for platform in known if _has(platform, asked[1])]
    if not able:
        return problem
    # What runs on this computer is tried before a board.
    having = [platform.name for platform in able if not platform.board]
    having = having or [platform.name for platform in able]
    has = f"has '{asked[1]}'" if len(having) == 1 else f"have '{asked[1]}'"
    options = " or ".join(f"--platform {name}" for name in having)
    return replace(problem, hint=f"{listing(having)} {has}: {options}")


def _has(platform: Platform, asked: str) -> bool:
    return platform.find(asked) is not None or bool(platform.of_kind(asked))
