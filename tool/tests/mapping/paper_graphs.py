# SPDX-License-Identifier: Apache-2.0
"""Graphs of the papers, built from a short notation, for tests of the mapping.

`graph(A="1 -> 2 3 8", ...)` makes a topic per keyword with publishers left and subscriptions right;
nodes named in `hardware` have an FPGA implementation, all have one for processors.
"""

from __future__ import annotations

from collections.abc import Iterable

from ligament.graph.model import End, Graph, Node, NodePort, NodeType, Topic, Variant
from ligament.graph.names import name_hash
from ligament.graph.qos import QoS
from ligament.mapping import Platform
from ligament.mapping.platform import Device, Link

IMAGE = "sensor_msgs/msg/Image"

BOARD = Platform(
    "board",
    {
        "cpu0": Device("cpu0", "cpu", memory="ram", addresses_pool=True),
        "fpga0": Device("fpga0", "fpga", memory="ram"),
    },
    pool_memory="ram",
    links=(Link(frozenset(("fpga0", "ram")), 1.6e9, 500, "fpga0 - ram"),),
)

# The paper's section 5. Its figure is a picture; these edges agree with all that its text says:
# N_HW, N_SW, the three sets of topics, and every count.
ELEVEN_HARDWARE = ("1", "2", "3", "4", "5", "7", "10", "11")
ELEVEN_TOPICS = {
    "A": "1 -> 2 3 8",
    "B": "2 -> 4",
    "C": "4 -> 5 6 7",
    "D": "6 8 -> 9",
    "E": "9 -> 10 11",
}

# The driving application of the fpgaDDS paper: everything in hardware but lane control.
DRIVING_TOPICS = {
    "camera": "camera -> compensation",
    "A": "compensation -> blur red_light green_light",
    "B": "blur -> projection",
    "C": "projection -> following",
    "D": "following -> control",
    "E": "red_light -> control",
    "F": "green_light -> control",
}
DRIVING_HARDWARE = ("compensation", "blur", "projection", "following", "red_light", "green_light")

# The extended one of the mapping paper: other lane nodes, SLAM in software, and two light detectors
# that listen to each other, which is a legitimate cycle.
EXTENDED_TOPICS = {
    "camera": "camera -> compensation",
    "A": "compensation -> blur red_light green_light slam",
    "B": "blur -> lane_planner",
    "C": "lane_planner -> polyfit",
    "D": "polyfit -> control",
    "E": "red_light -> green_light control",
    "F": "green_light -> red_light control",
}
EXTENDED_HARDWARE = ("compensation", "blur", "lane_planner", "polyfit", "red_light", "green_light")


def graph(topics: dict[str, str], hardware: Iterable[str], bound_bytes: int | None = None) -> Graph:
    """Return a normalised graph; node `1` has the id `/n1`, topic `A` the id `/A`."""
    ports: dict[str, dict[str, NodePort]] = {}
    made: dict[str, Topic] = {}
    for name, notation in topics.items():
        left, _, right = notation.partition("->")
        ends = [_end(n, f"{name}_out", "out", name, ports) for n in left.split()]
        ends += [_end(n, f"{name}_in", "in", name, ports) for n in right.split()]
        ends.sort(key=lambda e: (e.direction != "out", e.node, e.port))
        made[f"/{name}"] = Topic(
            f"/{name}",
            f"0x{name_hash(f'/{name}'):016x}",
            IMAGE,
            QoS(),
            ends=tuple(ends),
            bound_bytes=bound_bytes,
        )
    in_hardware = {_id(n) for n in hardware}
    types = {
        "t/software": NodeType("t/software", "/", implementations={"cpu": {}}),
        "t/hardware": NodeType("t/hardware", "/", implementations={"cpu": {}, "fpga": {}}),
    }
    nodes = {
        n: Node(
            n,
            n.strip("/"),
            "/",
            "t/hardware" if n in in_hardware else "t/software",
            ports[n],
            device="fpga" if n in in_hardware else None,
        )
        for n in sorted(ports)
    }
    return Graph(
        "paper", types=types, nodes=nodes, topics=made, variants={"default": Variant("default")}
    )


def _id(name: str) -> str:
    return f"/n{name}" if name[0].isdigit() else f"/{name}"


def _end(
    node: str, port: str, direction: str, topic: str, ports: dict[str, dict[str, NodePort]]
) -> End:
    ports.setdefault(_id(node), {})[port] = NodePort(f"/{topic}", direction, IMAGE, QoS())
    return End(_id(node), port, direction, QoS())
