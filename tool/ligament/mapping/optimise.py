# SPDX-License-Identifier: Apache-2.0
"""`ligament map --optimise`: the node mapping that measured costs speak for, as a mapping.

    mapping = optimise(graph, platform, costs, "processes", installed())
    mapping.optimised.before.chain_ns, mapping.optimised.after.chain_ns

What it proposes is a mapping like any other: each node says why it is where it is. Wishes of the
graph and of the variant stand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ligament.errors import InputError, Problem
from ligament.graph.model import Graph
from ligament.mapping.backends import Backends
from ligament.mapping.costs import Costs
from ligament.mapping.fuse import variant_graph
from ligament.mapping.map import find_variant, map_graph
from ligament.mapping.model import Cost, GraphMapping, MappedNode, Optimised, Reason
from ligament.mapping.placing import Answer, Option, Question, judge, question_of
from ligament.mapping.platform import Platform
from ligament.mapping.solve import best_answer


def optimise(
    graph: Graph, platform: Platform, costs: Costs, variant: str | None, backends: Backends
) -> GraphMapping:
    """Return the best mapping; raise InputError where costs are missing or nothing fits."""
    if costs.graph != graph.name:
        raise InputError(
            Problem(
                "costs-graph",
                f"the costs are of the graph '{costs.graph}'",
                expected=f"costs of '{graph.name}'",
            )
        )
    wanted = find_variant(graph, variant)
    by_rules = map_graph(graph, platform, wanted.name, backends)
    asked, _ = variant_graph(graph, wanted)
    nodes = {
        n: replace(
            node,
            device=wanted.devices.get(n, node.device),
            implementation=wanted.implementations.get(n, node.implementation),
        )
        for n, node in asked.nodes.items()
    }
    question = question_of(replace(asked, nodes=nodes), platform, costs, backends)
    before = {n: _place(question, n, node.device) for n, node in by_rules.nodes.items()}
    after = best_answer(question, before)
    devices = {n: question.options[n][i].device for n, i in after.items()}
    free = {n: d for n, d in devices.items() if len(question.options[n]) > 1}
    proposed = replace(wanted, devices={**wanted.devices, **free})
    mapping = map_graph(
        replace(graph, variants={**graph.variants, wanted.name: proposed}),
        platform,
        wanted.name,
        backends,
    )
    moved = {n: (by_rules.nodes[n].device, d) for n, d in devices.items()}
    return replace(
        mapping,
        nodes={
            n: _explained(node, question.options[n][after[n]], len(question.options[n]))
            for n, node in mapping.nodes.items()
        },
        optimised=_optimised(question, before, after, moved),
    )


def _place(question: Question, node: str, device: str) -> int:
    """Return the option that the rules took."""
    for place, option in enumerate(question.options[node]):
        if option.device == device:
            return place
    raise InputError(
        Problem(
            "cost-missing",
            f"the rules put '{node}' on {device}, and no cost of it there is known",
            expected="its time in the costs: run, trace and report this variant, or write it",
        )
    )


def _explained(node: MappedNode, option: Option, options: int) -> MappedNode:
    if options < 2:
        return node
    text = f"runs on {option.device}: with it the longest way through the graph is the shortest"
    costs = (Cost("time of a message", float(option.time_ns), "ns", "the costs given"),)
    area = tuple(
        Cost(f"area {name}", float(amount), "pieces", "the costs given, else declared")
        for name, amount in sorted(option.area.items())
    )
    return replace(node, reason=Reason("optimised", text, costs + area))


def _optimised(
    question: Question, before: Answer, after: Answer, moved: Mapping[str, tuple[str, str]]
) -> Optimised:
    return Optimised(
        before=judge(question, before),
        after=judge(question, after),
        moved={n: f"{old} -> {new}" for n, (old, new) in sorted(moved.items()) if old != new},
        budgets={
            **question.budgets,
            **({"bytes_per_s": question.bytes_per_s} if question.bytes_per_s else {}),
        },
        remarks=question.remarks,
    )
