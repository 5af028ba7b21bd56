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
from ligament.resources import platforms_dir

PERCEPTION = Path(__file__).parents[3] / "examples" / "perception" / "graph.yaml"
SHIPPED = platforms_dir() / "fpga_sim" / "platform.yaml"


def test_every_core_that_ships_declares_what_it_takes_of_both_families() -> None:
    manifests = [*SHIPPED.parents[2].glob("nodes/*/*/node.yaml")]
    manifests += SHIPPED.parents[2].glob("examples/*/nodes/*/node.yaml")
    cores = [core for m in manifests if (core := YAML().load(m)["implementations"].get("fpga"))]
    assert len(cores) >= 10
    for core in cores:
        assert set(core["area"]) == {"ecp5", "xcup"}
        assert all(area["lut"] > 0 and area["ff"] > 0 for area in core["area"].values())


@pytest.mark.parametrize("variant", ["fpga_offloaded", "fpga_streamed", "fpga_fused"])
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
