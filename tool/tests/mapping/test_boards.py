# SPDX-License-Identifier: Apache-2.0
"""Platforms that are boards: each takes a graph that fits it, and refuses one that does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from ligament.errors import InputError
from ligament.graph import load_graph
from ligament.mapping import load_platform, map_graph, planned
from ligament.mapping.files import platform_names
from ligament.resources import node_packages_dir

EXAMPLES = node_packages_dir().parent / "examples"
FITS = [
    ("kv260", "perception/graph.yaml", "fpga_streamed"),
    ("kv260", "driving/graph_lanes.yaml", "hardware_topics"),
    ("kv260", "driving/graph_slam.yaml", "hardware_gateway"),
    ("kv260", "motor/graph.yaml", "mcu"),
    ("zcu104", "driving/graph_lanes.yaml", "hardware_nodes"),
    ("zcu102-qemu", "motor/graph.yaml", "mcu"),
    ("mps2-m4-qemu", "motor/graph.yaml", "mcu"),
    ("jetson-xavier", "perception/graph.yaml", "gpu"),
    ("jetson-tx2", "filters/graph.yaml", "gpu_queue"),
    ("ecp5-evn", "threshold/graph.yaml", "hardware"),
]
PROCESSORS_ALONE = ("qemu-arm64",)


def mapped(platform: str, graph: str, variant: str):
    """The mapping of an example, with back-ends that need not be installed."""
    return map_graph(
        load_graph(Path(EXAMPLES / graph)), load_platform(platform), variant, planned()
    )


@pytest.mark.parametrize(("platform", "graph", "variant"), FITS)
def test_a_graph_that_fits_a_board_is_mapped_to_it(platform, graph, variant):
    mapping = mapped(platform, graph, variant)
    beside = {node.device for node in mapping.nodes.values()} - {"cpu0"}
    assert beside, "some node is on another device than the processors"
    assert beside <= set(load_platform(platform).devices)


def test_each_board_has_such_a_graph():
    boards = {name for name in platform_names() if load_platform(name).board}
    assert boards == {*(platform for platform, _, _ in FITS), *PROCESSORS_ALONE}


@pytest.mark.parametrize("platform", PROCESSORS_ALONE)
def test_a_board_without_other_devices_takes_software(platform):
    assert {device.kind for device in load_platform(platform).devices.values()} == {"cpu"}
    nodes = mapped(platform, "adder/graph.yaml", "software").nodes.values()
    assert {node.device for node in nodes} == {"cpu0"}


def test_boards_come_behind_what_runs_on_this_computer():
    named = [bool(load_platform(name).board) for name in platform_names()]
    assert platform_names()[0] == "host"
    assert named == sorted(named)


def test_a_design_that_a_board_has_no_room_for_is_refused_with_the_resource():
    with pytest.raises(InputError) as caught:
        mapped("ecp5-evn", "perception/graph.yaml", "fpga_streamed")
    (problem,) = [p for p in caught.value.problems if p.code == "budget-overrun"][:1]
    assert "dsp" in str(problem)
    mapped("kv260", "perception/graph.yaml", "fpga_streamed")
