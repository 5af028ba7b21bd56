# SPDX-License-Identifier: Apache-2.0
"""`make demo-mcu`: what it reads of a message, what it says is missing, and a real run."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from ligament.bench.mcu import links
from ligament.bench.mcu.images import require_programs
from ligament.bench.mcu.options import Place
from ligament.demo import mcu
from ligament.errors import FailureError

REPO = Path(__file__).parents[3]


def stored_imu(frame: bytes, turn_rate: float, acceleration: float) -> bytes:
    head = struct.pack("<iII", 7, 500_000_000, len(frame) + 1) + frame + b"\0"
    values = [0.0] * 37
    values[15], values[27] = turn_rate, acceleration
    return b"\0\1\0\0" + head + b"\0" * (-len(head) % 8) + struct.pack("<37d", *values)


@pytest.mark.parametrize("frame", [b"", b"imu", b"imu_link"])
def test_an_imu_message_is_read_whatever_its_frame_is_called(frame: bytes) -> None:
    stored = stored_imu(frame, -0.25, 9.81)
    assert mcu.imu_of(stored) == mcu.ImuSample(7.5, -0.25, 9.81)
    with pytest.raises(FailureError, match="are no sensor_msgs/msg/Imu"):
        mcu.imu_of(stored[:-1])


def test_without_an_emulator_it_says_what_to_install(tmp_path: Path) -> None:
    code = "import sys; from ligament.cli.main import main; sys.exit(main())"
    told = subprocess.run(
        [sys.executable, "-c", code, "demo", "--mcu"],
        env={**os.environ, "PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert told.returncode == 1
    assert "qemu-system-arm" in told.stderr
    packages = "gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm"
    assert f"apt install {packages}" in told.stderr


def test_what_it_needs_is_what_the_set_up_installs() -> None:
    lines = (REPO / "dev" / "apt-packages-mcu.txt").read_text().splitlines()
    listed = {line.split()[0] for line in lines if not line.startswith("#")}
    assert listed == {"gcc-arm-none-eabi", "libnewlib-arm-none-eabi", "qemu-system-arm"}


def test_imu_arrives_and_texts_go_there_and_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        require_programs()
        links.require([Place("rpmsg", "shm")])
    except FailureError as missing:
        pytest.skip(str(missing))
    monkeypatch.setattr(mcu, "LISTENED", 10)
    monkeypatch.setattr(mcu, "ROUND_TRIPS", 10)
    lines: list[str] = []
    mcu.show(tmp_path, lines.append)
    assert sum("linear_acceleration.z 9.81 m/s2" in line for line in lines) == mcu.SHOWN
    assert any("10 messages" in line for line in lines)
    assert any(line.split()[:2] == ["32", "B"] and "9.76 ms" in line for line in lines)
    assert "   the core says: imu, ready" in lines
