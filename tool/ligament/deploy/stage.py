# SPDX-License-Identifier: Apache-2.0
"""From a built graph and hosts.yaml to one finished run."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ligament.deploy.deploy import Deploy
from ligament.deploy.gather import gather
from ligament.deploy.hosts import Hosts, load_hosts
from ligament.deploy.parts import Part, parts_of
from ligament.deploy.state import DeployOptions
from ligament.errors import InputError, Problem, no_such
from ligament.mapping import GraphMapping
from ligament.run.ending import last_groups
from ligament.run.graph_run import FinishedRun
from ligament.run.hosts import mapping_of
from ligament.run.outcome import Observer
from ligament.run.plan import new_run_folder, read_build


@dataclass(frozen=True)
class DeployRequest:
    """What `ligament deploy` was asked for."""

    build: Path
    """build.json; the run's folder lies beside it."""
    hosts: Path
    options: DeployOptions = field(default_factory=DeployOptions)
    builds: Mapping[str, Path] = field(default_factory=dict)
    """By host, where its part is of another build of the same variant."""


def deploy_graph(request: DeployRequest, observer: Observer) -> FinishedRun:
    """Run a built graph on its hosts to its end; raises for what is wrong before it was started."""
    build = read_build(request.build)
    mapping = mapping_of(request.build)
    if mapping is None:
        raise InputError(_no_hosts(build["graph"]))
    hosts = hosts_of(mapping, request.hosts)
    parts = {
        host: parts_of(request.builds.get(host, request.build), mapping)[host]
        for host in mapping.hosts
    }
    until = _known(request.options.until, parts)
    options = replace(request.options, until=until)
    name = f"{build['graph']}/{build['variant']}"

    async def run() -> FinishedRun:
        deploy = Deploy(parts, hosts, name, deciders(build, parts, until), options, observer)
        runs = request.build.parent / "runs"
        folder, outcome = await deploy.run(lambda: new_run_folder(runs, ("hosts",)))
        data = gather(folder, build, outcome)
        return FinishedRun(folder / "run.json", data, outcome.verdict.exit_code)

    return asyncio.run(run())


def hosts_of(mapping: GraphMapping, path: Path) -> Hosts:
    """How the hosts of a mapping are reached; an error if it names none, or the file not all."""
    if not mapping.hosts:
        raise InputError(_no_hosts(mapping.graph))
    return load_hosts(path, mapping.hosts)


def deciders(
    build: Mapping[str, Any], parts: Mapping[str, Part], until: tuple[str, ...] = ()
) -> set[str]:
    """The hosts whose end is the graph's: with the nodes of --until, else with the sink of the
    check, else with last groups. Of nodes that only offer services nobody waits for the end.
    """
    host_of = {node: host for host, part in parts.items() for node in part.nodes}
    check = build.get("check")
    if until:
        deciding = list(until)
    elif check and check["sink"] in host_of:
        deciding = [check["sink"]]
    else:
        working = (set(host_of) - set(build.get("servers", ()))) or set(host_of)
        deciding = [n for group in last_groups(working, build.get("topics", {})) for n in group]
    return {host_of[node] for node in deciding if node in host_of}


def _known(until: tuple[str, ...], parts: Mapping[str, Part]) -> tuple[str, ...]:
    nodes = [node for part in parts.values() for node in part.nodes]
    named = tuple(n if n.startswith("/") else f"/{n}" for n in until)
    for name in named:
        if name not in nodes:
            raise InputError(
                no_such(
                    "node-unknown",
                    f"--until: there is no node '{name}' in this variant",
                    name,
                    nodes,
                    before="one of ",
                )
            )
    return named


def _no_hosts(graph: str) -> Problem:
    return Problem(
        "host-missing",
        f"the nodes of '{graph}' name no hosts",
        expected="`host:` at the nodes in graph.yaml, or `hosts:` in the variant",
        hint="ligament run starts a graph on this computer",
    )
