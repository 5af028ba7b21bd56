# SPDX-License-Identifier: Apache-2.0
"""The simulator without ROS: how the robot moves, what its camera sees, weather and faults."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from driving_place import SMALL, drive, frames_of, run_python, use_sources

use_sources()
from sim.weather import Spoiler, Weather  # noqa: E402

LOOK = """
import json, sys
from sim.drive import Drive
from sim.options import Options
wanted, folder = json.loads(sys.argv[1])
for name, options in wanted.items():
    light = options.pop("light", "green")
    drive = Drive(Options(**options))
    if options.get("other_robot"):
        drive.next_frame()
    drive.robot.show_light(light)
    drive.camera.picture(drive.robot.data).tofile(f"{folder}/{name}")
    drive.close()
"""
WIDTH, HEIGHT = 320, 240
WEATHER: dict[str, dict[str, Any]] = {
    "noise": {"noise": 10.0},
    "exposure": {"exposure": 0.5},
    "blur": {"blur": 5},
    "glare": {"glare": 0.6},
    "shadows": {"shadows": 0.6},
    "worn": {"worn": 0.5},
    "other": {"other_robot": True},
    "missing": {"missing": [0.0, 1.0]},
    "missing_right": {"missing": [0.0, 1.0], "missing_side": "right"},
}
LIGHTS = {light: {"light": light} for light in ("red", "green", "off")}


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, np.ndarray[Any, Any]]:
    """What the camera sees at the start: in each weather, with each light."""
    folder = tmp_path_factory.mktemp("seen")
    size = {**SMALL, "width": WIDTH, "height": HEIGHT}
    wanted = {name: {**size, **own} for name, own in {**WEATHER, **LIGHTS}.items()}
    done = run_python(LOOK, json.dumps([wanted, str(folder)]))
    assert done.returncode == 0, done.stderr
    return {
        name: np.fromfile(folder / name, np.uint8).reshape(HEIGHT, WIDTH, 3).astype(int)
        for name in wanted
    }


def column_of(row: np.ndarray[Any, Any]) -> float:
    return float(np.nonzero(row)[0].mean())


def test_a_lap_is_driven_in_the_lane_and_the_red_light_obeyed(tmp_path: Path) -> None:
    lines = drive(tmp_path / "drive.jsonl")
    end = lines[-1]
    assert (end["reason"], end["laps"]) == ("laps done", 1)
    assert (end["departures"], end["red_lights_run"]) == (0, 0)
    (stop,) = (line for line in lines if line["event"] == "stop")
    assert stop["obeyed"] and stop["stood_s"] >= 1.9


def test_a_drive_is_the_same_each_time_and_another_with_another_seed(tmp_path: Path) -> None:
    first, again, other = (
        frames_of(drive(tmp_path / name, 150, noise=12.0, worn=0.3, drop=0.1, seed=seed))
        for name, seed in (("first", 7), ("again", 7), ("other", 8))
    )
    assert first == again
    assert first != other


@pytest.mark.parametrize("chance", [{"command_jitter_ms": 300.0}, {"drop": 0.5}], ids=str)
def test_each_chance_goes_by_the_seed(tmp_path: Path, chance: dict[str, float]) -> None:
    # Commands that the pictures do not tell: what differs comes from this chance alone.
    first, again, other = (
        frames_of(drive(tmp_path / name, 24, "(0.2 * (number % 4 < 2), 0.0)", seed=seed, **chance))
        for name, seed in (("first", 7), ("again", 7), ("other", 8))
    )
    assert first == again
    assert first != other


def test_the_noise_of_pictures_goes_by_the_seed() -> None:
    grey = np.full((48, 64, 3), 128, np.uint8)
    first, again, other = (
        Spoiler(Weather(noise=8.0), 64, 48, seed).spoil(grey) for seed in (7, 7, 8)
    )
    assert (first == again).all() and (first != other).any()
    assert first.astype(float).std() == pytest.approx(8.0, rel=0.1)


def test_who_does_not_look_at_the_light_runs_it(tmp_path: Path) -> None:
    lines = drive(tmp_path / "drive.jsonl", 60, "(0.2, command[1])")
    assert [line["obeyed"] for line in lines if line["event"] == "stop"] == [False]
    assert lines[-1]["red_lights_run"] == 1


def test_the_robot_moves_as_it_is_told_within_what_it_can(tmp_path: Path) -> None:
    frames = frames_of(drive(tmp_path / "fast", 45, "(5.0, 0.0)", red_laps=[]))
    assert frames[-1]["speed"] == pytest.approx(0.22, rel=0.03)
    # It begins to move at 1 m/s2.
    assert 0.02 < frames[1]["speed"] < 0.12
    frames = frames_of(drive(tmp_path / "turn", 45, "(0.0, 1.0)"))
    turned = math.remainder(frames[-1]["yaw"] - frames[30]["yaw"], 2 * math.pi)
    assert turned == pytest.approx(14 / 15, rel=0.05)
    frames = frames_of(drive(tmp_path / "none", 20, "(float('nan'), float('inf'))"))
    assert abs(frames[-1]["x"] - frames[0]["x"]) < 1e-3


def test_without_commands_the_wheels_stop(tmp_path: Path) -> None:
    # The camera stalls: the driver says nothing, and half a second later the robot stands.
    lines = drive(tmp_path / "drive.jsonl", 90, "(0.2, 0.0)", stall_at=30, stall_frames=45)
    speed = {frame["frame"]: frame["speed"] for frame in frames_of(lines)}
    assert speed[36] > 0.15
    assert all(abs(speed[number]) < 0.01 for number in range(45, 75))
    assert speed[89] > 0.15


def test_a_delay_of_commands_is_simulated_time(tmp_path: Path) -> None:
    plain, late = (
        frames_of(drive(tmp_path / f"{ms}", 30, "(0.2, 0.0)", command_delay_ms=ms))
        for ms in (0, 200)
    )
    begins = [next(f["frame"] for f in frames if f["speed"] > 0.01) for frames in (plain, late)]
    assert begins[1] - begins[0] == 3


def stripes_of(row: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Where a row shows the yellow stripe, at the left, and the white one."""
    return (row[:, 0] > 120) & (row[:, 0] - row[:, 2] > 60), row.min(axis=1) > 130


def test_the_stripe_that_is_missing_is_on_the_side_that_was_asked_for(
    seen: dict[str, np.ndarray[Any, Any]],
) -> None:
    wanted = {"green": [True, True], "missing": [False, True], "missing_right": [True, False]}
    for name, shown in wanted.items():
        assert [bool(mask.any()) for mask in stripes_of(seen[name][150])] == shown, name


def test_the_camera_sees_stripes_where_geometry_has_them(
    seen: dict[str, np.ndarray[Any, Any]],
) -> None:
    focal, pitch, height, ahead = 160 / math.tan(math.radians(40)), math.radians(25), 0.14, 0.35
    row = seen["green"][round(120 + focal * math.tan(math.atan2(height, ahead) - pitch))]
    depth = ahead * math.cos(pitch) + height * math.sin(pitch)
    for mask, side in zip(stripes_of(row), (-1, 1), strict=True):
        assert column_of(mask) == pytest.approx(159.5 + side * 0.15 * focal / depth, abs=1.5)


def test_the_lamp_that_is_lit_is_bright(seen: dict[str, np.ndarray[Any, Any]]) -> None:
    def count(light: str, channel: int) -> int:
        others = [c for c in range(3) if c != channel]
        part = seen[light][:60]
        return int(((part[..., channel] > 180) & (part[..., others].max(axis=2) < 110)).sum())

    assert count("red", 0) > 10 > count("green", 0) == count("off", 0)
    assert count("green", 1) - count("off", 1) > 10


@pytest.mark.parametrize("weather", WEATHER)
def test_each_weather_changes_the_picture(
    seen: dict[str, np.ndarray[Any, Any]], weather: str
) -> None:
    assert np.abs(seen["green"] - seen[weather]).mean() > 0.3


def test_a_machine_that_cannot_draw_is_told_what_to_do(tmp_path: Path) -> None:
    # No vendor of EGL: as where only the dispatcher is installed.
    done = run_python(
        LOOK,
        json.dumps([{"none": SMALL}, str(tmp_path)]),
        environment={"__EGL_VENDOR_LIBRARY_FILENAMES": "/nowhere"},
    )
    assert "NoRendererError: no picture can be drawn with MUJOCO_GL=egl" in done.stderr
    assert "apt-get install libegl1" in done.stderr
    assert "parameter `replay`" in done.stderr


REFUSED = """
import json, sys
from sim.options import OptionError, Options
for options in json.loads(sys.argv[1]):
    try:
        Options(**options)
    except OptionError as error:
        print(error)
"""


def test_values_that_no_drive_can_have_are_refused() -> None:
    wrong = [
        {"rate_hz": 25},
        {"laps": 0},
        {"drop": 1.5},
        {"drop": float("nan")},
        {"missing": [1.0]},
        {"missing_side": "up"},
    ]
    lines = run_python(REFUSED, json.dumps(wrong)).stdout.splitlines()
    expected = (
        "rate_hz is 25; possible are [1, 2,",
        "laps is 0; possible is 1 to 1000",
        "drop is 1.5; possible is 0.0 to 1.0",
        "drop is nan; possible is 0.0 to 1.0",
        "missing is [1.0]; it has two numbers, from and to",
        "missing_side is 'up'; possible are left and right",
    )
    assert len(lines) == len(expected)
    assert all(line.startswith(words) for line, words in zip(lines, expected, strict=True))
