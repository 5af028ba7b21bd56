# SPDX-License-Identifier: Apache-2.0
"""The lane's centre line, the traffic light and the judge of a drive: pure arithmetic."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from driving_place import use_sources
from hypothesis import given
from hypothesis import strategies as st

use_sources()
from sim.light import APPROACH, STOP_LINE, TrafficLight  # noqa: E402
from sim.track import CORNERS, LANE_WIDTH, Pose, Track  # noqa: E402
from sim.truth import Truth  # noqa: E402

TRACK = Track()


def test_it_is_closed_smooth_and_has_curves_of_both_directions() -> None:
    assert 6.0 <= TRACK.length <= 8.0
    begin, end = TRACK.at(0.0), TRACK.at(TRACK.length - 1e-9)
    assert math.hypot(begin.x - end.x, begin.y - end.y) < 1e-6
    for before, after in zip(TRACK.pieces, [*TRACK.pieces[1:], TRACK.pieces[0]], strict=True):
        pose = before.at(before.length)
        assert math.hypot(pose.x - after.x, pose.y - after.y) < 1e-9
        assert math.cos(pose.yaw - after.yaw) == pytest.approx(1.0)
    assert min(p.curvature for p in TRACK.pieces) < 0 < max(p.curvature for p in TRACK.pieces)


def test_its_length_is_that_of_its_outline() -> None:
    points = np.array([*TRACK.outline(0.002), TRACK.outline(0.002)[0]])
    assert np.hypot(*np.diff(points, axis=0).T).sum() == pytest.approx(TRACK.length, rel=1e-4)


@given(st.floats(0.0, TRACK.length - 1e-6), st.floats(-0.2, 0.2))
def test_a_point_beside_the_line_is_found_there(along: float, lateral: float) -> None:
    pose = TRACK.at(along, lateral)
    place = TRACK.locate(pose.x, pose.y)
    assert place.lateral == pytest.approx(lateral, abs=1e-9)
    away = abs(place.along - along)
    assert min(away, TRACK.length - away) < 1e-6


def test_left_of_a_drive_to_the_east_is_north() -> None:
    assert TRACK.locate(1.0, 0.1).lateral == pytest.approx(0.1)
    assert TRACK.at(0.0).yaw == 0.0


def test_corners_that_are_too_near_are_refused() -> None:
    with pytest.raises(ValueError, match="corners 0 and 1 are too near"):
        Track([(0, 0, 1.0), (1.5, 0, 1.0), (1.5, 4, 0.5), (0, 4, 0.5)])
    assert len(CORNERS) == 7


def light_over(speeds: list[float], **options: Any) -> list[str]:
    """What a light shows at 8 Hz to a robot that comes from 0.8 m before the line."""
    light, to_line, shown = TrafficLight(red_laps=[1], hold_s=1.0, **options), 0.8, []
    for number, speed in enumerate(speeds):
        shown.append(light.update(number / 8, to_line, 1, speed))
        to_line -= speed / 8
    return shown


def test_the_light_is_red_until_the_robot_stood_for_a_while() -> None:
    shown = light_over([0.2] * 20 + [0.0] * 15 + [0.2] * 30)
    assert shown == ["red"] * 28 + ["green"] * 37


def test_a_stop_that_is_broken_off_counts_anew() -> None:
    shown = light_over([0.0] * 8 + [0.05] + [0.0] * 15)
    assert shown.index("green") == 8 + 1 + 8


def test_who_does_not_stop_sees_red_until_the_line() -> None:
    shown = light_over([0.2] * 60)
    assert shown[:32] == ["red"] * 32 and set(shown[33:]) == {"green"}


def test_other_laps_are_green_and_a_light_may_flicker() -> None:
    assert TrafficLight([2], 1.0).update(0.0, 0.5, 1, 0.2) == "green"
    assert TrafficLight([1], 1.0).update(0.0, APPROACH + 0.1, 1, 0.2) == "green"
    light = TrafficLight([1], 1.0, flicker_hz=2.0)
    light.update(0.0, 0.5, 1, 0.2)
    assert [light.lit(t) for t in (0.0, 0.2, 0.3, 0.45, 0.5)] == ["red", "red", "off", "off", "red"]


class Driver:
    """Moves a judged robot along the lane, 5 cm a time."""

    def __init__(self, path: Path, laps: int = 1) -> None:
        self.truth, self.path = Truth(TRACK, laps, path, {}), path
        self.now, self.along = 0.0, 0.0

    def go(
        self, steps: int, light: str = "green", lateral: float = 0.0, speed: float = 0.5
    ) -> None:
        for _ in range(steps):
            pose: Pose = TRACK.at(self.along, lateral)
            self.truth.observe(self.now, pose, speed, light)
            self.now += 0.1
            self.along += speed / 10

    def lines(self) -> list[dict[str, Any]]:
        self.truth.end()
        return [json.loads(line) for line in self.path.read_text().splitlines()]


@pytest.fixture
def driver(tmp_path: Path) -> Driver:
    return Driver(tmp_path / "drive.jsonl")


def test_a_lap_ends_the_drive(driver: Driver) -> None:
    steps = math.ceil(TRACK.length / 0.05)
    driver.go(steps)
    assert driver.truth.reason == ""
    driver.go(2)
    assert driver.truth.reason == "laps done"
    lines = driver.lines()
    assert [line["event"] for line in lines] == ["start", "lap", "end"]
    assert lines[1]["lap"] == 1 and lines[1]["seconds"] == pytest.approx(steps / 10, abs=0.15)
    assert lines[-1]["laps"] == 1


def test_going_back_over_the_start_is_no_lap(driver: Driver) -> None:
    for along in (0.02, -0.02, 0.02, -0.05):
        driver.truth.observe(driver.now, TRACK.at(along), 0.1, "green")
    assert driver.truth.lap == 1 and driver.truth.reason == ""
    assert driver.truth.along == pytest.approx(-0.05)


def test_a_red_light_is_obeyed_or_run(driver: Driver) -> None:
    driver.go(6, "red")
    driver.go(5, "red", speed=0.0)
    driver.go(8, "green")
    (stop,) = driver.truth.stops
    assert stop["obeyed"] and stop["lap"] == 1
    assert stop["stood_s"] == pytest.approx(0.5)
    assert stop["before_line"] == pytest.approx(STOP_LINE - 0.3)
    other = Driver(driver.path.with_name("other.jsonl"))
    other.go(12, "red")
    assert [stop["obeyed"] for stop in other.truth.stops] == [False]
    assert other.truth.red_lights_run == 1


def test_departures_are_counted_once_each(driver: Driver) -> None:
    limit = (LANE_WIDTH - 0.16) / 2
    for lateral in (limit - 0.01, limit + 0.01, limit + 0.02, 0.0, -limit - 0.01):
        driver.go(2, lateral=lateral)
    assert driver.truth.departures == 2
    driver.go(1, lateral=0.41)
    assert driver.truth.reason == "lost"


def test_standing_is_being_stuck_unless_the_light_is_red(driver: Driver) -> None:
    driver.go(300, "red", speed=0.0)
    assert driver.truth.reason == ""
    driver.go(202, "green", speed=0.0)
    assert driver.truth.reason == "stuck"
