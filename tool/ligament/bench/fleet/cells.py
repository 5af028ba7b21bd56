# SPDX-License-Identifier: Apache-2.0
"""What is measured: fleets by their numbers of hosts, topics and participants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

#: Who discovers: an edge per host, the same engine with a participant per process, and Fast DDS
#: below rclpy.
OURS, PER_PROCESS, FAST = "ligament", "cyclonedds", "fastdds"
READERS = 2
_MANY = 5


@dataclass(frozen=True)
class Cell:
    """A fleet."""

    hosts: int
    topics: int
    """Published by each host; each is subscribed to on `readers` other hosts."""
    processes: int = 1
    """Of each host, among which its topics are divided; each has a participant if nobody has an
    edge for them."""
    peer: str = OURS
    readers: int = READERS

    @property
    def endpoints(self) -> int:
        """Of a host, of the user's topics."""
        return self.topics * (1 + self.readers)

    @property
    def participants(self) -> int:
        """Of the fleet."""
        return self.hosts if self.peer == OURS else self.hosts * self.processes

    @property
    def title(self) -> str:
        """For people."""
        each = f", {self.processes} processes each" if self.processes > 1 else ""
        return f"{self.peer}, {self.hosts} hosts, {self.endpoints} endpoints each{each}"

    @property
    def params(self) -> dict[str, Any]:
        """Of its rows."""
        return {
            "hosts": self.hosts,
            "endpoints": self.endpoints,
            "processes": self.processes,
            "readers": self.readers,
        }


#: Topics that a host publishes, by how large the fleet is: the second is 10,000 topics in all.
FEW, SOME, MOST = 5, 25, 500


def cells(quick: bool, most_hosts: int) -> list[Cell]:
    """All fleets of up to so many hosts."""
    sizes = (1, 2, 3) if quick else (1, 2, 5, 10, 20)
    ours = [Cell(hosts, topics) for topics in (FEW, SOME) for hosts in sizes]
    if quick:
        return [cell for cell in ours[:4] if cell.hosts <= most_hosts]
    ours += [Cell(20, 100), Cell(20, MOST)]
    peers = [Cell(hosts, SOME, _MANY, peer) for hosts in (2, 5, 10) for peer in (PER_PROCESS, FAST)]
    peers.append(Cell(20, SOME, 1, FAST))
    return [cell for cell in [*ours, *peers] if cell.hosts <= most_hosts]
