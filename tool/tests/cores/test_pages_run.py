# SPDX-License-Identifier: Apache-2.0
"""A design on memory without an IOMMU: the same results, though each page lies somewhere else.

    loop -> /image => first -> /middle => left -> /left -> join -> /result -> loop
                   => right -> /right  ----------------->     (=>: on the chip, and to and from the
                               /middle => loop (side)          pool by a gateway; ->: by the pool)

So every kind of end goes through the table: gateways both ways, entries and exits.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import NODES, build, case, ligament, run

PLATFORMS = Path(__file__).parents[3] / "platforms"
#: More than any run needs, so that one that hangs ends.
AT_MOST = ("--duration", "1200")

GRAPH = case(
    "case_pages",
    """
  loop:
    type: case/loop
    parameters: {{file: {file}, side: true, larger: 9000}}
    remap: {{side: middle}}
  first: {{type: case/xor, parameters: {{key: 90}}, remap: {{in: image, out: middle}}}}
  left: {{type: case/xor, parameters: {{key: 15}}, remap: {{in: middle, out: left}}}}
  right: {{type: case/xor, parameters: {{key: 240}}, remap: {{in: image, out: right}}}}
  join: {{type: case/join, remap: {{joined: result}}}}
variants:
  software: {{containers: one}}
  hardware:
    containers: separate
    devices: {{first: fpga0, left: fpga0, right: fpga0, join: fpga0}}
    bound_bytes: {{image: 50000, middle: 50000, left: 50000, right: 50000, result: 50000}}
    transports: {{image: [gateway, shm], middle: [gateway, shm], left: [shm], right: [shm]}}
""",
)


def with_pages(folder: Path, count: int) -> Path:
    """The platform without an IOMMU, with a table of that many pages."""
    text = (PLATFORMS / "fpga_sim_pages" / "platform.yaml").read_text()
    assert "count: 16384" in text
    path = folder / f"pages_{count}.yaml"
    path.write_text(text.replace("count: 16384", f"count: {count}"))
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("pages")
    (made / "graph.yaml").write_text(GRAPH.format(nodes=NODES, file=made / "results.txt"))
    return made


def test_scattered_pages_give_what_software_gives_in_the_same_cycles_each_time(
    folder: Path,
) -> None:
    platform = with_pages(folder, 32768)
    built = build(folder, GRAPH, "software", "hardware", platform=platform)
    expected = sorted(run(built / "software", *AT_MOST).lines)
    assert len(expected) == 10
    cycles = []
    for _ in range(2):
        done = run(built / "hardware", "--trace", *AT_MOST)
        assert sorted(done.lines) == expected
        cycles.append(done.values("cycles"))
        refused = done.values("port refused")
        assert len(refused) == len(cycles[-1]) and set(refused) == {0}
    assert cycles[0] == cycles[1]


def test_a_table_that_is_too_small_for_a_design_is_refused(folder: Path) -> None:
    platform = with_pages(folder, 4096)
    words = ["--variant", "hardware", "--platform", platform, "--out", folder / "small"]
    told = ligament("generate", folder / "graph.yaml", *words, status=2)
    assert "design-pages" in told
    assert "pages: {count: 32768}" in told
