# SPDX-License-Identifier: Apache-2.0
"""Cores are kept awake where that is allowed, and it is told where it is not."""

from __future__ import annotations

import struct
from pathlib import Path

from ligament.run.awake import cores_awake, wake_latency_limit_us


def test_a_zero_is_written_and_the_file_is_held(tmp_path: Path) -> None:
    device = tmp_path / "cpu_dma_latency"
    device.write_bytes(struct.pack("i", 2_000_000_000))
    assert wake_latency_limit_us(device) == 2_000_000_000
    with cores_awake(device) as held:
        assert held
        assert wake_latency_limit_us(device) == 0


def test_without_the_right_it_says_so(tmp_path: Path) -> None:
    missing = tmp_path / "none"
    with cores_awake(missing) as held:
        assert not held
    assert wake_latency_limit_us(missing) is None
