# SPDX-License-Identifier: Apache-2.0
"""Memory maps: the boards' own, and the sums that C has too."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from ligament.errors import InputError
from ligament.mapping.files import board_memory, load_memory_map
from ligament.mapping.memory_map import EVENTS, MemoryMap, memory_map_of
from ligament.resources import firmware_dir

BOARDS = sorted(path.parent.name for path in (firmware_dir() / "board").glob("*/board.cmake"))
PROGRAM = """#include <stdio.h>
#include "ligament/mcu_trace.h"
#include "ligament/rpmsg_layout.h"
int main(void) {
  ligament_rpmsg_map_t map = {0, 0, 0, 0, 0};
  printf("%u\\n", (unsigned)sizeof(ligament_trace_ring_t));
  while (scanf("%u %u %u %u", &map.count, &map.buffer_size, &map.blocks, &map.block_size) == 4) {
    printf("%u\\n", (unsigned)(ligament_rpmsg_layout(&map).size + sizeof(ligament_trace_ring_t)));
  }
  return 0;
}
"""
SIZES = [(2, 64, 1, 64), (64, 512, 32, 4096), (1024, 65536, 32, 65536), (16, 65536, 1, 0)]
SIZES += [(256, 512, 7, 1984), (512, 576, 3, 64)]


def with_area(buffers: int, buffer_size: int, blocks: int, block_size: int) -> MemoryMap:
    data = board_memory("mps2_an386").to_json()
    data["area"] |= {"buffers": buffers, "buffer_size": buffer_size}
    data["area"] |= {"blocks": blocks, "block_size": block_size}
    return memory_map_of(data)


@pytest.mark.parametrize("board", BOARDS)
def test_each_board_has_a_map_that_can_be(board: str) -> None:
    memory = board_memory(board)
    assert memory_map_of(memory.to_json()) == memory
    assert memory.offset == memory.area.address - memory.shared.address


def test_the_sums_are_those_of_the_headers(tmp_path: Path) -> None:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler")
    (tmp_path / "sums.c").write_text(PROGRAM)
    folders = [f"-I{firmware_dir() / room / 'include'}" for room in ("rpmsg", "node")]
    words = [compiler, "-std=c99", *folders, "sums.c", "-o", "sums"]
    subprocess.run(words, cwd=tmp_path, check=True)
    said = subprocess.run(
        [tmp_path / "sums"],
        input="\n".join(" ".join(map(str, sizes)) for sizes in SIZES),
        capture_output=True,
        text=True,
        check=True,
    )
    numbers = [int(line) for line in said.stdout.split()]
    assert numbers == [EVENTS, *(with_area(*sizes).needed for sizes in SIZES)]


def test_a_file_that_cannot_be_is_refused_with_its_place(tmp_path: Path) -> None:
    data = board_memory("mps2_an386").to_json()
    data["area"]["bytes"] = 4096
    file = tmp_path / "memory.json"
    file.write_text(json.dumps(data, indent=2))
    with pytest.raises(InputError, match=r"the area of 'memory\.json' has 0x00001000 bytes"):
        load_memory_map(file)
