# SPDX-License-Identifier: Apache-2.0
"""The driving graphs with the papers' mapping; on paper, as long as they have no cores."""

from __future__ import annotations

from pathlib import Path

import pytest

from ligament.cli.main import main
from ligament.graph import load_graph
from ligament.mapping import load_platform, map_graph, planned
from ligament.resources import platforms_dir

DRIVING = Path(__file__).resolve().parents[3] / "examples" / "driving"
PLATFORM = platforms_dir() / "fpga_sim" / "platform.yaml"
CHAIN = {
    "lanes": ("image_projection", "lane_following"),
    "slam": ("lane_planner", "polyfit"),
}


@pytest.mark.parametrize("name", CHAIN)
def test_all_but_camera_and_slam_in_hardware(name: str) -> None:
    graph = load_graph(DRIVING / "on_paper" / f"{name}.yaml")
    mapping = map_graph(graph, load_platform(str(PLATFORM)), "hardware", planned())
    for node in ("image_compensation", "gaussian_blur", "lane_control", *CHAIN[name]):
        assert mapping.nodes[f"/{node}"].device == "fpga0"
    for topic in "BCDEF":
        assert mapping.topics[f"/{topic}"].transports == ("hmt",)
    # Where SLAM listens on the processor, A has ends on both sides.
    listens = {mapping.nodes[end.node].kind for end in mapping.topics["/A"].ends}
    expected = ("hmt",) if listens == {"fpga"} else ("gateway", "shm")
    assert mapping.topics["/A"].transports == expected


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
