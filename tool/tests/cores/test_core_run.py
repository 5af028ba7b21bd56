# SPDX-License-Identifier: Apache-2.0
"""A graph with a node in hardware runs, gives what the software gives, in the same cycles."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import duckdb
import pytest

HERE = Path(__file__).parent
LIGAMENT = [sys.executable, "-m", "ligament.cli.main"]
EXAMPLE = HERE.parents[2] / "examples" / "threshold" / "nodes"

GRAPH = """schema: ligament/graph/1
name: case_core
packages: [{nodes}, {example}]
nodes:
  loop: {{type: case/loop, parameters: {{file: {file}}}, remap: {{result: thresholded}}}}
  threshold: {{type: example/threshold, parameters: {{threshold: 100}}}}
variants:
  software: {{containers: separate}}
  hardware:
    containers: separate
    devices: {{threshold: fpga0}}
    bound_bytes: {{image: 100000, thresholded: 100000}}
  waves:
    devices: {{threshold: fpga0}}
    bound_bytes: {{image: 100000, thresholded: 100000}}
    fpga: {{waveforms: true}}
"""


def ligament(*words: str | Path) -> None:
    result = subprocess.run(
        [*LIGAMENT, *map(str, words)], capture_output=True, text=True, check=False, env=os.environ
    )
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("core")
    text = GRAPH.format(nodes=HERE / "nodes", example=EXAMPLE, file=folder / "results.txt")
    (folder / "graph.yaml").write_text(text)
    for variant in ("software", "hardware", "waves"):
        words = ["--variant", variant, "--platform", "fpga_sim", "--out", folder / "build"]
        ligament("build", folder / "graph.yaml", *words)
    return folder


def run(folder: Path, variant: str, *words: str) -> tuple[str, dict[str, Any], Path]:
    """What came back, the run's record, and its folder."""
    built = folder / "build" / "case_core" / variant
    domain = f"core_{uuid.uuid4().hex[:12]}"
    ligament("run", built / "build.json", "--domain", domain, *words)
    last = max((built / "runs").iterdir())
    record = json.loads((last / "run.json").read_text())
    return (folder / "results.txt").read_text(), record, last


def cycles_of(folder: Path) -> list[float]:
    ligament("trace", folder)
    events = folder / "events.parquet"
    names = f"select argument from '{events}' where event = 'value_name' and name = 'cycles'"
    query = (
        f"select value from '{events}' where event = 'span_value' and argument in ({names})"
        " order by time_ns"
    )
    # A connection of its own: the shared one may be busy with another test's result.
    with duckdb.connect() as connection:
        return [row[0] for row in connection.execute(query).fetchall()]


def test_hardware_gives_what_software_gives_in_the_same_cycles_each_time(graph: Path) -> None:
    expected, _, _ = run(graph, "software")
    assert expected.count("\n") == 5
    assert {int(word) for word in expected.split("\n")[0].split()[-900:]} == {0, 255}
    first, _, first_run = run(graph, "hardware", "--trace")
    assert first == expected
    second, _, second_run = run(graph, "hardware", "--trace")
    assert second == expected
    cycles = cycles_of(first_run)
    assert len(cycles) == 5
    assert cycles == cycles_of(second_run)
    # Payload beats, and at most the latency at both ends, the header, padding and single fields,
    # and what others take of the memory in the meantime: pieces of 16 cycles.
    assert all(1000 / 8 + 100 <= number <= 1028 / 8 + 250 + 10 * 16 for number in cycles)


def test_every_signal_is_written_where_somebody_asks_for_it(graph: Path) -> None:
    expected, _, _ = run(graph, "software")
    result, _, folder = run(graph, "waves", "--trace")
    assert result == expected
    (waves,) = (folder / "outputs").glob("*.vcd")
    text = waves.read_text()
    names = set(text[: text.index("$enddefinitions")].split())
    assert {"lig_design_example_threshold", "core", "clk_i", "s_axis_tdata", "header_o"} <= names
    # A time per half cycle: five messages of a hundred cycles and more.
    assert sum(line.startswith("#") for line in text.splitlines()) > 2 * 5 * 100
    # An ordinary clock, and nothing left out that stands still: the same cycles.
    _, _, without = run(graph, "hardware", "--trace")
    assert cycles_of(folder) == cycles_of(without)
