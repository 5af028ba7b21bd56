# SPDX-License-Identifier: Apache-2.0
"""The edges of a run as processes: when there are some, whose pool each serves, how they start.

An edge is watched like a container, holds no node, and is started again when it dies: topics within
a pool do not need it, and remote peers match again. Either one serves all containers of the host,
which share a pool, or each container has a pool and an edge of its own.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from ligament import resources
from ligament.errors import FailureError
from ligament.graph.model import Edge
from ligament.graph.names import name_hash
from ligament.mapping import GraphMapping
from ligament.run.discovery import MAX_DOMAIN_ID, Network, choose_network
from ligament.run.process import ContainerSpec

__all__ = ["MAX_DOMAIN_ID", "EdgeOptions", "EdgePlan", "edge_specs", "plan_edges"]

NAME = "edge"
_LONGEST_POOL = 48  # pool.hpp, DomainOptions


@dataclass(frozen=True)
class EdgeOptions:
    """What the user says about the edge. `wanted`: also where no topic is mapped to dds."""

    wanted: bool = False
    domain_id: int | None = None
    humble: bool = False


@dataclass(frozen=True)
class EdgePlan:
    """What a run's edges have in common; `exists` False: the run has none."""

    exists: bool = False
    per_container: bool = False
    ros_tools: bool = False
    humble: bool = False
    network: Network = field(default_factory=lambda: Network(0, "subnet", ()))

    def pool(self, domain: str, container: str) -> str:
        """The pool that a container's nodes meet in."""
        if not self.per_container:
            return domain
        name = f"{domain}.{container}"
        return name if len(name) <= _LONGEST_POOL else f"{domain[:31]}.{name_hash(name):016x}"


def plan_edges(
    mapping: GraphMapping | None, nodes: Collection[str], options: EdgeOptions
) -> EdgePlan:
    """Whether these nodes have an edge, by the user, the graph or a topic that needs one."""
    asked = mapping.edge if mapping is not None else Edge()
    if not (options.wanted or asked.wanted or _has_dds(mapping, nodes)):
        return EdgePlan()
    return EdgePlan(
        exists=True,
        per_container=asked.per == "container",
        ros_tools=asked.ros_tools,
        humble=options.humble,
        network=choose_network(asked, options.domain_id),
    )


def _has_dds(mapping: GraphMapping | None, nodes: Collection[str]) -> bool:
    topics = mapping.topics.values() if mapping is not None else ()
    return any("dds" in t.transports and any(e.node in nodes for e in t.ends) for t in topics)


def edge_specs(
    plan: EdgePlan, domain: str, run_id: str, containers: Collection[str], log: Path
) -> list[ContainerSpec]:
    """How the edges are started; `log` is the folder of logs."""
    if not plan.exists:
        return []
    if plan.per_container:
        # No container's name has a dot.
        pools = {f"{NAME}.{c}": plan.pool(domain, c) for c in containers}
    else:
        pools = {NAME if NAME not in containers else f"{NAME}.host": domain}
    return [_spec(plan, name, pool, run_id, log) for name, pool in pools.items()]


def _spec(plan: EdgePlan, name: str, pool: str, run_id: str, log: Path) -> ContainerSpec:
    command = [str(_program()), "--graph", pool, "--run-id", run_id]
    command += ["--domain-id", str(plan.network.domain_id)]
    command += ["--humble"] if plan.humble else []
    environment = plan.network.environment(f"{run_id}.{name}")
    return ContainerSpec(
        name,
        command,
        log / f"{name}.log",
        nodes=[],
        on_failure="restart",
        auxiliary=True,
        environment=environment,
    )


def edge_program() -> Path:
    """Where the edge is installed, if it is."""
    return resources.prefix() / "lib" / "ligament" / "ligament-edge"


def _program() -> Path:
    program = edge_program()
    if not program.is_file():
        raise FailureError(
            f"the edge is missing: {program}",
            hint="it is built where Cyclone DDS is (Debian: cyclonedds-dev), then: make setup",
        )
    return program
