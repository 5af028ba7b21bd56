# SPDX-License-Identifier: Apache-2.0
"""The edges of a run as processes: when there are some, whose pool each serves, how they start.

An edge is watched like a container, holds no node, and is started again when it dies: topics within
a pool do not need it, and remote peers match again. Either one serves all containers of the host,
which share a pool, or each container has a pool and an edge of its own. An edge may also be within
a container: then that container's configuration and environment say what its process would be told.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ligament import resources
from ligament.errors import FailureError, InputError, Problem
from ligament.graph.model import Edge
from ligament.graph.names import name_hash
from ligament.mapping import GraphMapping
from ligament.run.discovery import MAX_DOMAIN_ID, Network, choose_network
from ligament.run.hosts import Share
from ligament.run.process import ContainerSpec

__all__ = [
    "MAX_DOMAIN_ID",
    "EdgeOptions",
    "EdgePlan",
    "edge_specs",
    "needs_edge",
    "plan_edges",
    "ros_domain",
]

NAME = "edge"
ORIGIN = "/_edge"
"""What an edge within a container has to say, it says as this node."""
_LONGEST_POOL = 48  # pool.hpp, DomainOptions


@dataclass(frozen=True)
class EdgeOptions:
    """What the user says about the edge. `wanted`: also where no topic is mapped to dds.

    `shared`: the nodes are in the pool of a ROS domain, which has one edge, whoever starts it.
    """

    wanted: bool = False
    domain_id: int | None = None
    shared: bool = False


@dataclass(frozen=True)
class EdgePlan:
    """What a run's edges have in common; `exists` False: the run has none."""

    exists: bool = False
    per_container: bool = False
    inside: frozenset[str] = frozenset()
    """Containers that hold an edge."""
    ros_tools: bool = False
    humble: bool = False
    shared: bool = False
    network: Network = field(default_factory=lambda: Network(0, "subnet", ()))

    def pool(self, domain: str, container: str) -> str:
        """The pool that a container's nodes meet in."""
        if not self.per_container:
            return domain
        name = f"{domain}.{container}"
        return name if len(name) <= _LONGEST_POOL else f"{domain[:31]}.{name_hash(name):016x}"

    def settings(self) -> dict[str, Any]:
        """What the configuration of a container that holds an edge says of it."""
        return {"domain_id": self.network.domain_id, "humble": self.humble}

    def environment(self, run_id: str, container: str) -> dict[str, str]:
        """What such a container needs in its environment."""
        return self.network.environment(f"{run_id}.{container}") if container in self.inside else {}


def plan_edges(mapping: GraphMapping | None, share: Share, options: EdgeOptions) -> EdgePlan:
    """Whether this host's nodes have an edge, by the user, the graph or a topic that needs one."""
    asked = mapping.edge if mapping is not None else Edge()
    if not (options.wanted or needs_edge(mapping, share.nodes)):
        return EdgePlan()
    inside = _inside(asked, share.containers)
    if options.shared and (inside or asked.per == "container"):
        raise _refused_sharing()
    if inside:
        _require(inner_edge_object())
    return EdgePlan(
        exists=True,
        per_container=asked.per == "container",
        inside=inside,
        ros_tools=asked.ros_tools,
        humble=mapping is not None and mapping.distro == "humble",
        shared=options.shared,
        network=choose_network(asked, options.domain_id),
    )


def ros_domain(options: EdgeOptions, asked: Edge | None = None) -> str | None:
    """The pool in which ROS 2's nodes of this computer meet, if the graph is to be one of them.

    `asked`: what the graph says, which counts where the user says nothing.
    """
    if not options.shared:
        return None
    return f"ros.{choose_network(asked or Edge(), options.domain_id).domain_id}"


def _refused_sharing() -> InputError:
    return InputError(
        Problem(
            "edge-not-shared",
            "this variant has its edges within containers, or one for each: not with --ros",
            expected="one edge for the ROS domain",
            hint="run another variant, or without --ros",
        )
    )


def _inside(asked: Edge, containers: Collection[str]) -> frozenset[str]:
    if asked.per == "container" or isinstance(asked.inside, bool):
        return frozenset(containers if asked.inside else ())
    return frozenset(c for c in containers if c == asked.inside)


def needs_edge(mapping: GraphMapping | None, nodes: Collection[str]) -> bool:
    """Whether these nodes have an edge by the graph or by a topic that crosses through DDS."""
    if mapping is None:
        return False
    return mapping.edge.wanted or any(
        "dds" in topic.transports and any(end.node in nodes for end in topic.ends)
        for topic in mapping.topics.values()
    )


def edge_specs(
    plan: EdgePlan, domain: str, run_id: str, containers: Collection[str], log: Path
) -> list[ContainerSpec]:
    """How the edges are started; `log` is the folder of logs."""
    if not plan.exists:
        return []
    if plan.per_container:
        # No container's name has a dot.
        pools = {f"{NAME}.{c}": plan.pool(domain, c) for c in containers if c not in plan.inside}
    elif plan.inside:
        return []
    else:
        pools = {NAME if NAME not in containers else f"{NAME}.host": domain}
    return [_spec(plan, name, pool, run_id, log) for name, pool in pools.items()]


def _spec(plan: EdgePlan, name: str, pool: str, run_id: str, log: Path) -> ContainerSpec:
    command = [str(_require(edge_program())), "--graph", pool, "--run-id", run_id]
    command += ["--domain-id", str(plan.network.domain_id)]
    command += ["--humble"] if plan.humble else []
    command += ["--attend"] if plan.shared else []
    environment = plan.network.environment(f"{run_id}.{name}")
    return ContainerSpec(
        name,
        command,
        log / f"{name}.log",
        nodes=[],
        on_failure="restart",
        auxiliary=True,
        network=f"DDS domain {plan.network.domain_id}",
        environment=environment,
    )


def edge_program() -> Path:
    """Where the edge is installed, if it is."""
    return resources.prefix() / "lib" / "ligament" / "ligament-edge"


def inner_edge_object() -> Path:
    """Where the same is for containers to load."""
    return resources.prefix() / "lib" / "ligament" / "libligament-edge.so"


def _require(path: Path) -> Path:
    if not path.is_file():
        raise FailureError(
            f"the edge is missing: {path}",
            hint="it is built where Cyclone DDS is (Debian: cyclonedds-dev), then: make setup",
        )
    return path
