# SPDX-License-Identifier: Apache-2.0
"""One run: two ends, and for ours an edge beside or inside each, over one network interface."""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import json
import os
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ligament.bench.children import Child, Children
from ligament.bench.dds.cells import CABLE, ROUND_TRIP, SETTINGS, Cell
from ligament.bench.measuring import program
from ligament.errors import FailureError
from ligament.run.edge import edge_program

OURS, INSIDE, PEER = "ligament", "ligament_inside", "cyclonedds"
_THROUGH = {OURS: "pool", INSIDE: "inside", PEER: "cyclone"}
DOMAIN_ID = 86
_CLONE_NEWNET = 0x40000000
_numbers = itertools.count()


@dataclass
class Figures:
    """What one run measured; `lost` over all subscribers."""

    latencies: list[list[float]] = field(default_factory=list)
    publish_ns: list[float] = field(default_factory=list)
    lost: int = 0
    wire_bytes: float | None = None
    """Per message of the measured topic, by the interface's own counter."""


def own_network() -> str:
    """Leave the machine's network for one of our own, if we may; returns a note if not.

    There nobody else's traffic is counted, and our tuning reaches nobody.
    """
    if os.geteuid() != 0 or ctypes.CDLL(None, use_errno=True).unshare(_CLONE_NEWNET) != 0:
        return "without a network namespace of its own (root): bytes on the wire are not counted"
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    return ""


def run_once(contestant: str, cell: Cell, count_bytes: bool) -> Figures:
    """One run; all its processes are gone afterwards."""
    name = f"bench-dds-{os.getpid()}-{next(_numbers)}"
    interface = CABLE if cell.settings == CABLE else "lo"
    with (
        settings(cell.settings),
        _other_host(interface) as beyond,
        Children(cell.timeout_s) as children,
    ):
        for end, words in (("a", []), ("b", beyond)) if contestant == OURS else ():
            children.start(f"edge {end}", [*words, *_edge(f"{name}-{end}")])
        there, here = ("pong", "ping") if cell.metric == ROUND_TRIP else ("subscribe", "publish")
        # Those with an edge inside have a pool each: one pool has one edge.
        pools = [f"b{k}" if contestant == INSIDE else "b" for k in range(cell.subscribers)]
        receivers = [
            children.start(
                f"{there} {k}", [*beyond, *_end(there, contestant, cell, name, pools[k])]
            )
            for k in range(cell.subscribers)
        ]
        children.await_ready(receivers)
        before = _bytes_sent(interface)
        sender = children.start(here, _end(here, contestant, cell, name, "a"))
        children.await_end([sender, *receivers])
        figures = _figures([*receivers, sender])
        if count_bytes:
            sent = cell.messages + cell.warmup
            figures.wire_bytes = (_bytes_sent(interface) - before) / sent
    return figures


@contextlib.contextmanager
def _other_host(interface: str) -> Iterator[list[str]]:
    """The words before a command that is to run at the far end of the cable; none without one."""
    if interface != CABLE:
        yield []
        return
    command = ["unshare", "--net", "cat"]  # lives until its input ends, which is with us
    with subprocess.Popen(command, stdin=subprocess.PIPE) as host:
        while os.readlink(f"/proc/{host.pid}/ns/net") == os.readlink("/proc/self/ns/net"):
            if host.poll() is not None:
                raise FailureError("a network namespace cannot be made", command=command)
            time.sleep(0.001)
        beyond = ["nsenter", "--target", str(host.pid), "--net"]
        far = ["type", "veth", "peer", "name", CABLE, "netns", str(host.pid)]
        subprocess.run(["ip", "link", "add", CABLE, *far], check=True)
        try:
            for words, address in (([], "10.79.0.1/24"), (beyond, "10.79.0.2/24")):
                subprocess.run([*words, "ip", "address", "add", address, "dev", CABLE], check=True)
                subprocess.run([*words, "ip", "link", "set", CABLE, "up"], check=True)
            # The engine ends its threads by packets to its own address, which go over this.
            subprocess.run([*beyond, "ip", "link", "set", "lo", "up"], check=True)
            yield beyond
        finally:
            subprocess.run(["ip", "link", "delete", CABLE], check=True)


def _edge(pool: str) -> list[str]:
    words = ["--graph", pool, "--run-id", pool, "--domain-id", str(DOMAIN_ID)]
    return [str(edge_program()), *words]


def _end(role: str, contestant: str, cell: Cell, name: str, end: str) -> list[str]:
    values = {
        "topic": name.replace("-", "_"),
        "pool": f"{name}-{end}",
        "domain-id": DOMAIN_ID,
        "bytes": cell.bytes,
        "depth": cell.depth,
        "messages": cell.messages,
        "warmup": cell.warmup,
        "pacing-us": cell.pacing_us,
        "subscribers": cell.subscribers,
    }
    words = [word for key, value in values.items() for word in (f"--{key}", str(value))]
    return [str(program("ligament-bench-dds")), role, "--through", _THROUGH[contestant], *words]


@contextlib.contextmanager
def settings(name: str) -> Iterator[None]:
    """Programs that are started meanwhile have these settings of the engine."""
    before = os.environ.get("CYCLONEDDS_URI")
    os.environ["CYCLONEDDS_URI"] = SETTINGS[name]
    try:
        yield
    finally:
        if before is None:
            del os.environ["CYCLONEDDS_URI"]
        else:
            os.environ["CYCLONEDDS_URI"] = before


def _figures(ends: list[Child]) -> Figures:
    figures = Figures()
    for end in ends:
        for line in (line for line in end.lines if line.startswith("{")):
            told: dict[str, Any] = json.loads(line)
            if told["role"] == "publish":
                if told["failed"]:
                    raise FailureError(f"{told['failed']} messages could not be sent")
                figures.publish_ns = told["publish_ns"]
            elif "latency_ns" in told:
                figures.latencies.append(told["latency_ns"])
                figures.lost += int(told["lost"])
    if not figures.latencies or not all(figures.latencies):
        raise FailureError("a subscriber heard nothing")
    return figures


def _bytes_sent(interface: str) -> int:
    for line in Path("/proc/self/net/dev").read_text(encoding="ascii").splitlines():
        name, _, counters = line.partition(":")
        if name.strip() == interface:
            return int(counters.split()[8])
    return 0
