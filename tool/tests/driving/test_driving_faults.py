# SPDX-License-Identifier: Apache-2.0
"""The real nodes when something is wrong: they go on, or the robot stands until it is mended."""

from __future__ import annotations

from pathlib import Path

from driving_graph import drive_graph, driving_graph

#: No light is red in the first lap.
GREEN = [9]
STALL_AT, STALL_FRAMES = 60, 45
#: Frames. Lane Control slows down until 0.6 s after its last frame; each command of it lasts for
#: half a second, then the wheels stop within two tenths. How much of that simulated time Lane
#: Control sees depends on the machine: the world does not wait for it while no image is sent.
STANDS_AFTER = 20


def test_a_camera_that_stalls_drops_and_repeats(lanes: Path, domain_id: int) -> None:
    driven = drive_graph(
        lanes, domain_id, red_laps=GREEN, seconds=12, drop=0.1, duplicate=0.1,
        stall_at=STALL_AT, stall_frames=STALL_FRAMES,
    )  # fmt: skip
    assert driven.code == 0, driven.said
    assert (driven.end["reason"], driven.end["departures"]) == ("time is up", 0)
    assert {frame["copies"] for frame in driven.frames} == {0, 1, 2}
    speed = [frame["speed"] for frame in driven.frames]
    assert speed[STALL_AT] > 0.15
    stands = speed[STALL_AT + STANDS_AFTER : STALL_AT + STALL_FRAMES]
    assert max(map(abs, stands)) < 0.01
    assert max(speed[STALL_AT + STALL_FRAMES :]) > 0.15
    assert driven.lateral_p95() <= 0.05


def test_a_flickering_light_glare_and_a_missing_stripe(lanes: Path, domain_id: int) -> None:
    driven = drive_graph(
        lanes, domain_id, seconds=20, glare=0.5, flicker_hz=2.5, missing=[1.0, 2.5]
    )
    assert driven.code == 0, driven.said
    (stop,) = driven.of("stop")
    assert stop["obeyed"] and stop["stood_s"] >= 1.9
    assert (driven.end["red_lights_run"], driven.end["departures"]) == (0, 0)
    assert driven.frames[-1]["along"] > 2.5
    assert driven.lateral_p95() <= 0.05


def test_who_sees_no_lane_stands(lanes: Path, domain_id: int) -> None:
    driven = drive_graph(lanes, domain_id, seconds=3, red_laps=GREEN, exposure=8.0, glare=1.0)
    assert driven.code == 0, driven.said
    assert max(abs(frame["speed"]) for frame in driven.frames) < 0.01
    assert driven.end["missed"] == 0


def test_nodes_are_killed_in_mid_drive(lanes: Path, domain_id: int) -> None:
    # By the clock: in lock step the world would wait for the node. Slow: the machine may be busy.
    more = ("--restart", "--start-timeout=300")
    killed = ("image_projection", "lane_control", "red_traffic_light_detection")
    with driving_graph(
        lanes, domain_id, *more, real_time=True, red_laps=GREEN, laps=99, rate_hz=10,
        lane_control__cruise=0.1,
    ) as running:  # fmt: skip
        for name in killed:
            running.await_frame(lambda frame: frame["speed"] > 0.08)
            running.stand_without(name)
        running.await_frame(lambda frame: frame["speed"] > 0.08)
        running.stop()
        driven = running.ended()
    assert driven.code == 0, driven.said
    assert set(driven.record["restarts"]) == set(killed)
    for name in killed:
        assert f"starting {name} again" in driven.said
    control = driven.log("lane_control")
    assert "nobody looks for red lights any more (liveliness of '/E' lost): stopping" in control
    assert "somebody looks for red lights again: driving" in control
