# SPDX-License-Identifier: Apache-2.0
"""A robot that drives in a lane, its camera, and what happens to both."""

import os

# MuJoCo chooses when it is imported how it draws: without a display, unless the user says how.
os.environ.setdefault("MUJOCO_GL", "egl")
