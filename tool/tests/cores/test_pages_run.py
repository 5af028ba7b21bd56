# SPDX-License-Identifier: Apache-2.0
"""A design on memory without an IOMMU: the same results, though each page lies somewhere else.

    loop -> /image => first -> /middle => left -> /left -> join -> /result -> loop
                   => right -> /right  ----------------->     (=>: on the chip, and to and from the
                               /middle => loop (side)          pool by a gateway; ->: by the pool)

So every kind of end goes through the table: gateways both ways, entries and exits.
"""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from pathlib import Path

import duckdb
import pytest

HERE = Path(__file__).parent
PLATFORMS = HERE.parents[2] / "platforms"
LIGAMENT = [sys.executable, "-m", "ligament.cli.main"]

GRAPH = """schema: ligament/graph/1
name: case_pages
packages: [{nodes}]
nodes:
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
"""


def ligament(*words: str | Path, status: int = 0) -> str:
    result = subprocess.run(
        [*LIGAMENT, *map(str, words)], capture_output=True, text=True, check=False, env=os.environ
    )
    assert result.returncode == status, result.stdout + result.stderr
    return result.stdout + result.stderr


def run(folder: Path, variant: str, *words: str) -> Path:
    """The folder of a run that ended well."""
    built = folder / "build" / "case_pages" / variant
    domain = f"pages_{uuid.uuid4().hex[:12]}"
    ligament("run", built / "build.json", "--domain", domain, "--duration", "1200", *words)
    return max((built / "runs").iterdir())


def values_of(folder: Path, name: str) -> list[float]:
    """What the design's spans told under a name, in order."""
    ligament("trace", folder)
    events = folder / "events.parquet"
    names = f"select argument from '{events}' where event = 'value_name' and name = '{name}'"
    query = (
        f"select value from '{events}' where event = 'span_value' and argument in ({names})"
        " order by time_ns"
    )
    # A connection of its own: the shared one may be busy with another test's result.
    with duckdb.connect() as connection:
        return [row[0] for row in connection.execute(query).fetchall()]


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
    (made / "graph.yaml").write_text(GRAPH.format(nodes=HERE / "nodes", file=made / "results.txt"))
    return made


def test_scattered_pages_give_what_software_gives_in_the_same_cycles_each_time(
    folder: Path,
) -> None:
    platform = with_pages(folder, 32768)
    for variant in ("software", "hardware"):
        words = ["--variant", variant, "--platform", platform, "--out", folder / "build"]
        ligament("build", folder / "graph.yaml", *words)
    run(folder, "software")
    expected = sorted((folder / "results.txt").read_text().splitlines())
    assert len(expected) == 10
    cycles = []
    for _ in range(2):
        done = run(folder, "hardware", "--trace")
        assert sorted((folder / "results.txt").read_text().splitlines()) == expected
        cycles.append(values_of(done, "cycles"))
        refused = values_of(done, "port refused")
        assert len(refused) == len(cycles[-1]) and set(refused) == {0}
    assert cycles[0] == cycles[1]


def test_a_table_that_is_too_small_for_a_design_is_refused(folder: Path) -> None:
    platform = with_pages(folder, 4096)
    words = ["--variant", "hardware", "--platform", platform, "--out", folder / "small"]
    told = ligament("generate", folder / "graph.yaml", *words, status=2)
    assert "design-pages" in told
    assert "pages: {count: 32768}" in told
