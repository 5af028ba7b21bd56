# SPDX-License-Identifier: Apache-2.0
"""What DDS sends to find itself: frames of a switch, counted by kind of RTPS submessage.

`python -m ligament.bench.fleet.frames INTERFACE` counts what passes an interface of this network
namespace. Per line on stdin it prints what came since the line before, as JSON, and it ends with
its input. Layouts: RTPS 2.3, section 9.4 (submessages) and 9.3.1.2 (entity ids).
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import socket
import struct
import sys
from collections import Counter

_ETHERNET = 14
_IPV4, _UDP = 0x0800, 17
_SOL_PACKET, _PACKET_STATISTICS, _SO_RCVBUFFORCE = 263, 6, 33
_ALL_FRAMES = 3
_BUFFER = 256 << 20
#: Writers that every participant has, by entity id.
_BUILTIN = {
    0x000100C2: "spdp",
    0x000003C2: "sedp",
    0x000004C2: "sedp",
    0x000200C2: "liveliness",
    0x000300C3: "types",
    0x000301C3: "types",
}
#: Submessages that say who has what; for these the writer's entity id comes second.
_ACKNACK, _HEARTBEAT, _GAP, _DATA, _DATA_FRAG = 0x06, 0x07, 0x08, 0x15, 0x16
_NAMED = {_ACKNACK: "acknack", _HEARTBEAT: "heartbeat", _GAP: "gap"}


class Tally:
    """Frames and bytes in all, and submessages by kind. Whatever does not parse is counted too."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._parts: dict[bytes, bytearray] = {}

    def add(self, frame: bytes) -> None:
        """One Ethernet frame, as the interface had it."""
        if len(frame) < _ETHERNET + 20 or frame[12:14] != _IPV4.to_bytes(2, "big"):
            self.counts["other_frames"] += 1
            return
        packet = frame[_ETHERNET:]
        if packet[9] != _UDP:
            self.counts["other_frames"] += 1
            return
        cast = "multicast" if 224 <= packet[16] < 240 else "unicast"
        self.counts[f"{cast}_frames"] += 1
        self.counts[f"{cast}_bytes"] += len(frame)
        datagram = self._whole(packet)
        if datagram is not None:
            self.counts[f"{cast}_datagrams"] += 1
            self._add_message(datagram[8:])

    def _whole(self, packet: bytes) -> bytes | None:
        """The datagram, once the last of its fragments is there; a switch keeps their order."""
        header = (packet[0] & 15) * 4
        length, number, place = struct.unpack_from(">HHH", packet, 2)
        body = packet[header:length]
        if place & 0x3FFF == 0:
            return body
        key = packet[12:20] + number.to_bytes(2, "big")
        if place & 0x1FFF == 0:
            self._parts[key] = bytearray()
        parts = self._parts.get(key)
        if parts is None or len(parts) != (place & 0x1FFF) * 8:
            self.counts["broken"] += 1
            self._parts.pop(key, None)
            return None
        parts += body
        if place & 0x2000:
            return None
        return bytes(self._parts.pop(key))

    def _add_message(self, message: bytes) -> None:
        if message[:4] != b"RTPS":
            self.counts["other_frames"] += 1
            return
        at = 20
        while at + 4 <= len(message):
            kind, flags = message[at], message[at + 1]
            order = "<" if flags & 1 else ">"
            (size,) = struct.unpack_from(f"{order}H", message, at + 2)
            end = at + 4 + size if size else len(message)
            if end > len(message):
                self.counts["broken"] += 1
                return
            self._add_submessage(kind, message[at + 4 : end])
            at = end

    def _add_submessage(self, kind: int, body: bytes) -> None:
        data = kind in (_DATA, _DATA_FRAG)
        if not data and kind not in _NAMED:
            return
        place = 8 if data else 4
        if len(body) < place + 4:
            self.counts["broken"] += 1
            return
        (writer,) = struct.unpack_from(">I", body, place)
        whose = _BUILTIN.get(writer, "user")
        what = whose if data else f"{whose}_{_NAMED[kind]}"
        self.counts[what] += 1
        self.counts[f"{what}_bytes"] += 4 + len(body)

    def take(self) -> dict[str, int]:
        """What there is, and begin anew."""
        taken, self.counts = dict(self.counts), Counter()
        return taken


def count(interface: str) -> None:
    """Count until stdin ends."""
    tally = Tally()
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ALL_FRAMES)) as packets:
        with contextlib.suppress(OSError):
            packets.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, _BUFFER)
        packets.bind((interface, 0))
        packets.setblocking(False)
        selector = selectors.DefaultSelector()
        selector.register(packets, selectors.EVENT_READ)
        selector.register(sys.stdin, selectors.EVENT_READ)
        print("ready", flush=True)
        while True:
            ready = {key.fileobj for key, _ in selector.select()}
            _drain(packets, tally)
            if sys.stdin in ready:
                if not os.read(sys.stdin.fileno(), 4096):
                    return
                _drain(packets, tally)
                told = packets.getsockopt(_SOL_PACKET, _PACKET_STATISTICS, 8)
                _, dropped = struct.unpack("II", told)
                print(json.dumps({**tally.take(), "dropped": dropped}), flush=True)


def _drain(packets: socket.socket, tally: Tally) -> None:
    with contextlib.suppress(BlockingIOError):
        for _ in range(4096):
            tally.add(packets.recv(65536))


if __name__ == "__main__":
    count(sys.argv[1])
