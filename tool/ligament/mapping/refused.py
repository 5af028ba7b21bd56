# SPDX-License-Identifier: Apache-2.0
"""Which variants of a graph no platform can take: what `map` would refuse, found by `check`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from ligament.errors import InputError, Problem, listing, nearest
from ligament.graph.model import Graph
from ligament.mapping.backends import installed
from ligament.mapping.map import map_graph
from ligament.mapping.platform import Platform

Load = Callable[[str], Platform]


def refused_variants(graph: Graph, platforms: Iterable[str], load: Load) -> Iterator[Problem]:
    """Yield why a variant can be mapped to none of the platforms: of the one that it fits best.

    A platform is loaded only if those before it refuse a variant.
    """
    names, loaded = list(platforms), dict[str, Platform]()
    for variant in graph.variants:
        refusals: dict[str, tuple[Problem, ...]] = {}
        for name in names:
            platform = loaded.get(name) or loaded.setdefault(name, load(name))
            found = _problems(graph, platform, variant)
            if not found:
                break
            refusals[name] = found
        else:
            best = min(refusals, key=lambda name: _unfit(refusals[name]))
            for problem in refusals[best]:
                yield _told(problem, variant, best, loaded)


def _problems(graph: Graph, platform: Platform, variant: str) -> tuple[Problem, ...]:
    try:
        map_graph(graph, platform, variant, installed())
    except InputError as error:
        return error.problems
    return ()


def _unfit(problems: tuple[Problem, ...]) -> tuple[int, int, int]:
    """Orders platforms: one where all nodes can be is nearer than one with fewer problems."""
    codes = [problem.code for problem in problems]
    return codes.count("device-unknown"), codes.count("implementation-missing"), len(codes)


def _told(problem: Problem, variant: str, platform: str, platforms: dict[str, Platform]) -> Problem:
    """A problem of one platform, with its variant; a device that none has is sought in all."""
    text = f"variant '{variant}' cannot be mapped: {problem.text}"
    if problem.code != "device-unknown":
        return replace(problem, text=f"{text} (platform '{platform}')")
    known = sorted({name for each in platforms.values() for name in each.devices})
    asked = problem.text.rpartition(" '")[2].strip("'")
    if len(platforms) > 1:
        text = f"variant '{variant}' cannot be mapped: no known platform has a device '{asked}'"
    return replace(
        problem, text=text, expected=f"one of {listing(known)}", hint=nearest(asked, known)
    )
