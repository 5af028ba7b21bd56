# SPDX-License-Identifier: Apache-2.0
"""A design whose cores, memory port and registers have clocks of their own gives the same results.

    loop -> /image => first -> /middle => left -> /left -> join -> /result -> loop
                   => right -> /right  ----------------->     (=>: on the chip, and to and from the
                               /middle => loop (side)          pool by a gateway; ->: by the pool)

So every kind of end goes through the crossings. The clocks have ratios that no small numbers give.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import build, case, run

#: More than any run needs, so that one that hangs ends.
AT_MOST = ("--duration", "1200")
HARDWARE = """
    containers: separate
    devices: {{first: fpga0, left: fpga0, right: fpga0, join: fpga0}}
    bound_bytes: {{image: 50000, middle: 50000, left: 50000, right: 50000, result: 50000}}
    transports: {{image: [gateway, shm], middle: [gateway, shm], left: [shm], right: [shm]}}
"""
GRAPH = case(
    "case_clocks",
    """
  loop:
    type: case/loop
    parameters: {{file: {file}, side: true, larger: 9000}}
    remap: {{side: middle}}
  first: {{type: case/xor, parameters: {{key: 90}}, remap: {{in: image, out: middle}}}}
  left: {{type: case/xor, parameters: {{key: 15}}, remap: {{in: middle, out: left}}}}
  right: {{type: case/xor, parameters: {{key: 240}}, remap: {{in: image, out: right}}}}
  join: {{type: case/join, remap: {{joined: result}}, on_failure: continue}}
variants:
  software: {{containers: one}}
"""
    + "".join(
        f"  {name}:{HARDWARE}    fpga: {{{{clocks: {{{{{clocks}}}}}}}}}\n"
        for name, clocks in {
            "one": "cores: fabric, memory: fabric, registers: fabric",
            "slow": "memory: bus, registers: bus",
            "fast": "memory: fast, registers: fast",
            "three": "memory: fast, registers: bus",
            "stuck": "memory: bus, registers: bus",
        }.items()
    )
    + "    parameters: {{join: {{answers: 0}}, loop: {{result: false}}}}\n",
)
SEVERAL = ("slow", "fast", "three")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clocks")
    names = ("software", "one", *SEVERAL, "stuck")
    return build(folder, GRAPH, *names, platform="fpga_sim_clocks")


def test_any_clocks_give_what_software_gives_in_the_same_cycles_each_time(built: Path) -> None:
    expected = sorted(run(built / "software", *AT_MOST).lines)
    assert len(expected) == 10
    cycles = {}
    for variant in ("one", *SEVERAL):
        runs = [run(built / variant, "--trace", *AT_MOST) for _ in range(2)]
        assert all(sorted(done.lines) == expected for done in runs), variant
        first, second = (done.values("cycles") for done in runs)
        assert first == second and len(first) == 10, variant
        # All that is told is in cycles of the cores.
        assert set(runs[0].values("clock_hz")) == {100e6}
        moved = [runs[0].values(f"port {way}") for way in ("reads", "writes")]
        assert all(sum(beats) > 5 * 9000 / 8 for beats in moved)
        cycles[variant] = sum(first)
    # Whatever else differs: crossings take time, and a slower port takes longer for the same bytes.
    assert cycles["slow"] > cycles["one"] and cycles["slow"] > cycles["three"]


def test_a_core_that_hangs_is_named_and_others_lose_nothing(built: Path) -> None:
    done = run(built / "stuck", *AT_MOST, status=1)
    assert done.results == [] and len(done.side) == 5
    assert {error["node"] for error in done.record["errors"]} == {"/join"}


def test_their_models_are_one(built: Path) -> None:
    """Frequencies are no part of the hardware: what has these domains has one top."""
    assert len(list((built / "gen" / "fpga-fpga_sim_clocks").glob("lig_design_*_clock.sv"))) == 1
