# SPDX-License-Identifier: Apache-2.0
"""A platform's own memory map reaches program, emulator and agent; one that cannot be is told."""

from __future__ import annotations

import json
from pathlib import Path

from mcu_runs import EXAMPLES, ligament, newest_run, own_domain, require_core

from ligament.resources import platforms_dir

MAP = """    board: mps2_an386
    memory_map:
      regions:
        code: {address: 0, bytes: 0x00100000, access: rx}
        data: {address: 0x20100000, bytes: 0x00100000, access: rw}
      shared: {address: 0x21000000, bytes: 0x01000000}
      area: {address: 0x21800000, bytes: 0x00100000, buffers: 16, blocks: 8, block_size: 2048}
"""
GRAPH = EXAMPLES / "motor" / "graph.yaml"


def platform(folder: Path, text: str) -> Path:
    """The Cortex-M4F's, with another map."""
    own = (platforms_dir() / "mcu_sim" / "platform.yaml").read_text()
    file = folder / "platform.yaml"
    file.write_text(own.replace("    board: mps2_an386\n", text))
    return file


def test_a_map_of_the_platform_reaches_everybody(tmp_path: Path) -> None:
    require_core()
    own = str(platform(tmp_path, MAP))
    words = ["--variant", "mcu", "--platform", own, "--out", str(tmp_path)]
    ligament("run", GRAPH, *words, *own_domain(), "--trace", "--set", "planner.messages=40")
    variant = tmp_path / "motor" / "mcu"
    lines = (newest_run(variant) / "outputs" / "planner.txt").read_text()
    assert len(lines.splitlines()) == 40
    table = json.loads((variant / "gen" / "mcu" / "mcu0" / "memory.json").read_text())
    assert table["area"]["address"] == "0x21800000"
    (script,) = variant.glob("work/mcu-mcu0/*_memory/memory.ld")
    assert "data (rw) : ORIGIN = 0x20100000, LENGTH = 0x100000" in script.read_text()
    assert ".offset = 0x00800000" in (variant / "gen" / "mcu" / "mcu0-members.cpp").read_text()


def test_check_and_map_refuse_one_that_cannot_be(tmp_path: Path) -> None:
    broken = platform(tmp_path, MAP.replace("0x20100000", "0x21880000"))
    told = " ".join(ligament("map", GRAPH, "--platform", broken, status=2).split())
    assert "the area of 'mcu0' is 0x21800000 to 0x218FFFFF, and the region 'data' is" in told
    told = " ".join(ligament("check", GRAPH, "--platform", broken, status=2).split())
    assert "memory-overlap" in told
