# SPDX-License-Identifier: Apache-2.0
"""The numbers of the robot, its camera and the traffic light, in metres."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from sim.pictures import Wear

#: A step of the physics: the rates of cameras are whole parts of it.
STEPS_PER_S = 480
STEP_S = 1.0 / STEPS_PER_S
WHEEL_RADIUS = 0.033
WHEEL_SEPARATION = 0.160
#: The camera, as the graph's nodes know it: above the ground, ahead of the axle, pitched down.
CAMERA_HEIGHT = 0.14
CAMERA_AHEAD = 0.05
CAMERA_PITCH_DEG = 25.0
CAMERA_FOV_DEG = 80.0
#: The traffic light, along the first straight line: to the right of the white stripe.
LIGHT_AHEAD = 1.4
LIGHT_LATERAL = -0.28
LAMP_RADIUS = 0.018
RED_HEIGHT, GREEN_HEIGHT = 0.236, 0.196
#: How far ahead the other robot is.
OTHER_AHEAD = 0.7


@dataclass(frozen=True)
class Look:
    """What of the world the camera sees differently."""

    wear: Wear = field(default_factory=Wear)
    other_robot: bool = False
    width: int = 640
    height: int = 480


def vertical_fov(look: Look) -> float:
    """Return the vertical field of view, in degrees, of square pixels."""
    half = math.tan(math.radians(CAMERA_FOV_DEG / 2)) * look.height / look.width
    return 2 * math.degrees(math.atan(half))


def focal_length(look: Look) -> float:
    """Return the focal length in pixels."""
    return look.width / 2 / math.tan(math.radians(CAMERA_FOV_DEG / 2))
