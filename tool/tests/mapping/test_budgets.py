# SPDX-License-Identifier: Apache-2.0
"""What cores declare is held against what a platform has: on the shipped one the demo fits."""

from __future__ import annotations

from pathlib import Path

import pytest
from ruamel.yaml import YAML

from ligament.build.synthesis.families import OPEN_FAMILY, ROOM
from ligament.errors import InputError
from ligament.graph import load_graph
from ligament.mapping import load_platform, map_graph
from ligament.mapping.explain import explain
from ligament.mapping.network_area import (
    area_of_counters,
    area_of_crossings,
    area_of_ends,
    area_of_network,
    area_of_port,
)
from ligament.resources import platforms_dir

PERCEPTION = Path(__file__).parents[3] / "examples" / "perception" / "graph.yaml"
SHIPPED = platforms_dir() / "fpga_sim" / "platform.yaml"


def test_every_core_that_ships_declares_what_it_takes_of_both_families() -> None:
    manifests = [*SHIPPED.parents[2].glob("nodes/*/*/node.yaml")]
    manifests += SHIPPED.parents[2].glob("examples/*/nodes/*/node.yaml")
    cores = {
        data["type"]: core
        for data in map(YAML().load, manifests)
        if (core := data["implementations"].get("fpga"))
    }
    assert len(cores) >= 10
    for core in cores.values():
        for way in (core, *core.get("pixels", {}).get("choices", ())):
            assert set(way["area"]) == {"ecp5", "xcup"}
            assert all(area["lut"] > 0 and area["ff"] > 0 for area in way["area"].values())


@pytest.mark.parametrize("variant", ["fpga_offloaded", "fpga_streamed", "fpga_wide", "fpga_fused"])
def test_the_demo_fits_its_platform_and_not_the_part_that_open_tools_place(
    variant: str, tmp_path: Path
) -> None:
    graph = load_graph(PERCEPTION)
    mapping = map_graph(graph, load_platform("fpga_sim"), variant)
    at = mapping.hardware["fpga0"]["budgets_at"]
    assert Path(at["file"]).resolve() == SHIPPED.resolve()
    assert "budgets:" in SHIPPED.read_text().splitlines()[at["line"] - 1]
    document = YAML().load(SHIPPED)
    document["devices"]["fpga0"] |= {"family": OPEN_FAMILY, "budgets": dict(ROOM)}
    YAML().dump(document, tmp_path / "platform.yaml")
    smaller = load_platform(str(tmp_path / "platform.yaml"))
    with pytest.raises(InputError) as caught:
        map_graph(graph, smaller, variant)
    told = {problem.text.split(":")[0].split()[-1] for problem in caught.value.problems}
    assert "dsp" in told and "lut" not in told
    for problem in caught.value.problems:
        assert problem.code == "budget-overrun"
        assert problem.location is not None
        assert problem.notes == (("the budgets", smaller.devices["fpga0"].budgets_at),)


def test_eight_pixels_per_cycle_fit_the_larger_part_alone() -> None:
    graph = load_graph(PERCEPTION)
    assert not map_graph(graph, load_platform("fpga_sim_zu7ev"), "fpga_widest").warnings
    with pytest.raises(InputError) as caught:
        map_graph(graph, load_platform("kv260"), "fpga_widest")
    assert {problem.code for problem in caught.value.problems} == {"budget-overrun"}


def test_a_budget_may_be_used_up_and_not_overrun(tmp_path: Path) -> None:
    graph = load_graph(PERCEPTION)
    document = YAML().load(SHIPPED)

    def told(dsp: int) -> list[str]:
        document["devices"]["fpga0"]["budgets"] = {"dsp": dsp}
        YAML().dump(document, tmp_path / "platform.yaml")
        try:
            map_graph(graph, load_platform(str(tmp_path / "platform.yaml")), "fpga_offloaded")
        except InputError as error:
            return [problem.text for problem in error.problems]
        return []

    (text,) = told(1)
    needed = int(text.split(" need ")[1].split(" dsp")[0])
    assert needed > 1
    assert told(needed) == []
    assert told(needed - 1) == [text]


HELD = """schema: ligament/graph/1
name: held
packages: [{packages}]
nodes:
  camera: {{type: image/camera, remap: {{image_raw: raw}}}}
  level: {{type: image/threshold, device: fpga0, remap: {{image: raw, image_thresholded: level}}}}
  blur: {{type: image/blur, device: fpga0, remap: {{image: level}}}}
  adder: {{type: example/adder, device: fpga0}}
topics:
  raw: {{bound_bytes: 1000000}}
  level: {{bound_bytes: 1000000{transports}}}
  image_blurred: {{bound_bytes: 1000000}}
"""


def needed(
    folder: Path, transports: str, platform: Path = SHIPPED
) -> tuple[dict[str, float], dict[str, float]]:
    """Return what cores alone need, and what the budget is held against."""
    adder = SHIPPED.parents[2] / "examples" / "adder" / "nodes"
    (folder / "graph.yaml").write_text(HELD.format(packages=adder, transports=transports))
    graph = load_graph(folder / "graph.yaml")
    document = YAML().load(platform)
    resources = ("lut", "ff", "bram18")
    document["devices"]["fpga0"]["budgets"] = dict.fromkeys(resources, 1)
    YAML().dump(document, folder / "platform.yaml")
    family = document["devices"]["fpga0"]["family"]
    cores = [
        graph.types[graph.nodes[node].type].implementations["fpga"]["area"][family]
        for node in ("/level", "/blur", "/adder")
    ]
    with pytest.raises(InputError) as caught:
        map_graph(graph, load_platform(str(folder / "platform.yaml")))
    told = {}
    for problem in caught.value.problems:
        words = problem.text.split(":")[0].split()
        told[words[-1]] = float(words[-2])
        assert "for their topics and the memory port" in problem.text
    return {name: sum(core.get(name, 0) for core in cores) for name in resources}, told


def test_what_is_around_cores_counts_too(tmp_path: Path) -> None:
    family = "xcup"
    cores, told = needed(tmp_path, "")
    # One network; an entry and an exit of topics, and one of each for the service: two masters.
    around = [
        area_of_network(family, 64, 1, 1),
        area_of_counters(family, 1),
        area_of_ends(family, 2, 2),
        area_of_port(family, 2),
    ]
    assert told == {n: cores[n] + sum(part.get(n, 0) for part in around) for n in cores}
    # Over memory the topic in the middle has two ends more, and no network.
    cores, told = needed(tmp_path, ", transports: [shm]")
    around = [area_of_ends(family, 3, 3), area_of_port(family, 3)]
    assert told == {n: cores[n] + sum(part.get(n, 0) for part in around) for n in cores}


def test_several_clocks_have_their_crossings_counted(tmp_path: Path) -> None:
    _, alone = needed(tmp_path, "")
    _, crossing = needed(tmp_path, "", SHIPPED.parents[1] / "fpga_sim_clocks" / "platform.yaml")
    both = area_of_crossings("xcup", memory_bits=64, registers=True)
    assert set(both) == {"lut", "ff"}
    assert crossing == {name: amount + both.get(name, 0) for name, amount in alone.items()}


DRIVING = Path(__file__).parents[3] / "examples" / "driving"


@pytest.mark.parametrize(
    ("graph", "variant"),
    [
        ("road", "hardware_nodes"),
        ("road", "hardware_topics"),
        ("graph_slam", "hardware"),
        ("graph_slam", "hardware_gateway"),
    ],
)
def test_both_driving_designs_fit_the_board_with_all_their_cells_counted(
    graph: str, variant: str
) -> None:
    mapping = map_graph(load_graph(DRIVING / f"{graph}.yaml"), load_platform("kv260"), variant)
    assert not [warning for warning in mapping.warnings if "not counted" in warning]
    figures = mapping.hardware["fpga0"]
    lines = explain(mapping)
    assert set(figures["needs"]) == {"bram18", "dsp", "ff", "lut", "uram"}
    for resource, need in figures["needs"].items():
        total, budget = need["cores"] + need["around"], figures["budgets"][resource]
        assert 0 < total <= budget
        (line,) = (
            line for line in lines if line.startswith("  fpga0 needs") and f" {resource}:" in line
        )
        assert f"needs {total:g} of {budget:g} {resource}" in line
    assert figures["needs"]["lut"]["around"] > 0


def test_what_is_around_the_driving_cores_is_what_yosys_counts() -> None:
    """`road.yaml`, its nodes as black boxes, synthesised for xcup by Yosys 0.70."""
    graph = load_graph(DRIVING / "road.yaml")
    mapping = map_graph(graph, load_platform("kv260"), "hardware_topics")
    around = {n: need["around"] for n, need in mapping.hardware["fpga0"]["needs"].items()}
    assert around["bram18"] == 45
    assert around["lut"] == pytest.approx(6928, rel=0.05)
    assert around["ff"] == pytest.approx(6606, rel=0.05)
