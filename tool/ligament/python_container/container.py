# SPDX-License-Identifier: Apache-2.0
"""The life of a container in Python: start, ready, run, stop (spec/run/python.md)."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from pathlib import Path
from typing import Any

import rclpy
from rclpy.signals import SignalHandlerOptions

from ligament.python_container.classes import node_class
from ligament.python_container.config import ContainerConfig, read_config
from ligament.python_container.faults import ContainerError, Refused
from ligament.python_container.figures import Figures
from ligament.python_container.making import make_node
from ligament.python_container.recording import recording
from ligament.python_container.signals import catch_signals
from ligament.python_container.spinning import Spinner
from ligament.python_container.status import StatusChannel

MIDDLEWARE = "rmw_ligament_cpp"


def run_container(path: Path, status: StatusChannel) -> int:
    """Run all nodes of a configuration until they are to stop; returns the exit status."""
    config = read_config(path)
    sys.argv = [config.container]  # nodes that read it find no words that are ours
    middleware = _middleware()
    level = ["--ros-args", "--disable-external-lib-logs", "--log-level", config.log_level]
    try:
        rclpy.init(args=level, signal_handler_options=SignalHandlerOptions.NO)
    except Exception as error:
        raise Refused(f"rclpy cannot start: {error}") from error
    figures = Figures([node.id for node in config.nodes], middleware)
    recorded = recording(middleware)
    spinner = Spinner(figures, recorded, lambda node: status.say("done", node=node), config.threads)
    status.on_closed(spinner.stop)
    catch_signals(spinner.stop)
    for node, id_ in _made(config, status):
        for timer in node.timers:
            recorded.watch(timer, id_)
        spinner.add_node(node)
    status.say("ready", pid=os.getpid())
    status.start(figures.status)
    try:
        spinner.spin()
        spinner.drain()
    finally:
        status.stop(figures.status())
    _end(spinner)
    status.say("stopped")
    return 0


def _middleware() -> ctypes.CDLL:
    """The library of the middleware that this process runs on, which must be ours."""
    name = rclpy.get_rmw_implementation_identifier()
    if name != MIDDLEWARE:
        raise Refused(
            f"rclpy runs on {name}, but a graph's nodes need {MIDDLEWARE}: build it for this "
            "ROS 2 (docs/how-to/ros2-workspace.md)"
        )
    for library in (f"lib{MIDDLEWARE}.so", None):  # found by its name, or among what is preloaded
        with contextlib.suppress(OSError):
            return ctypes.CDLL(library, mode=os.RTLD_NOLOAD | os.RTLD_LAZY if library else 0)
    raise Refused(f"lib{MIDDLEWARE}.so cannot be found in this process")


def _made(config: ContainerConfig, status: StatusChannel) -> list[tuple[Any, str]]:
    """All nodes; every mistake is told before the container ends."""
    made, faults = [], []
    for node in config.nodes:
        try:
            made.append((make_node(node, node_class(node), config.rings), node.id))
        except ContainerError as error:
            faults.append(error)
    for fault in faults[:-1]:
        status.error(fault.node, fault.text)
    if faults:
        raise faults[-1]
    return made


def _end(spinner: Spinner) -> None:
    nodes = spinner.get_nodes()
    spinner.shutdown(timeout_sec=1.0)
    for node in nodes:
        node.destroy_node()
    rclpy.try_shutdown()
