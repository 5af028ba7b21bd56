# SPDX-License-Identifier: Apache-2.0
"""Peers: the same chain as rclpy nodes, with the same kernels, on Fast DDS and on our middleware.

Each image is known by its stamp; both ends of the chain and each kernel are timed by the nodes
themselves (benchmarks/driving/chain_node.py).
"""

from __future__ import annotations

import fcntl
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ligament.bench.children import Children
from ligament.bench.driving.alpha import NODES
from ligament.bench.driving.goals import PEERS, ROAD
from ligament.bench.driving.running import domain_id
from ligament.bench.measuring import REPOSITORY, Measured, Row, make_row, output_of, say
from ligament.errors import FailureError
from ligament.report.options import WARM_UP_FRAMES
from ligament.report.statistics import percentile
from ligament.run.ros_python import RosPython, find_ros_python

_SOURCE = REPOSITORY / "benchmarks" / "driving"
_BUILD = REPOSITORY / "build" / "bench-driving-kernels"
_NAMES = (
    *(node.removeprefix("/") for node in NODES),
    "red_traffic_light_detection",
    "green_traffic_light_detection",
)
_BUILD_S, _RUN_S = 600.0, 600.0
NOTE = (
    "the rclpy nodes compute with the same kernels, called by ctypes. Left out: /clock, the "
    "watchdog of Lane Control, and tracing. A callback of rclpy begins after the message was made "
    "into a Python object, which the first node's share of chain alpha lacks"
)


def measure_peers(frames: int, result: Measured) -> None:
    """Each on its middleware."""
    library = _built()
    ros = find_ros_python("jazzy")
    for name in PEERS:
        say("driving", f"{name}: {frames} frames")
        with result.attempt(name):
            command = ["env", *_environment(ros, name), str(ros.program)]
            told = _run([*command, str(_SOURCE / "chain_node.py")], library, frames)
            result.rows += rows_of(told, name)
    result.notes.append(NOTE)


def _environment(ros: RosPython, name: str) -> list[str]:
    variables = dict(ros.environment)
    if name == PEERS[0]:
        variables["RMW_IMPLEMENTATION"] = "rmw_fastrtps_cpp"
        variables.pop("LD_PRELOAD", None)
    variables["ROS_DOMAIN_ID"] = str(domain_id())
    variables["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    return [f"{key}={value}" for key, value in variables.items()]


def _run(command: Sequence[str], library: Path, frames: int) -> list[dict[str, Any]]:
    """All nodes; the camera is the last to begin, and ends after its frames."""
    with Children(_RUN_S) as children:
        words = [str(library), str(frames)]
        nodes = [children.start(name, [*command, name, *words]) for name in _NAMES]
        children.await_ready(nodes)
        camera = children.start("camera", [*command, "camera", *words])
        children.await_end([camera])
        children.ask_to_end(nodes)
        children.await_end(nodes)
        return [json.loads(node.lines[-1]) for node in nodes]


def rows_of(told: Sequence[Mapping[str, Any]], peer: str) -> list[Row]:
    """Chain alpha and message passing of the frames that passed all nodes."""
    by_node = {f"/{one['node']}": {f[0]: f for f in one["frames"]} for one in told}
    chain = [by_node.get(node, {}) for node in NODES]
    stamps = sorted(set.intersection(*(set(frames) for frames in chain)))[WARM_UP_FRAMES:]
    if not stamps:
        raise FailureError("no frame passed all nodes after the warm-up")
    total = np.array([chain[-1][s][3] - chain[0][s][1] for s in stamps])
    computed = np.array([sum(frames[s][2] for frames in chain) for s in stamps])
    params = {"variant": "processes", "images": ROAD}
    rows = [
        make_row("driving", params, "chain", "ns", total, peer),
        make_row("driving", params, "chain_p95", "ns", percentile(np.sort(total), 0.95), peer),
        make_row("driving", params, "message_passing", "ns", total - computed, peer),
        make_row("driving", params, "passing_share", "1", 1 - computed / total, peer),
    ]
    for node, frames in zip(NODES, chain, strict=True):
        values = [frames[s][2] for s in stamps]
        rows.append(make_row("driving", {**params, "node": node}, "compute", "ns", values, peer))
    return rows


def _built() -> Path:
    what = "the kernels for rclpy could not be built"
    configure = ["cmake", "-S", str(_SOURCE), "-B", str(_BUILD), "-G", "Ninja"]
    configure.append("-DCMAKE_BUILD_TYPE=RelWithDebInfo")
    _BUILD.mkdir(parents=True, exist_ok=True)
    with (_BUILD / ".lock").open("w") as lock:  # tests may come here from several processes
        fcntl.flock(lock, fcntl.LOCK_EX)
        for command in (configure, ["cmake", "--build", str(_BUILD)]):
            output_of(command, what, timeout_s=_BUILD_S)
    return _BUILD / "libdriving_kernels.so"
