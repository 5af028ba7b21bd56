# SPDX-License-Identifier: Apache-2.0
"""A graph with a node in hardware runs, gives what the software gives, in the same cycles."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import build, run

EXAMPLE = Path(__file__).parents[3] / "examples" / "threshold" / "nodes"

GRAPH = """schema: ligament/graph/1
name: case_core
packages: [{nodes}, EXAMPLE]
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
""".replace("EXAMPLE", str(EXAMPLE))


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("core"), GRAPH, "software", "hardware", "waves")


def test_hardware_gives_what_software_gives_in_the_same_cycles_each_time(graph: Path) -> None:
    expected = run(graph / "software").lines
    assert len(expected) == 5
    assert {int(word) for word in expected[0].split()[-900:]} == {0, 255}
    first, second = (run(graph / "hardware", "--trace") for _ in range(2))
    assert first.lines == second.lines == expected
    cycles = first.values("cycles")
    assert len(cycles) == 5
    assert cycles == second.values("cycles")
    # Payload beats, and at most the latency at both ends, the header, padding and single fields,
    # and what others take of the memory in the meantime: pieces of 16 cycles.
    assert all(1000 / 8 + 100 <= number <= 1028 / 8 + 250 + 10 * 16 for number in cycles)


def test_every_signal_is_written_where_somebody_asks_for_it(graph: Path) -> None:
    expected = run(graph / "software")
    done = run(graph / "waves", "--trace")
    assert done.lines == expected.lines
    (waves,) = (done.folder / "outputs").glob("*.vcd")
    text = waves.read_text()
    names = set(text[: text.index("$enddefinitions")].split())
    assert {"lig_design_example_threshold", "core", "clk_i", "tdata", "header"} <= names
    # A time per half cycle: five messages of a hundred cycles and more.
    assert sum(line.startswith("#") for line in text.splitlines()) > 2 * 5 * 100
    # An ordinary clock, and nothing left out that stands still: the same cycles.
    without = run(graph / "hardware", "--trace")
    assert done.values("cycles") == without.values("cycles")
