# SPDX-License-Identifier: Apache-2.0
"""Bad wires: what passes between a client and the agent is lost, repeated, reordered or corrupted.

As a program for people: `python wires.py serial RATE` prints two devices that are one line, whose
bytes are corrupted at that rate.
"""

from __future__ import annotations

import contextlib
import os
import pty
import random
import selectors
import socket
import sys
import threading
import tty
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass
class Harm:
    """What happens to a datagram, each with this probability; the same each time for a seed."""

    lost: float = 0.0
    doubled: float = 0.0
    swapped: float = 0.0
    seed: int = 1


@dataclass
class Counts:
    """What happened."""

    passed: int = 0
    lost: int = 0
    doubled: int = 0
    swapped: int = 0
    corrupted: int = 0


@dataclass
class _Direction:
    harm: Harm
    counts: Counts
    chance: random.Random
    kept: list[bytes] = field(default_factory=list)

    def through(self, datagram: bytes) -> list[bytes]:
        """What comes out now for what goes in."""
        if self.chance.random() < self.harm.lost:
            self.counts.lost += 1
            return []
        if not self.kept and self.chance.random() < self.harm.swapped:
            self.counts.swapped += 1
            self.kept.append(datagram)  # it comes behind the next one
            return []
        out = [datagram, *self.kept]
        self.kept.clear()
        if self.chance.random() < self.harm.doubled:
            self.counts.doubled += 1
            out.append(datagram)
        self.counts.passed += len(out)
        return out


@contextlib.contextmanager
def udp_wire(agent_port: int, harm: Harm) -> Iterator[tuple[int, Counts]]:
    """A port that clients use in place of the agent's."""
    front = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    front.bind(("127.0.0.1", 0))
    counts = Counts()
    end_read, end_write = os.pipe()
    thread = threading.Thread(target=_carry, args=(front, agent_port, harm, counts, end_read))
    thread.start()
    try:
        yield front.getsockname()[1], counts
    finally:
        os.write(end_write, b".")
        thread.join()
        front.close()
        os.close(end_read)
        os.close(end_write)


def _carry(
    front: socket.socket, agent_port: int, harm: Harm, counts: Counts, end_read: int
) -> None:
    """Each client has a socket of its own towards the agent, which knows it by its address."""
    selector = selectors.DefaultSelector()
    selector.register(front, selectors.EVENT_READ)
    selector.register(end_read, selectors.EVENT_READ)
    backs: dict[tuple[str, int], socket.socket] = {}
    owners: dict[socket.socket, tuple[str, int]] = {}
    chance = random.Random(harm.seed)
    there: dict[tuple[str, int], _Direction] = {}
    back: dict[tuple[str, int], _Direction] = {}
    while True:
        for key, _ in selector.select():
            if key.fd == end_read:
                for other in owners:
                    other.close()
                return
            source = key.fileobj
            assert isinstance(source, socket.socket)
            if source is front:
                datagram, client = front.recvfrom(65536)
                if client not in backs:
                    other = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                    other.connect(("127.0.0.1", agent_port))
                    selector.register(other, selectors.EVENT_READ)
                    backs[client], owners[other] = other, client
                    there[client] = _Direction(harm, counts, chance)
                    back[client] = _Direction(harm, counts, chance)
                for piece in there[client].through(datagram):
                    with contextlib.suppress(ConnectionRefusedError):
                        backs[client].send(piece)
                continue
            client = owners[source]
            with contextlib.suppress(ConnectionRefusedError):
                for piece in back[client].through(source.recv(65536)):
                    front.sendto(piece, client)


@contextlib.contextmanager
def serial_wire(corrupted: float = 0.0, seed: int = 1) -> Iterator[tuple[str, str, Counts]]:
    """Two devices that are one line. `corrupted`: chance of each byte to have a wrong bit."""
    masters, slaves = zip(*(pty.openpty() for _ in range(2)), strict=True)
    for end in (*masters, *slaves):
        tty.setraw(end)
    counts = Counts()
    end_read, end_write = os.pipe()
    thread = threading.Thread(
        target=_carry_bytes, args=(masters, corrupted, random.Random(seed), counts, end_read)
    )
    thread.start()
    try:
        yield os.ttyname(slaves[0]), os.ttyname(slaves[1]), counts
    finally:
        os.write(end_write, b".")
        thread.join()
        for descriptor in (*masters, *slaves, end_read, end_write):
            os.close(descriptor)


def _carry_bytes(
    masters: tuple[int, ...], corrupted: float, chance: random.Random, counts: Counts, end: int
) -> None:
    selector = selectors.DefaultSelector()
    for descriptor in (*masters, end):
        selector.register(descriptor, selectors.EVENT_READ)
    while True:
        for key, _ in selector.select():
            if key.fd == end:
                return
            data = bytearray(os.read(key.fd, 4096))
            for at in range(len(data) if corrupted else 0):
                if chance.random() < corrupted:
                    data[at] ^= 1 << chance.randrange(8)
                    counts.corrupted += 1
            counts.passed += len(data)
            other = masters[1] if key.fd == masters[0] else masters[0]
            while data:
                del data[: os.write(other, data)]


if __name__ == "__main__":
    with serial_wire(float(sys.argv[2])) as (first, second, _):
        print(first, second, flush=True)
        sys.stdin.read()
