# SPDX-License-Identifier: Apache-2.0
"""The simulator as a node of ROS 2, steered by another one, started by a graph."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from driving_place import DRIVING, SMALL, WATCHDOG_S, drive, frames_of, python, run_python
from driving_ros import LIGAMENT, dds_domain, environment, preloaded

BAG = Path(__file__).with_name("driving_bag.py")


@pytest.fixture
def domain_id() -> Iterator[int]:
    with dds_domain() as taken:
        yield taken


def run(tmp_path: Path, domain_id: int, *words: str) -> subprocess.CompletedProcess[str]:
    graph = DRIVING / "steer.yaml"
    options = [f"--set=simulator.{name}={value}" for name, value in SMALL.items()]
    command = [*LIGAMENT, "run", str(graph), "--out", str(tmp_path), "--quiet", *options, *words]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=WATCHDOG_S, env=environment(domain_id)
    )


def log_of(tmp_path: Path) -> list[dict[str, Any]]:
    (path,) = tmp_path.glob("*/default/runs/*/outputs/drive.jsonl")
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_drive_through_topics_equals_one_without_ros(tmp_path: Path, domain_id: int) -> None:
    done = run(tmp_path, domain_id)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = log_of(tmp_path)
    end = lines[-1]
    assert (end["reason"], end["missed"], end["extra"]) == ("laps done", 0, 0)
    through_topics = frames_of(lines)
    for frame in through_topics:
        frame.pop("copies", None)
    assert through_topics == frames_of(drive(tmp_path / "direct.jsonl"))


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("worn=much", "worn is 'much'; possible is a number"),
        ("wornn=0.4", "there is no parameter 'wornn': did you mean 'worn'?"),
    ],
)
def test_wrong_options_end_the_run_with_a_sentence(
    tmp_path: Path, domain_id: int, option: str, said: str
) -> None:
    done = run(tmp_path, domain_id, f"--set=simulator.{option}")
    assert done.returncode != 0
    (log,) = tmp_path.glob("*/default/runs/*/log/simulator.log")
    text = log.read_text()
    assert f"simulator: {said}" in text
    assert "Traceback" not in text


def test_nobody_who_drives_is_said(tmp_path: Path, domain_id: int) -> None:
    words = ["-p", "start_timeout_s:=0.2", "-p", "width:=160", "-p", "height:=120"]
    done = subprocess.run(
        [str(python()), str(DRIVING / "simulator.py"), "--ros-args", *words],
        capture_output=True, text=True, timeout=WATCHDOG_S, cwd=tmp_path,
        env=preloaded(domain_id),
    )  # fmt: skip
    assert done.returncode == 1
    assert (
        "nobody subscribes to /camera/image_raw (0 of 1) after 0.2 s" in done.stdout + done.stderr
    )


def test_without_mujoco_it_is_said_how_to_get_it(tmp_path: Path, domain_id: int) -> None:
    (tmp_path / "mujoco.py").write_text("raise ModuleNotFoundError(\"No module named 'mujoco'\")\n")
    done = subprocess.run(
        [str(python()), str(DRIVING / "simulator.py")],
        capture_output=True, text=True, timeout=WATCHDOG_S,
        cwd=tmp_path, env={**environment(domain_id), "PYTHONPATH": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 2
    assert "No module named 'mujoco': pip install mujoco" in done.stderr
    assert "dev/setup --driving" in done.stderr


def recording(place: Path, commands: list[tuple[float, float]], images: int) -> None:
    """Write a bag as a recorder would, of a drive without meaning."""
    done = run_python(BAG.read_text(), json.dumps([str(place), commands, images]))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("commands", "code", "words"),
    [
        ([(0.2, 0.0)] * 5, 0, "5 commands, all equal to those of the recording"),
        (
            [(0.2, 0.0)] * 3 + [(0.2, 0.25)] * 2,
            1,
            "command 3 of 5 is (0.2 m/s, 0.0 rad/s), in the recording (0.2 m/s, 0.25 rad/s)",
        ),
        ([(0.2, 0.0)] * 4, 1, "4 commands for 5 images: record from the first one on"),
        ([(0.2, 0.0)] * 6, 1, "5 commands, 6 in the recording; those that both have are equal"),
    ],
)
def test_a_recording_is_replayed_and_compared(
    tmp_path: Path, domain_id: int, commands: list[tuple[float, float]], code: int, words: str
) -> None:
    recording(tmp_path / "bag", commands, 5)
    done = run(tmp_path / "out", domain_id, f"--set=simulator.replay={tmp_path / 'bag'}")
    (log,) = tmp_path.glob("out/*/default/runs/*/log/simulator.log")
    assert words in log.read_text()
    assert (done.returncode == 0) == (code == 0), done.stdout + done.stderr


@pytest.mark.parametrize("content", [None, b"", b"\x89MCAP0\r\nnothing"])
def test_what_is_no_recording_is_refused(
    tmp_path: Path, domain_id: int, content: bytes | None
) -> None:
    place = tmp_path / "bag.mcap"
    if content is not None:
        place.write_bytes(content)
    done = subprocess.run(
        [str(python()), str(DRIVING / "simulator.py"), "--ros-args", "-p", f"replay:={place}"],
        capture_output=True, text=True, timeout=WATCHDOG_S, cwd=tmp_path,
        env=preloaded(domain_id),
    )  # fmt: skip
    assert done.returncode == 2
    assert (
        f"simulator: there is no recording {place}" in done.stderr
        if content is None
        else (f"simulator: {place} cannot be read: " in done.stderr)
    )
    assert "Traceback" not in done.stderr
