# SPDX-License-Identifier: Apache-2.0
"""ROS processes of this machine: which share a pool, which meet by DDS, and why.

A process that is in a pool holds the socket of a slot, whose name says of which user, pool and
layout it is (spec/wire/pool.md, section 9). One that shares it with another pid namespace stays
connected (spec/wire/pid-namespaces.md). Others are known by the middleware that they have loaded.
Processes that one may not look at (another user's) are passed over.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from ligament.errors import LigamentError, listing
from ligament.graph.model import Edge
from ligament.live.seen import End, look
from ligament.run.discovery import choose_network

_SLOT = re.compile(r"^(\d\d) (\d+) @ligament/(\d+)/(ros\.\d+[^/]*)/v(\d+)/\d+$")
_CONNECTED = "03"
_MIDDLEWARE = re.compile(r"/lib(rmw_[a-z0-9_]+)\.so")


@dataclass(frozen=True)
class Slot:
    """What a socket says of who holds it."""

    pool: str
    user: int
    layout: int
    is_connected: bool


#: By link of a descriptor.
Slots = dict[str, Slot]
#: What middlewares share, and what loads one.
_NO_MIDDLEWARE = ("rmw_implementation", "rmw_dds_common", "rmw_security_common")
#: Of one process, so many are named.
_MOST_NODES = 3
_EDGE = "ligament-edge"
_CONTAINER = "another pid namespace (a container)"
#: Before it, the kernel does not say who is behind a connection from another namespace.
_PASSING_KERNEL = (6, 9)
_WHY = {
    "user": "another user",
    "layout": "another version of Ligament's pool",
    "pids": _CONTAINER,
    "net": "another network namespace",
}


@dataclass(frozen=True)
class Place:
    """What processes must have in common to share a pool."""

    pool: str
    user: int
    layout: int
    pids: str
    net: str

    def differences(self, other: Place) -> list[str]:
        """Why two places of one domain are not one."""
        return [why for name, why in _WHY.items() if getattr(self, name) != getattr(other, name)]


@dataclass(frozen=True)
class RosProcess:
    """One process: in a pool, or on another middleware."""

    pid: int
    program: str
    domain_id: int
    place: Place | None
    middleware: str = ""
    nodes: tuple[str, ...] = ()
    has_passage: bool = False  #: it is connected with a process of another pid namespace

    @property
    def shown(self) -> str:
        """Its nodes, where they are known, and its program and number."""
        if not self.nodes:
            return f"{self.program} ({self.pid})"
        first = self.nodes[:_MOST_NODES]
        rest = len(self.nodes) - len(first)
        named = f"{', '.join(first)} and {rest} more" if rest else listing(first)
        return f"{named} ({self.program} {self.pid})"


def find_ros_processes(proc: Path = Path("/proc")) -> list[RosProcess]:
    """All that can be seen from here, in the order of their numbers."""
    numbers = sorted(int(entry.name) for entry in proc.iterdir() if entry.name.isdecimal())
    slots: dict[str, Slots] = {}
    found = (_look(proc / str(number), slots) for number in numbers)
    return [process for process in found if process]


def _look(folder: Path, slots: dict[str, Slots]) -> RosProcess | None:
    try:
        net = os.readlink(folder / "ns" / "net")
        if net not in slots:  # one table per network namespace
            slots[net] = _slots((folder / "net" / "unix").read_text(errors="replace"))
        program = (folder / "comm").read_text(errors="replace").strip()
        links = [_link(entry) for entry in (folder / "fd").iterdir()]
        held = [slots[net][link] for link in links if link in slots[net]]
        if held:
            slot = held[0]
            pids = os.readlink(folder / "ns" / "pid")
            place = Place(slot.pool, slot.user, slot.layout, pids, net)
            domain_id = int(slot.pool.split(".")[1])
            has_passage = any(one.is_connected for one in held)
            return RosProcess(int(folder.name), program, domain_id, place, has_passage=has_passage)
        middleware = _middleware((folder / "maps").read_text(errors="replace"))
        if not middleware:
            return None
        domain_id = _domain_id((folder / "environ").read_text(errors="replace"))
    except OSError:
        return None  # it has ended, or is none of our business
    return RosProcess(int(folder.name), program, domain_id, None, middleware)


def _link(entry: Path) -> str:
    try:
        return os.readlink(entry)
    except OSError:
        return ""


def _slots(table: str) -> Slots:
    """Those of a table of sockets."""
    found: Slots = {}
    for line in table.splitlines():
        words = line.split()
        match = _SLOT.search(" ".join(words[-3:])) if len(words) > 2 else None
        if match:
            is_connected = match[1] == _CONNECTED
            found[f"socket:[{match[2]}]"] = Slot(
                match[4], int(match[3]), int(match[5]), is_connected
            )
    return found


def _middleware(maps: str) -> str:
    names = set(_MIDDLEWARE.findall(maps)) - set(_NO_MIDDLEWARE)
    own = (n for n in names if "__" not in n and not n.endswith("_shared_cpp"))
    return min(own, default="")


def _domain_id(environ: str) -> int:
    values = dict(word.split("=", 1) for word in environ.split("\0") if "=" in word)
    text = values.get("ROS_DOMAIN_ID", "")
    return int(text) if text.isdecimal() else 0


def told_of(processes: Iterable[RosProcess], kernel: str | None = None) -> list[str]:
    """A sentence per domain and way to meet."""
    release = kernel or os.uname().release
    domains: dict[int, list[RosProcess]] = defaultdict(list)
    for process in processes:
        domains[process.domain_id].append(process)
    return [
        line for number in sorted(domains) for line in _told_of(number, domains[number], release)
    ]


def _told_of(domain_id: int, members: list[RosProcess], kernel: str) -> list[str]:
    places: dict[Place, list[RosProcess]] = defaultdict(list)
    others: dict[str, list[RosProcess]] = defaultdict(list)
    for process in members:
        if process.place:
            places[process.place].append(process)
        else:
            others[process.middleware].append(process)
    shared = {place for place in places if place.pool == f"ros.{domain_id}"}
    # The largest is the one that others are compared with.
    home = max(shared, key=lambda place: len(places[place]), default=None)
    passing = any(process.has_passage for process in members)
    ways = {place: _way(place, home, passing=passing, kernel=kernel) for place in places}
    lines = [f"{ways[place]}: {_named(found)}" for place, found in places.items() if place == home]
    lines += [f"{ways[place]}: {_named(found)}" for place, found in places.items() if place != home]
    lines += [f"by DDS, on {name}: {_named(found)}" for name, found in sorted(others.items())]
    return [f"domain {domain_id}: {line}" for line in lines]


def _way(place: Place, home: Place | None, *, passing: bool, kernel: str) -> str:
    if home is None or ".alone." in place.pool:
        return "alone (ROS_AUTOMATIC_DISCOVERY_RANGE=OFF)"
    if place == home:
        return "share the pool"
    differences = place.differences(home)
    if differences == [_CONTAINER]:
        if passing:
            return f"share the pool, from {_CONTAINER}"
        differences.append(_why_nothing_passes(kernel))
    return f"by DDS, through the edges, because of {' and '.join(differences)}"


def _why_nothing_passes(kernel: str) -> str:
    numbers = tuple(int(word) for word in re.findall(r"\d+", kernel)[:2])
    if numbers < _PASSING_KERNEL:
        return f"Linux {kernel}, which cannot share memory with one (6.9 can)"
    return "no memory gets through to it (its security module, or another version of Ligament)"


def _named(processes: Iterable[RosProcess]) -> str:
    return listing(process.shown for process in processes)


def with_nodes(
    processes: Iterable[RosProcess], look_at: Callable[[int], Iterable[End]]
) -> list[RosProcess]:
    """Return the same with the names of their nodes, which the domains tell.

    An edge has none of its own: what it shows to DDS are those of others.
    """
    found = list(processes)
    edges = {process.pid for process in found if process.program == _EDGE}
    nodes: dict[tuple[int, int], set[str]] = defaultdict(set)
    for domain_id in {process.domain_id for process in found}:
        for end in look_at(domain_id):
            if end.pid is not None and end.node and end.pid not in edges:
                nodes[domain_id, end.pid].add(end.node)
    return [replace(p, nodes=tuple(sorted(nodes[p.domain_id, p.pid]))) for p in found]


def _ends_in(domain_id: int) -> Iterable[End]:
    """What is seen in a domain; nothing where one cannot look."""
    try:
        network = choose_network(Edge(), domain_id)
        return look(network, quiet_s=0.5, most_s=3.0).ends
    except LigamentError:
        return ()


def ros_processes() -> str | None:
    """The probe: a line per way to meet."""
    processes = with_nodes(find_ros_processes(), _ends_in)
    return "\n".join(told_of(processes)) or "none runs now"
