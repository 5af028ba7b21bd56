# SPDX-License-Identifier: Apache-2.0
"""What the benches of the cores that show the ground from above share: views of it."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import lane_bench
from stream import start


@dataclass(frozen=True)
class View:
    """The node's parameters; the defaults are those of its manifest, but for a smaller view."""

    near_edge: float = 0.2
    far_edge: float = 0.8
    half_width: float = 0.5
    camera_height: float = 0.14
    camera_ahead: float = 0.05
    camera_pitch: float = 25.0
    camera_fov: float = 80.0
    width: int = 64
    height: int = 40

    @property
    def ground(self) -> tuple[ctypes.Array[ctypes.c_double], ctypes.Array[ctypes.c_double]]:
        """Edges and camera, as arguments of drive_golden.cpp."""
        edges = (self.near_edge, self.far_edge, self.half_width)
        mount = (self.camera_height, self.camera_ahead, self.camera_pitch, self.camera_fov)
        return (ctypes.c_double * 3)(*edges), (ctypes.c_double * 4)(*mount)


VIEWS = (
    View(),
    View(near_edge=0.1, far_edge=4.0, half_width=3.0, width=33, height=50),  # with black corners
    View(camera_pitch=-3.5, near_edge=0.3, far_edge=9.0, half_width=0.2, width=17, height=16),
    View(camera_pitch=88.0, camera_height=1.7, near_edge=0.0, width=40, height=31),
    View(camera_fov=31.5, camera_ahead=-0.31, near_edge=1.0, far_edge=1.5, width=16, height=23),
    View(camera_fov=169.0, half_width=40.0, far_edge=77.7, camera_height=3.0, width=29, height=19),
    View(camera_pitch=-44.0, near_edge=0.4, far_edge=0.5, width=20, height=16),  # sky: black
    View(half_width=0.02, near_edge=0.29, far_edge=0.31, width=31, height=18),  # enlarged
)
#: What no camera sees.
NO_VIEWS = (
    View(near_edge=0.8, far_edge=0.8),
    View(near_edge=0.9, far_edge=0.8),
    View(near_edge=0.0, camera_ahead=1.0),
    View(near_edge=-0.0, camera_ahead=0.5),
)


async def begin(dut, view: View) -> None:
    """Set the parameters, which are constant from reset on, and start."""
    for name, value in vars(view).items():
        bits = value if name in ("width", "height") else lane_bench.bits(value)
        getattr(dut, f"parameter_{name}_i").value = bits
    await start(dut)
