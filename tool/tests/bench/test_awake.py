# SPDX-License-Identifier: Apache-2.0
"""Processors that are kept awake while something is measured."""

from __future__ import annotations

from pathlib import Path

from ligament.bench.awake import ASLEEP, awake_processors


def test_the_kernel_is_asked_for_no_latency_and_the_note_says_so(tmp_path: Path) -> None:
    device = tmp_path / "cpu_dma_latency"
    device.write_bytes(b"")
    with awake_processors(device) as note:
        assert device.read_bytes() == bytes(4)
    assert "kept from sleeping" in note


def test_where_it_may_not_be_asked_the_note_says_why(tmp_path: Path) -> None:
    with awake_processors(tmp_path) as note:
        pass
    assert note == f"{ASLEEP} ({tmp_path} cannot be opened: Is a directory)"
