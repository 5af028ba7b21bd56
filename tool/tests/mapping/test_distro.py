# SPDX-License-Identifier: Apache-2.0
"""The graph's ROS 2 distribution, from the graph to who speaks for it on the network."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ligament.graph import load_graph
from ligament.mapping import load_platform, map_graph
from ligament.mapping.model import from_json
from ligament.run.edge import EdgeOptions, plan_edges
from ligament.run.hosts import Share

PERCEPTION = Path(__file__).resolve().parents[3] / "examples" / "perception" / "graph.yaml"


@pytest.mark.parametrize(("distro", "humble"), [("jazzy", False), ("humble", True)])
def test_edges_write_graph_messages_as_the_distribution_reads_them(
    distro: str, humble: bool
) -> None:
    graph = replace(load_graph(PERCEPTION), distro=distro)
    mapping = from_json(map_graph(graph, load_platform("host"), "processes").to_json())
    plan = plan_edges(mapping, Share({}), EdgeOptions(wanted=True))
    assert plan.humble == humble
