# SPDX-License-Identifier: Apache-2.0
"""The world as MuJoCo has it: ground, buildings, the traffic light, the robot, another robot.

The robot is a TurtleBot3 Burger: two driven wheels and a ball that only slides. It moves by the
friction of its wheels; nothing here puts it anywhere.
"""

from __future__ import annotations

import math

import mujoco
import numpy as np

from sim import pictures
from sim.pictures import Area
from sim.shape import (
    CAMERA_AHEAD,
    CAMERA_HEIGHT,
    CAMERA_PITCH_DEG,
    GREEN_HEIGHT,
    LAMP_RADIUS,
    LIGHT_AHEAD,
    LIGHT_LATERAL,
    RED_HEIGHT,
    STEP_S,
    WHEEL_RADIUS,
    WHEEL_SEPARATION,
    Look,
    vertical_fov,
)
from sim.track import Pose, Track

LIT = {"red": (1.0, 0.05, 0.04), "green": (0.05, 0.95, 0.25)}
DARK = {"red": (0.16, 0.02, 0.02), "green": (0.01, 0.12, 0.04)}

#: Middles of the buildings, x and y, and their sizes, length, width and height.
BUILDINGS = (
    (0.4, -0.52, 0.36, 0.20, 0.50), (1.1, -0.50, 0.30, 0.16, 0.35), (1.75, -0.54, 0.42, 0.20, 0.60),
    (2.84, -0.25, 0.20, 0.36, 0.45), (2.88, 0.55, 0.20, 0.44, 0.62), (2.86, 1.35, 0.20, 0.30, 0.40),
    (2.55, 2.18, 0.40, 0.20, 0.55), (1.78, 2.16, 0.30, 0.20, 0.38), (1.20, 1.75, 0.22, 0.22, 0.58),
    (0.60, 2.17, 0.40, 0.20, 0.48), (-0.15, 2.16, 0.30, 0.20, 0.62),
    (-0.48, 1.45, 0.20, 0.36, 0.42), (-0.50, 0.75, 0.20, 0.30, 0.56),
    (-0.46, 0.0, 0.20, 0.40, 0.36),
    (0.75, 0.62, 0.26, 0.26, 0.44), (1.70, 0.60, 0.28, 0.24, 0.52),
)  # fmt: skip


def light_pose(track: Track) -> Pose:
    """Return where the traffic light is; it shows against the direction of the drive."""
    return track.at(LIGHT_AHEAD, LIGHT_LATERAL)


def make_model(track: Track, look: Look, seed: int) -> mujoco.MjModel:
    """Return the compiled world, its pictures painted."""
    floor = pictures.ground(track, look.wear, seed, pictures.texel_for(look.width))
    model = mujoco.MjModel.from_xml_string(_xml(track, look, floor.shape))
    _fill(model, "ground", floor)
    rng = np.random.default_rng([seed, 1])
    for i in range(len(BUILDINGS)):
        face = pictures.wall(rng)
        _fill(model, f"wall{i}", np.concatenate([face] * 6))
    return model


def _fill(model: mujoco.MjModel, name: str, picture: pictures.Picture) -> None:
    texture = model.texture(name)
    begin = int(texture.adr[0])
    model.tex_data[begin : begin + picture.size] = np.ascontiguousarray(picture).ravel()


def _xml(track: Track, look: Look, floor: tuple[int, ...]) -> str:
    area, start = Area.of(track), track.at(0.0)
    textures = [
        f'<texture name="wall{i}" type="cube" builtin="flat" width="256" height="256"/>'
        f'<material name="wall{i}" texture="wall{i}" specular="0"/>'
        for i in range(len(BUILDINGS))
    ]
    return f"""
<mujoco model="driving">
  <compiler angle="radian"/>
  <option timestep="{STEP_S}" integrator="implicitfast" cone="elliptic" impratio="10"/>
  <visual>
    <global offwidth="{look.width}" offheight="{look.height}"/>
    <quality offsamples="0" shadowsize="0"/>
    <headlight ambient="0.45 0.45 0.45" diffuse="0 0 0" specular="0 0 0"/>
    <map znear="0.005" zfar="8"/>
  </visual>
  <statistic extent="1" center="1.2 0.8 0"/>
  <asset>
    <texture type="skybox" builtin="gradient" rgb1="0.72 0.80 0.90"
      rgb2="0.52 0.62 0.78" width="64" height="384"/>
    <texture name="ground" type="2d" builtin="flat" width="{floor[1]}" height="{floor[0]}"/>
    <material name="ground" texture="ground" texrepeat="1 1" specular="0"/>
    <material name="lamp" emission="1" specular="0"/>
    {"".join(textures)}
  </asset>
  <default><default class="seen"><geom contype="0" conaffinity="0"/></default></default>
  <worldbody>
    <light type="directional" dir="0.15 0.25 -1" diffuse="0.58 0.58 0.56" castshadow="false"/>
    <geom name="ground" type="plane" material="ground" friction="1"
      pos="{area.left + area.width / 2} {area.bottom + area.height / 2} 0"
      size="{area.width / 2} {area.height / 2} 0.1"/>
    {_buildings()}
    {_light(light_pose(track))}
    {_other() if look.other_robot else ""}
    {_robot(start, look)}
  </worldbody>
  <actuator>
    <velocity name="left" joint="left" kv="0.6" forcerange="-0.35 0.35"/>
    <velocity name="right" joint="right" kv="0.6" forcerange="-0.35 0.35"/>
  </actuator>
</mujoco>"""


def _buildings() -> str:
    return "".join(
        f'<geom class="seen" type="box" material="wall{i}" pos="{x} {y} {high / 2}" '
        f'size="{long / 2} {wide / 2} {high / 2}"/>'
        for i, (x, y, long, wide, high) in enumerate(BUILDINGS)
    )


def _light(pose: Pose) -> str:
    """Return a pole with a black housing; its lamps show to where the robot comes from."""
    middle = (RED_HEIGHT + GREEN_HEIGHT) / 2
    lamps = "".join(
        f'<geom name="{name}" class="seen" type="cylinder" material="lamp" pos="-0.017 0 {height}" '
        f'euler="0 1.5708 0" size="{LAMP_RADIUS} 0.002"/>'
        for name, height in (("red", RED_HEIGHT), ("green", GREEN_HEIGHT))
    )
    return f"""<body pos="{pose.x} {pose.y} 0" euler="0 0 {pose.yaw}">
      <geom class="seen" type="cylinder" rgba="0.45 0.45 0.47 1"
        pos="0 0 0.085" size="0.008 0.085"/>
      <geom class="seen" type="box" rgba="0.05 0.05 0.05 1"
        pos="0 0 {middle}" size="0.015 0.028 0.05"/>
      {lamps}</body>"""


def _other() -> str:
    """Return another robot, which is moved along the lane."""
    return """<body name="other" mocap="true">
      <geom class="seen" type="box" rgba="0.16 0.20 0.30 1"
        pos="0 0 0.075" size="0.065 0.06 0.055"/>
      <geom class="seen" type="cylinder" rgba="0.1 0.1 0.1 1"
        pos="0 0 0.15" size="0.035 0.02"/>
      <geom class="seen" type="cylinder" rgba="0.1 0.1 0.1 1"
        pos="0 0.08 0.033" euler="1.5708 0 0" size="0.033 0.009"/>
      <geom class="seen" type="cylinder" rgba="0.1 0.1 0.1 1"
        pos="0 -0.08 0.033" euler="1.5708 0 0" size="0.033 0.009"/>
    </body>"""


def _robot(start: Pose, look: Look) -> str:
    pitch = math.radians(CAMERA_PITCH_DEG)
    wheels = "".join(
        f"""<body pos="0 {side * WHEEL_SEPARATION / 2} 0">
        <joint name="{name}" type="hinge" axis="0 1 0" armature="0.0004" damping="0.0005"/>
        <geom type="cylinder" euler="1.5708 0 0" size="{WHEEL_RADIUS} 0.009" mass="0.03"
          friction="1.2 0.005 0.0001" rgba="0.1 0.1 0.1 1"/></body>"""
        for name, side in (("left", 1), ("right", -1))
    )
    return f"""<body name="robot" pos="{start.x} {start.y} {WHEEL_RADIUS}" euler="0 0 {start.yaw}">
      <freejoint/>
      <camera name="camera" pos="{CAMERA_AHEAD} 0 {CAMERA_HEIGHT - WHEEL_RADIUS}"
        xyaxes="0 -1 0 {math.sin(pitch)} 0 {math.cos(pitch)}" fovy="{vertical_fov(look)}"/>
      <geom class="seen" type="box" pos="-0.032 0 0.035" size="0.068 0.065 0.04" mass="0.85"
        rgba="0.2 0.2 0.2 1"/>
      <geom type="sphere" pos="-0.081 0 -0.028" size="0.005" mass="0.02" condim="1" priority="1"
        rgba="0.3 0.3 0.3 1"/>
      {wheels}</body>"""
