# SPDX-License-Identifier: Apache-2.0
"""The camera: renders without a display, then makes the picture as bad as the weather is."""

from __future__ import annotations

import os

import mujoco

from sim.weather import Picture, Spoiler, Weather


class NoRendererError(Exception):
    """This machine cannot draw; says why, and what to do."""


class Camera:
    """Draws what the robot's camera sees."""

    def __init__(self, model: mujoco.MjModel, width: int, height: int, weather: Weather, seed: int):
        try:
            self._renderer = mujoco.Renderer(model, height=height, width=width)
        except Exception as error:
            raise NoRendererError(
                f"no picture can be drawn with MUJOCO_GL={os.environ['MUJOCO_GL']}: "
                f"{type(error).__name__}: {error}. Debian and Ubuntu: apt-get install libegl1 "
                "libegl-mesa0 libgl1-mesa-dri, which draw without a display. Recorded drives can "
                "be replayed on this machine: the simulator's parameter `replay`"
            ) from error
        self._weather = Spoiler(weather, width, height, seed)

    def picture(self, data: mujoco.MjData) -> Picture:
        """Return what is seen now: height, width, red, green and blue."""
        self._renderer.update_scene(data, camera="camera")
        return self._weather.spoil(self._renderer.render())

    def close(self) -> None:
        """Give the graphics' memory back."""
        self._renderer.close()
