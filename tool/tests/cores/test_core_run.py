# SPDX-License-Identifier: Apache-2.0
"""A graph with a node in hardware runs, gives what the software gives, in the same cycles."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import build, run, shown, waved
from fst import read_fst

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
""".replace("EXAMPLE", str(EXAMPLE))


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("core"), GRAPH, "software", "hardware")


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


def test_a_message_s_waveform_is_written_with_views_of_it(graph: Path) -> None:
    expected = run(graph / "software")
    without = run(graph / "hardware", "--trace")
    done = waved(graph, "hardware", "--wave", "3", "--trace")
    assert done.lines == expected.lines
    # An ordinary clock, and nothing left out that stands still: the same cycles.
    cycles = done.values("cycles")
    assert cycles == without.values("cycles")
    (file,) = (done.folder / "outputs").glob("*.fst")
    waves = read_fst(file)
    # From the doorbell of the third message to its answer, by the declared clock of 100 MHz: times
    # are those of two steps per cycle.
    assert waves.unit == -12
    assert waves.end - waves.begin == (2 * cycles[2] - 1) * 5000
    assert waves.begin > 2 * (cycles[0] + cycles[1]) * 5000
    assert shown(file.with_suffix(".gtkw")) == shown(file.with_suffix(".sucl")) != set()
    assert shown(file.with_suffix(".gtkw")) <= {name.partition("[")[0] for name in waves.names}
    exact = {line.split()[-1] for line in file.with_suffix(".gtkw").read_text().splitlines()}
    assert {name for name in exact if name.startswith("TOP.")} <= waves.names
    # A message that never came has none.
    late = waved(graph, "hardware", "--wave", "99")
    assert "--wave 99: no waveform was written" in late.said
    assert f"{file.stem}.gtkw, or surfer" in done.said and "waveform:" not in late.said
    # What the run after it is built for is the quick model again.
    assert not list((run(graph / "hardware").folder / "outputs").glob("*.fst"))
