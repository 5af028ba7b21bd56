# SPDX-License-Identifier: Apache-2.0
"""Ligament: one ROS 2 computation graph across CPUs, GPUs, FPGAs and microcontrollers."""

__version__ = "0.1.0"
