# SPDX-License-Identifier: Apache-2.0
"""Firmware images: what a build says where a compiler or its C library is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from ligament.build.images import COMPILER, build_mcu
from ligament.build.ninja import Step
from ligament.doctor import microcontrollers
from ligament.errors import FailureError

ENTRY = {"images": {"mcu0": {"project": "gen", "work": "work", "image": "x.elf", "folders": []}}}


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def failure(folder: Path) -> FailureError:
    with pytest.raises(FailureError) as raised:
        build_mcu(folder, ENTRY, 1, None)
    assert raised.value.exit_code == 1
    assert "gcc-arm-none-eabi libnewlib-arm-none-eabi" in raised.value.hint
    assert "map its nodes to a processor" in raised.value.hint
    return raised.value


def test_a_missing_compiler_is_named_with_its_package(path: Path, tmp_path: Path) -> None:
    assert failure(tmp_path).text == (
        f"the firmware of mcu0 needs the compiler {COMPILER}, which is not here"
    )
    assert microcontrollers.c_library() is None


def test_a_compiler_without_a_c_library_is_told_from_one_with(path: Path, tmp_path: Path) -> None:
    compiler = path / COMPILER
    compiler.write_text("#!/bin/sh\necho nano.specs\n")  # as GCC answers of what it cannot find
    compiler.chmod(0o755)
    assert "needs a C library (newlib)" in failure(tmp_path).text
    assert microcontrollers.c_library() is None
    compiler.write_text("#!/bin/sh\necho /opt/arm/lib/nano.specs\n")
    assert microcontrollers.c_library() == "/opt/arm/lib"


def test_freertos_is_a_tree_of_ones_own_where_one_is_named(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIGAMENT_FREERTOS", str(tmp_path))
    assert microcontrollers.freertos() is None
    (tmp_path / "tasks.c").touch()
    assert microcontrollers.freertos() == str(tmp_path)
    monkeypatch.delenv("LIGAMENT_FREERTOS")
    assert microcontrollers.freertos() is None  # without cargo


def test_an_image_that_is_too_large_says_what_to_make_smaller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def link(step: Step, progress: object = None) -> str:
        raise FailureError(f"{step.what} failed:\nld: region `data' overflowed by 5 bytes")

    monkeypatch.setattr("ligament.build.images.run_step", link)
    monkeypatch.setattr("ligament.build.images.require_compiler", lambda device: None)
    monkeypatch.setattr("ligament.build.images._configure", lambda project, work, own: None)
    image = {**ENTRY["images"]["mcu0"], "target": "mcu0"}
    with pytest.raises(FailureError, match="overflowed by 5 bytes") as raised:
        build_mcu(tmp_path, {"images": {"mcu0": image}}, 1, None)
    assert "smaller bounds" in raised.value.hint
