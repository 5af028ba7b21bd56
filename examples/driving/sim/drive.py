# SPDX-License-Identifier: Apache-2.0
"""One drive, without ROS: who calls `next_frame` and `command` alternately drives the robot.

drive = Drive(Options(laps=1), log=Path("drive.jsonl"))
while not drive.over:
    frame = drive.next_frame()
    drive.command(*steer(frame.picture))
drive.close()
"""

from __future__ import annotations

import collections
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sim.camera import Camera, Picture
from sim.light import TrafficLight
from sim.options import Options
from sim.robot import Robot
from sim.shape import OTHER_AHEAD, STEPS_PER_S
from sim.track import Pose, Track
from sim.truth import Truth
from sim.world import make_model

#: Simulated time of the first frame: a clock of 0 means "not set" in ROS.
FIRST_S = 1
#: The wheels stop when no command came for so long, as those of a TurtleBot3 do.
COMMAND_TIMEOUT_S = 0.5
#: Reason of a drive that ended as its options say: after so many seconds, not after laps.
TIME_UP = "time is up"


@dataclass(frozen=True)
class Frame:
    """What there is to send at one moment."""

    number: int
    stamp_ns: int
    picture: Picture | None
    """None: the camera has a fault and sends nothing."""
    copies: int
    """How often it is sent: twice by a fault."""
    light: str
    pose: Pose


class Drive:
    """The world, what happens in it, and the log of it."""

    def __init__(self, options: Options, log: Path | None = None) -> None:
        self.options = options
        self.track = Track()
        self.model = make_model(self.track, options.look, options.seed)
        self.camera = Camera(
            self.model, options.width, options.height, options.weather, options.seed
        )
        self.robot = Robot(self.model)
        self.light = TrafficLight(options.red_laps, options.hold_s, options.flicker_hz)
        self.truth = Truth(self.track, options.laps, log, asdict(options))
        self._faults = np.random.default_rng([options.seed, 3])
        self._jitter = np.random.default_rng([options.seed, 4])
        self._steps = STEPS_PER_S // options.rate_hz
        self._number = 0
        self._due: collections.deque[tuple[int, float, float]] = collections.deque()
        self._last_command_step = 0
        self.wanted = (0.0, 0.0)

    @property
    def over(self) -> bool:
        """Whether the laps are done, or there is no more hope."""
        return bool(self.truth.reason)

    @property
    def seconds(self) -> float:
        """Simulated seconds since the first frame."""
        return self._number / self.options.rate_hz

    @property
    def stamp_ns(self) -> int:
        """The present simulated time."""
        return FIRST_S * 1_000_000_000 + self._number * 1_000_000_000 // self.options.rate_hz

    def next_frame(self) -> Frame:
        """Look: what the camera and the judge see at this moment."""
        now, pose = self.seconds, self.robot.pose()
        speed = self.robot.odometry.speed
        state = self.light.update(now, self.truth.to_line, self.truth.line_lap, speed)
        self.truth.observe(now, pose, speed, state)
        if 0 < self.options.seconds <= now and not self.truth.reason:
            self.truth.reason = TIME_UP
        self.robot.show_light(self.light.lit(now))
        self._place_other()
        copies = self._copies()
        picture = self.camera.picture(self.robot.data) if copies else None
        return Frame(self._number, self.stamp_ns, picture, copies, state, pose)

    def _place_other(self) -> None:
        if self.options.other_robot:
            self.robot.place_other(self.track.at(self.truth.along + OTHER_AHEAD))

    def _copies(self) -> int:
        dropped, doubled = self._faults.random(2)
        options = self.options
        if 0 <= options.stall_at <= self._number < options.stall_at + options.stall_frames:
            return 0
        return 0 if dropped < options.drop else 2 if doubled < options.duplicate else 1

    def command(self, speed: float, turn: float) -> None:
        """Take a command; it has its effect after the delay that the options say."""
        options = self.options
        delay_ms = options.command_delay_ms + options.command_jitter_ms * self._jitter.random()
        step = self._number * self._steps + round(delay_ms * STEPS_PER_S / 1000)
        self._due.append((step, speed, turn))

    def advance(self, **told: Any) -> None:
        """Move on to the next frame's moment; `told` goes into this frame's line of the log."""
        pose, odometry = self.robot.pose(), self.robot.odometry
        wheels = (odometry.x, odometry.y, odometry.yaw)
        begin = self._number * self._steps
        step, end = begin, begin + self._steps
        while step < end:
            self._take_commands(step)
            coming = [due[0] for due in self._due if due[0] > step]
            stop = self._last_command_step + round(COMMAND_TIMEOUT_S * STEPS_PER_S)
            until = min([end, *coming, *([stop] if stop > step else [])])
            self.robot.advance(until - step)
            step = until
        self.truth.frame(
            frame=self._number, t=self.seconds, x=pose.x, y=pose.y, yaw=pose.yaw,
            speed=odometry.speed, turn=odometry.turn, command=self.wanted,
            light=self.light.state, wheels=wheels, **told,
        )  # fmt: skip
        self._number += 1

    def _take_commands(self, step: int) -> None:
        for due in [due for due in self._due if due[0] <= step]:
            self._due.remove(due)
            self.wanted = due[1:]
            self._last_command_step = step
        if step - self._last_command_step >= round(COMMAND_TIMEOUT_S * STEPS_PER_S):
            self.wanted = (0.0, 0.0)
        self.robot.command(*self.wanted)

    def close(self, **told: Any) -> None:
        """End the log, and free what draws."""
        self.truth.end(t=self.seconds, frames=self._number, **told)
        self.camera.close()
