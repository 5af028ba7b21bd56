# SPDX-License-Identifier: Apache-2.0
"""Which combinations of workload, nodes, ROS mode and device model are measured, and which cannot
be, with the reason."""

from __future__ import annotations

from dataclasses import dataclass

WORKLOADS = ("cache", "concurrent")
SHARED, HANDED_OVER, COPIED = "ROS-SHM-ZC", "ROS-ZC", "ROS-SC"
TOPIC, SERVICE = "topic", "service"
#: In the words of the program.
MODELS = {"SC": "standard_copy", "UM": "unified_memory", "ZC": "zero_copy"}
#: By number of nodes: (CPU nodes, GPU nodes, whether a scheduler is a node of its own).
ARCHITECTURES = {2: (1, 1, False), 3: (1, 1, True), 5: (2, 2, True)}


@dataclass(frozen=True)
class Line:
    """A line of a table."""

    nodes: int
    ros_mode: str
    ros_type: str
    device_mode: str

    @property
    def title(self) -> str:
        """For sentences."""
        by = " by service" if self.ros_type == SERVICE else ""
        return f"{self.nodes} nodes, {self.ros_mode}{by} + {self.device_mode}"


@dataclass(frozen=True)
class Cell:
    """A line of one workload's table."""

    workload: str
    line: Line

    @property
    def title(self) -> str:
        """For sentences."""
        return f"{self.workload}, {self.line.title}"


#: The paper's lines, in its order, and unified memory, which it measured and did not print.
PAPER_LINES = (
    Line(2, COPIED, TOPIC, "SC"),
    Line(2, COPIED, SERVICE, "SC"),
    Line(2, HANDED_OVER, TOPIC, "SC"),
    Line(2, HANDED_OVER, TOPIC, "ZC"),
    Line(2, SHARED, TOPIC, "SC"),
    Line(2, SHARED, TOPIC, "UM"),
    Line(2, SHARED, TOPIC, "ZC"),
    Line(3, COPIED, TOPIC, "SC"),
    Line(3, COPIED, SERVICE, "SC"),
    Line(3, HANDED_OVER, TOPIC, "SC"),
    Line(3, SHARED, TOPIC, "SC"),
    Line(3, SHARED, TOPIC, "UM"),
    Line(3, SHARED, TOPIC, "ZC"),
    Line(5, COPIED, TOPIC, "SC"),
    Line(5, SHARED, TOPIC, "SC"),
    Line(5, SHARED, TOPIC, "UM"),
    Line(5, SHARED, TOPIC, "ZC"),
)


def all_lines() -> tuple[Line, ...]:
    """Every combination that can be."""
    every = (
        Line(nodes, mode, by, model)
        for nodes in ARCHITECTURES
        for mode in (COPIED, HANDED_OVER, SHARED)
        for by in (TOPIC, SERVICE)
        for model in MODELS
    )
    return tuple(line for line in every if not refusal(line))


def refusal(line: Line) -> str:
    """Why a combination cannot be; empty: it can."""
    if line.ros_type == SERVICE and line.ros_mode == HANDED_OVER:
        return "ROS-ZC has no services: a request is not a message that one subscription owns"
    if line.ros_type == SERVICE and line.ros_mode == SHARED:
        return (
            "a service's request and response are structs in ROS, which are copied; in place they "
            "are topics of the pool, and measured as such"
        )
    if line.ros_mode == HANDED_OVER and line.nodes > 2 and line.device_mode == "ZC":
        return (
            "with several owning subscriptions ROS-ZC copies a message for all but one, at another "
            "address each time: there is nothing that stays for a device to be given"
        )
    return ""


#: What else the paper says that ROS-ZC cannot, and where it shows here.
LIMITS = (
    "ROS-ZC: its nodes are threads of one process, as a message is handed over within one; a "
    "subscription in another process refuses it",
    "ROS-ZC: who publishes a message has it no longer, so a part works before it publishes, never "
    "on what it has published: no overlap on one message",
)
