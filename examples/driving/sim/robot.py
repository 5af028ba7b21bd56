# SPDX-License-Identifier: Apache-2.0
"""The robot's motors: velocities in, turned wheels out, and where it really is.

TurtleBot3 Burger: at most 0.22 m/s and 2.84 rad/s. As in its firmware, a command that is too old
stops the wheels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco

from sim import world
from sim.shape import STEP_S, WHEEL_RADIUS, WHEEL_SEPARATION
from sim.track import Pose

MOST_SPEED = 0.22
MOST_TURN = 2.84
#: What a wheel's set value may change by in a second: metres per second.
MOST_ACCELERATION = 1.0


@dataclass
class Odometry:
    """The pose as the wheels' turns give it, which slip makes wrong, and the velocities."""

    x: float
    y: float
    yaw: float
    speed: float = 0.0
    turn: float = 0.0

    def add(self, left: float, right: float, seconds: float) -> None:
        """Take how far the wheels turned, in radians."""
        left, right = left * WHEEL_RADIUS, right * WHEEL_RADIUS
        way, turned = (left + right) / 2, (right - left) / WHEEL_SEPARATION
        self.x += way * math.cos(self.yaw + turned / 2)
        self.y += way * math.sin(self.yaw + turned / 2)
        self.yaw += turned
        self.speed, self.turn = way / seconds, turned / seconds


class Robot:
    """Moves in a world; poses are those of the axle's middle."""

    def __init__(self, model: mujoco.MjModel) -> None:
        self.model, self.data = model, mujoco.MjData(model)
        mujoco.mj_forward(model, self.data)
        self._body = model.body("robot").id
        self._wheels = [int(model.joint(name).qposadr[0]) for name in ("left", "right")]
        self._set = [0.0, 0.0]
        self._wanted = (0.0, 0.0)
        start = self.pose()
        self.odometry = Odometry(start.x, start.y, start.yaw)
        self.settle()

    def settle(self) -> None:
        """Let it sink into its place, so that no drive begins with a drop."""
        start = self.pose()
        for _ in range(100):
            mujoco.mj_step(self.model, self.data)
        self.odometry = Odometry(start.x, start.y, start.yaw)

    def command(self, speed: float, turn: float) -> None:
        """Take velocities; what is too fast, or no number, is held to what the robot can."""
        self._wanted = (_within(speed, MOST_SPEED), _within(turn, MOST_TURN))

    def pose(self) -> Pose:
        """Return where it really is."""
        x, y, _ = self.data.xpos[self._body]
        ahead = self.data.xmat[self._body]
        return Pose(float(x), float(y), math.atan2(float(ahead[3]), float(ahead[0])))

    def advance(self, steps: int) -> None:
        """Move for so many steps of the physics."""
        before = [float(self.data.qpos[wheel]) for wheel in self._wheels]
        speed, turn = self._wanted
        wanted = (speed - turn * WHEEL_SEPARATION / 2, speed + turn * WHEEL_SEPARATION / 2)
        most = MOST_ACCELERATION * STEP_S
        for _ in range(steps):
            for i in (0, 1):
                self._set[i] += min(max(wanted[i] - self._set[i], -most), most)
                self.data.ctrl[i] = self._set[i] / WHEEL_RADIUS
            mujoco.mj_step(self.model, self.data)
        # A model without the positions' next forward pass would show the camera the step before.
        mujoco.mj_forward(self.model, self.data)
        turned = [float(self.data.qpos[w]) - b for w, b in zip(self._wheels, before, strict=True)]
        self.odometry.add(turned[0], turned[1], steps * STEP_S)

    def show_light(self, state: str) -> None:
        """Light one lamp, or none."""
        for name in ("red", "green"):
            colour = world.LIT[name] if name == state else world.DARK[name]
            self.model.geom(name).rgba[:3] = colour

    def place_other(self, pose: Pose) -> None:
        """Put the other robot somewhere; needs a world with one."""
        self.data.mocap_pos[0] = (pose.x, pose.y, 0.0)
        self.data.mocap_quat[0] = (math.cos(pose.yaw / 2), 0.0, 0.0, math.sin(pose.yaw / 2))
        mujoco.mj_forward(self.model, self.data)


def _within(value: float, most: float) -> float:
    return min(max(value, -most), most) if math.isfinite(value) else 0.0
