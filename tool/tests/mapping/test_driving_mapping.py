# SPDX-License-Identifier: Apache-2.0
"""The driving graphs with the papers' mappings."""

from __future__ import annotations

from pathlib import Path

import pytest

from ligament.cli.main import main
from ligament.graph import load_graph
from ligament.mapping import GraphMapping, installed, load_platform, map_graph
from ligament.resources import platforms_dir

DRIVING = Path(__file__).resolve().parents[3] / "examples" / "driving"
PLATFORM = platforms_dir() / "fpga_sim" / "platform.yaml"
CHAIN = {
    "lanes": ("image_projection", "lane_following"),
    "slam": ("lane_planner", "polyfit"),
}
#: The variants whose topics are streams, and what /A is there.
STREAMED = {
    ("lanes", "hardware_topics"): ("hmt",),
    ("slam", "hardware"): ("shm",),
    ("slam", "hardware_gateway"): ("gateway", "shm"),
}


def mapped(name: str, variant: str) -> GraphMapping:
    graph = load_graph(DRIVING / f"graph_{name}.yaml")
    return map_graph(graph, load_platform(str(PLATFORM)), variant, installed())


@pytest.mark.parametrize(("name", "variant"), STREAMED)
def test_all_but_camera_and_slam_in_hardware(name: str, variant: str) -> None:
    mapping = mapped(name, variant)
    lights = ("red_traffic_light_detection", "green_traffic_light_detection")
    for node in ("image_compensation", "gaussian_blur", "lane_control", *lights, *CHAIN[name]):
        assert mapping.nodes[f"/{node}"].device == "fpga0"
    for topic in "BCDEF":
        assert mapping.topics[f"/{topic}"].transports == ("hmt",)
    assert mapping.topics["/A"].transports == STREAMED[name, variant]


@pytest.mark.parametrize("name", CHAIN)
def test_hardware_nodes_over_topics_in_software(name: str) -> None:
    mapping = mapped(name, "hardware_nodes")
    assert mapping.nodes["/lane_control"].device == "fpga0"
    for topic in "ABCDEF":
        assert mapping.topics[f"/{topic}"].transports == ("shm",)


def test_generate_refuses_what_stands_on_paper(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = platforms_dir().parent / "spec" / "cases"
    graph = str(case / "map" / "plan_no_core.yaml")
    board = str(case / "platforms" / "board.yaml")
    assert main(["map", graph, "-p", board, "--plan", "--out", str(tmp_path)]) == 0
    (mapped,) = tmp_path.rglob("mapping.json")
    words = ["generate", graph, "--mapping", str(mapped), "--out", str(tmp_path)]
    assert main(words) == 2
    said = capsys.readouterr().err
    assert "'/sink' is mapped to fpga0, and 'case/sink' has no implementation for fpga" in said
