# SPDX-License-Identifier: Apache-2.0
"""A recorded drive in place of the simulator: the real nodes answer as they did then."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest
from driving_graph import Driven, drive_graph, driving_graph
from driving_place import WATCHDOG_S
from driving_ros import LIGAMENT, dds_domain, environment

SECONDS = 7
FRAMES = SECONDS * 15 + 1
"""To the red light, and on."""
#: As where there is no EGL, and no MuJoCo either.
NO_EGL = {"__EGL_VENDOR_LIBRARY_FILENAMES": "/nowhere"}


@pytest.fixture(scope="module")
def bag(lanes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recorded drive."""
    place = tmp_path_factory.mktemp("recorded") / "drive"
    # So many messages may wait for the disk that none can be lost.
    record = [*LIGAMENT, "record", "--ros", "--out", str(place), "--held", str(2 * FRAMES)]
    with (
        dds_domain() as domain_id,
        driving_graph(lanes, domain_id, recorders=1, seconds=SECONDS) as running,
    ):
        until = time.monotonic() + WATCHDOG_S
        while (
            done := subprocess.run(
                record, capture_output=True, text=True, timeout=WATCHDOG_S,
                env=environment(domain_id),
            )
        ).returncode:  # fmt: skip
            # The graph does not run yet.
            assert not place.exists() and time.monotonic() < until, done.stdout + done.stderr
            time.sleep(0.2)
        driven = running.ended()
        assert driven.code == 0, driven.said
        assert len(driven.frames) == FRAMES
    return place


def replay(lanes: Path, domain_id: int, bag: Path, *more: str, **options: float) -> Driven:
    return drive_graph(lanes, domain_id, *more, own=NO_EGL, replay=str(bag), **options)


def test_a_replay_gives_the_recorded_commands_without_a_display(
    lanes: Path, bag: Path, domain_id: int
) -> None:
    driven = replay(lanes, domain_id, bag)
    said = f"replayed: {FRAMES} commands, all equal to those of the recording"
    assert said in driven.log("simulator")
    assert driven.code == 0, driven.said


def test_another_graph_is_told_from_the_recorded_one(
    lanes: Path, bag: Path, domain_id: int
) -> None:
    driven = replay(lanes, domain_id, bag, lane_control__acceleration=0.3)
    assert driven.code == 1, driven.said
    assert f"replayed: command 1 of {FRAMES} is (" in driven.log("simulator")


def test_a_drive_without_a_display_says_what_to_install(lanes: Path, domain_id: int) -> None:
    driven = drive_graph(lanes, domain_id, own=NO_EGL, seconds=1)
    assert driven.code != 0
    assert "no picture can be drawn with MUJOCO_GL=egl" in driven.said
    assert "apt-get install libegl1" in driven.said and "`replay`" in driven.said
    assert "Traceback" not in driven.said
