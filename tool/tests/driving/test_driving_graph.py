# SPDX-License-Identifier: Apache-2.0
"""The real nodes drive in the simulator: in the lane, by the light, the same each time."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from driving_graph import Driven, drive_graph, driving_graph
from driving_ros import dds_domain

STOP_LINE = 0.40
SHORT_S = 8
"""Simulated seconds: to the red light, and on."""


@pytest.fixture(scope="module")
def lap(lanes: Path) -> Driven:
    """A lap with noise in its pictures."""
    with dds_domain() as domain_id:
        return drive_graph(lanes, domain_id, noise=4.0)


def commands(driven: Driven) -> list[Any]:
    return [frame["command"] for frame in driven.frames]


def test_a_lap_stays_in_the_lane(lap: Driven) -> None:
    assert lap.code == 0, lap.said
    assert (lap.end["reason"], lap.end["laps"]) == ("laps done", 1)
    assert (lap.end["departures"], lap.end["missed"], lap.end["extra"]) == (0, 0, 0)
    # With a quarter of the pixels it is a little worse than the 3 cm that whole pictures reach.
    assert lap.lateral_p95() <= 0.04


def test_the_red_light_is_obeyed(lap: Driven) -> None:
    (stop,) = lap.of("stop")
    assert stop["obeyed"] and stop["stood_s"] >= 1.9
    assert 0 < stop["before_line"] < STOP_LINE
    assert lap.end["red_lights_run"] == 0
    assert "red: stopping" in lap.log("lane_control")


def test_one_seed_gives_the_same_commands_however_long_a_node_takes(
    lap: Driven, lanes: Path, domain_id: int
) -> None:
    # A node stands still for a second. Simulated time does, too: no watchdog may act by real time.
    options: dict[str, Any] = {"noise": 4.0, "seconds": SHORT_S}
    with driving_graph(lanes, domain_id, **options) as running:
        running.await_frame(lambda frame: frame["speed"] > 0.1)
        pid = running.pid_of("image_projection")
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)
        time.sleep(1.0)
        os.kill(pid, signal.SIGCONT)
        again = running.ended()
    assert again.code == 0, again.said
    assert (again.end["reason"], again.end["extra"]) == ("time is up", 0)
    assert len(again.frames) == SHORT_S * 15 + 1
    assert commands(again) == commands(lap)[: len(again.frames)]


def test_all_nodes_in_one_process_give_the_same_commands(
    lap: Driven, lanes: Path, domain_id: int
) -> None:
    one = drive_graph(lanes, domain_id, variant="one_process", noise=4.0, seconds=SHORT_S)
    assert one.code == 0, one.said
    assert commands(one) == commands(lap)[: len(one.frames)]


def test_a_graph_that_does_not_steer_or_stop_is_judged_so(lanes: Path, domain_id: int) -> None:
    faults = {"lane_control__turn_limit": 0.0, "red_traffic_light_detection__diameter_from": 400}
    driven = drive_graph(lanes, domain_id, seconds=14, **faults)
    assert (driven.end["red_lights_run"], driven.end["departures"]) == (1, 1)
    assert [stop["obeyed"] for stop in driven.of("stop")] == [False]
    assert driven.lateral_p95() > 0.1
