# SPDX-License-Identifier: Apache-2.0
"""The container of nodes in Python: rclpy's nodes of a graph in one process (spec/run/python.md).

It runs in the Python of ROS 2, which may have none of the tool's dependencies.
"""
