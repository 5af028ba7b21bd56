# SPDX-License-Identifier: Apache-2.0
"""Mistakes in a CMakeLists.txt with `ligament_add_image` are named."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from mcu_core import FIRMWARE, require_programs

PROJECT = """cmake_minimum_required(VERSION 3.22)
project(mistaken LANGUAGES C)
include({firmware}/cmake/image.cmake)
ligament_add_image(mine {words})
"""
GOOD = "BOARD mps2_an386 OS bare SOURCES main.c"


def configure(folder: Path, words: str, *options: str, cross: bool = True) -> str:
    """What CMake said of it, on one line; it has to fail."""
    (folder / "main.c").write_text("int main(void) { return 0; }\n")
    (folder / "CMakeLists.txt").write_text(PROJECT.format(firmware=FIRMWARE, words=words))
    toolchain = f"-DCMAKE_TOOLCHAIN_FILE={FIRMWARE / 'cmake' / 'arm-none-eabi.cmake'}"
    done = subprocess.run(
        ["cmake", "-G", "Ninja", "-S", folder, "-B", folder / "build", *options]
        + [toolchain] * cross,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    return " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("BOARD pluto OS bare SOURCES main.c", "there is no board 'pluto'; there are: mps2_an386"),
        ("BOARD mps2_an386 OS none SOURCES main.c", "OS is 'none'; there are: bare, freertos"),
        ("BOARD mps2_an386 OS bare", "SOURCES are missing"),
    ],
)
def test_mistakes_are_named(words: str, told: str, tmp_path: Path) -> None:
    require_programs()
    assert f"ligament_add_image(mine): {told}" in configure(tmp_path, words)


def test_another_compiler_is_refused(tmp_path: Path) -> None:
    require_programs()
    assert "arm-none-eabi.cmake" in configure(tmp_path, GOOD, cross=False)


def test_freertos_is_asked_for(tmp_path: Path) -> None:
    require_programs()
    words = GOOD.replace("bare", "freertos")
    told = configure(tmp_path, words, "-DLIGAMENT_CARGO=/nothing/cargo")
    assert "OS freertos needs FreeRTOS's kernel, which is not here" in told
    assert "LIGAMENT_FREERTOS=PATH" in told
    told = configure(tmp_path, words, f"-DLIGAMENT_FREERTOS={tmp_path}")
    assert f"LIGAMENT_FREERTOS is {tmp_path}, which has no tasks.c" in told
