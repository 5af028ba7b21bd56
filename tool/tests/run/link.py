# SPDX-License-Identifier: Apache-2.0
"""A bad cable: carries Ethernet frames between two interfaces, late, out of order, or not at all.

link.py --no-offload INTERFACE
link.py ONE OTHER    reads words from stdin, one setting a line, and answers each with `ok`:
    delay MS         each frame arrives so much later
    reorder SHARE    this share of the frames arrives at once, before those that are on their way
    loss SHARE       this share is lost
    cut / heal       nothing passes / it passes again
    count            answers with the frames carried and lost

Kernels without the netem queueing discipline are common, so this is a program: one that anybody can
run who may open a packet socket. Chance has a fixed seed.
"""

from __future__ import annotations

import ctypes
import fcntl
import heapq
import itertools
import random
import select
import socket
import struct
import sys
import time

_SIOCETHTOOL = 0x8946
_ETHTOOL_STXCSUM = 0x17
_ETH_P_ALL = 3
_SO_RCVBUFFORCE = 33
_LONGEST_FRAME = 65536


class Link:
    """Both directions between two interfaces of this network namespace."""

    def __init__(self, one: str, other: str) -> None:
        self.delay_s = 0.0
        self.reorder = 0.0
        self.loss = 0.0
        self.is_cut = False
        self.carried = 0
        self.lost = 0
        self._chance = random.Random(1)
        self._ends = [_open(one), _open(other)]
        self._order = itertools.count()
        self._due: list[tuple[float, int, socket.socket, bytes]] = []

    def run(self) -> None:
        """Until stdin ends."""
        while True:
            wait = max(0.0, self._due[0][0] - time.monotonic()) if self._due else None
            readable, _, _ = select.select([*self._ends, sys.stdin], [], [], wait)
            if sys.stdin in readable:
                line = sys.stdin.readline()
                if not line:
                    return
                print(self._set(line.split()), flush=True)
            for end, peer in (self._ends, self._ends[::-1]):
                if end in readable:
                    self._take(end, peer)
            self._deliver()

    def _take(self, end: socket.socket, peer: socket.socket) -> None:
        for _ in range(64):
            try:
                frame, origin = end.recvfrom(_LONGEST_FRAME)
            except BlockingIOError:
                return
            if origin[2] == socket.PACKET_OUTGOING:
                continue  # our own
            if self.is_cut or self._chance.random() < self.loss:
                self.lost += 1
                continue
            late = 0.0 if self._chance.random() < self.reorder else self.delay_s
            heapq.heappush(self._due, (time.monotonic() + late, next(self._order), peer, frame))

    def _deliver(self) -> None:
        now = time.monotonic()
        while self._due and self._due[0][0] <= now:
            _, _, peer, frame = heapq.heappop(self._due)
            try:
                peer.send(frame)
                self.carried += 1
            except (BlockingIOError, OSError):
                self.lost += 1  # a full queue or an interface that is down loses frames, too

    def _set(self, words: list[str]) -> str:
        match words:
            case ["delay", value]:
                self.delay_s = float(value) / 1000
            case ["reorder", value]:
                self.reorder = float(value)
            case ["loss", value]:
                self.loss = float(value)
            case ["cut"] | ["heal"]:
                self.is_cut = words == ["cut"]
            case ["count"]:
                return f"ok {self.carried} {self.lost}"
            case _:
                return f"unknown: {words}"
        return "ok"


def _open(interface: str) -> socket.socket:
    end = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ETH_P_ALL))
    end.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, 32 << 20)
    end.bind((interface, 0))
    end.setblocking(False)
    return end


def without_checksum_offload(interface: str) -> None:
    """Let the kernel compute checksums: frames that we forward must carry them."""
    value = ctypes.create_string_buffer(struct.pack("II", _ETHTOOL_STXCSUM, 0))
    request = struct.pack("16sP", interface.encode(), ctypes.addressof(value)).ljust(40, b"\0")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SIOCETHTOOL, request)


if __name__ == "__main__":
    if sys.argv[1] == "--no-offload":
        without_checksum_offload(sys.argv[2])
    else:
        Link(sys.argv[1], sys.argv[2]).run()
