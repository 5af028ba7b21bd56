# SPDX-License-Identifier: Apache-2.0
"""Made-up recordings: CTF 1.8 as LTTng-UST writes it, with any host, clock, loss and order.

Real recordings of real systems are in fixtures/; what cannot be recorded at will (another
distribution, two hosts, clocks that step, counted losses) is written here, in the same format.
"""

from __future__ import annotations

import struct
import uuid as uuids
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ligament.trace.convert import import_set

MAGIC = 0xC1FC1FC1
HEADER = struct.Struct("<I16sI")
CONTEXT = struct.Struct("<QQQQQQI")
TYPES = {
    "u64": "integer { size = 64; align = 8; signed = 0; base = 16; }",
    "i64": "integer { size = 64; align = 8; signed = 1; }",
    "string": "string",
    "bytes": "integer { size = 8; align = 8; signed = 0; }",
}
METADATA = """/* CTF 1.8 */
typealias integer {{ size = 8; align = 8; signed = false; }} := uint8_t;
typealias integer {{ size = 16; align = 8; signed = false; }} := uint16_t;
typealias integer {{ size = 32; align = 8; signed = false; }} := uint32_t;
typealias integer {{ size = 64; align = 8; signed = false; }} := uint64_t;
trace {{ major = 1; minor = 8; uuid = "{trace}"; byte_order = le;
  packet.header := struct {{ uint32_t magic; uint8_t uuid[16]; uint32_t stream_id; }}; }};
env {{ domain = "ust"; tracer_name = "lttng-ust"; hostname = "{host}"; }};
clock {{ name = "monotonic"; uuid = "{boot}"; freq = 1000000000; offset = {offset}; }};
typealias integer {{ size = 64; align = 8; signed = false; map = clock.monotonic.value; }}
  := time_t;
stream {{ id = 0;
  event.header := struct {{ uint16_t id; time_t timestamp; }};
  packet.context := struct {{ time_t timestamp_begin; time_t timestamp_end; uint64_t content_size;
    uint64_t packet_size; uint64_t packet_seq_num; uint64_t events_discarded; uint32_t cpu_id; }};
  event.context := struct {{ {context} }}; }};
"""
CONTEXTS = (
    "integer { size = 32; align = 8; signed = 1; } _vpid; "
    "integer { size = 32; align = 8; signed = 1; } _vtid; string _procname;"
)


@dataclass
class Recording:
    """One host's recording of ros2_tracing."""

    host: str = "robot"
    distro: str = "jazzy"
    offset_ns: int = 1_700_000_000_000_000_000
    """Real time less the monotonic clock, as the session read it."""
    boot: uuids.UUID = field(default_factory=uuids.uuid4)
    provider: str = "ros2"
    contexts: bool = True
    packets: list[tuple[list[tuple[int, bytes]], int]] = field(default_factory=lambda: [([], 0)])

    def fields(self, event: Any) -> list[Any]:
        """What this distribution's event has."""
        return [f for f in event.fields if self.distro != "humble" or not f.since]

    def add(self, time_ns: int, name: str, pid: int = 1, tid: int = 0, **values: Any) -> Recording:
        """One event; fields that are not given are 0 or empty."""
        events = import_set().events
        number = next(n for n, event in enumerate(events) if event.name == name)
        data = struct.pack("<HQ", number, time_ns)
        if self.contexts:
            data += struct.pack("<ii", pid, tid or pid) + f"program{pid}\0".encode()
        for one in self.fields(events[number]):
            value = values.pop(one.name, "" if one.type == "string" else 0)
            if one.type == "string":
                data += str(value).encode() + b"\0"
            elif one.type == "bytes":
                data += bytes(24)
            else:
                data += struct.pack("<q", value)
        assert not values or self.distro == "humble", values
        self.packets[-1][0].append((time_ns, data))
        return self

    def lose(self, count: int) -> Recording:
        """LTTng's buffers were full: `count` events fewer, told with the next packet."""
        self.packets.append(([], self.packets[-1][1] + count))
        return self

    def write(self, folder: Path) -> Path:
        """The recording as a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        trace = uuids.uuid4()
        text = METADATA.format(
            trace=trace, host=self.host, boot=self.boot, offset=self.offset_ns,
            context=CONTEXTS if self.contexts else "",
        )  # fmt: skip
        for number, event in enumerate(import_set().events):
            members = " ".join(
                f"{TYPES[f.type]} _{f.name}{'[24]' if f.type == 'bytes' else ''};"
                for f in self.fields(event)
            )
            text += (
                f'event {{ name = "{self.provider}:{event.name}"; id = {number}; stream_id = 0; '
                f"fields := struct {{ {members} }}; }};\n"
            )
        (folder / "metadata").write_text(text)
        packets = [
            self._packet(trace, number, events, lost)
            for number, (events, lost) in enumerate(self.packets)
            if events
        ]
        (folder / "ch_0").write_bytes(b"".join(packets))
        self._write_index(folder / "index" / "ch_0.idx", packets)
        return folder

    @staticmethod
    def _write_index(path: Path, packets: list[bytes]) -> None:
        path.parent.mkdir(exist_ok=True)
        index, offset = struct.pack(">IIII", 0xC1F1DCC1, 1, 0, 56), 0
        for packet in packets:
            _, _, _, _, begin, end, content, size, _, lost, _ = struct.unpack_from(
                "<IQQIQQQQQQI", packet
            )
            index += struct.pack(">QQQQQQQ", offset, size, content, begin, end, lost, 0)
            offset += len(packet)
        path.write_bytes(index)

    def _packet(
        self, trace: uuids.UUID, number: int, events: list[tuple[int, bytes]], lost: int
    ) -> bytes:
        body = b"".join(data for _, data in events)
        bits = 8 * (HEADER.size + CONTEXT.size + len(body))
        times = [time for time, _ in events]
        context = CONTEXT.pack(min(times), max(times), bits, bits, number, lost, 0)
        return HEADER.pack(MAGIC, trace.bytes, 0) + context + body


@dataclass
class System:
    """camera (its own process) -> /image -> filter -> /out -> sink, as rclcpp emits it.

    Latency 1000 ns + hop: publish at t; taken at t + 300; published again at t + 800; taken at
    t + 1000. Handles: process * 1000 + number.
    """

    recording: Recording
    second: Recording | None = None
    """Where filter and sink were recorded; default: the same recording."""

    @property
    def there(self) -> Recording:
        return self.second or self.recording

    def start(self, time: int = 1000) -> System:
        """Start-up events of the three processes."""
        self._node(self.recording, time, 1, "camera")
        self._publisher(self.recording, time + 1, 1, "/image")
        self._node(self.there, time + 2, 2, "filter")
        self._publisher(self.there, time + 3, 2, "/out")
        self._subscription(self.there, time + 4, 2, "/image")
        self._node(self.there, time + 5, 3, "sink")
        self._subscription(self.there, time + 6, 3, "/out")
        return self

    @staticmethod
    def _node(to: Recording, time: int, pid: int, name: str) -> None:
        to.add(time, "rcl_init", pid)
        to.add(time, "rcl_node_init", pid, node_handle=pid * 1000, node_name=name, namespace="/")

    @staticmethod
    def _publisher(to: Recording, time: int, pid: int, topic: str) -> None:
        base = pid * 1000
        to.add(time, "rcl_publisher_init", pid, publisher_handle=base + 1, node_handle=base,
               rmw_publisher_handle=base + 2, topic_name=topic, queue_depth=10)  # fmt: skip

    @staticmethod
    def _subscription(to: Recording, time: int, pid: int, topic: str) -> None:
        base = pid * 1000
        to.add(time, "rcl_subscription_init", pid, subscription_handle=base + 3, node_handle=base,
               rmw_subscription_handle=base + 4, topic_name=topic, queue_depth=10)  # fmt: skip
        to.add(time, "rclcpp_subscription_init", pid, subscription_handle=base + 3,
               subscription=base + 5)  # fmt: skip
        to.add(time, "rclcpp_subscription_callback_added", pid, subscription=base + 5,
               callback=base + 6)  # fmt: skip
        symbol = "void (std::shared_ptr<std_msgs::msg::Header_<std::allocator<void> > const>)"
        to.add(time, "rclcpp_callback_register", pid, callback=base + 6, symbol=symbol)

    def publish(self, to: Recording, time: int, pid: int, stamp: int, message: int = 77) -> None:
        base = pid * 1000
        to.add(time, "rclcpp_publish", pid, message=message)
        to.add(time + 1, "rcl_publish", pid, publisher_handle=base + 1, message=message)
        to.add(time + 2, "rmw_publish", pid, rmw_publisher_handle=base + 2, message=message,
               timestamp=stamp)  # fmt: skip

    def take(self, to: Recording, time: int, pid: int, stamp: int) -> None:
        base = pid * 1000
        to.add(time - 20, "rclcpp_executor_get_next_ready", pid)
        to.add(time - 10, "rclcpp_executor_execute", pid, handle=base + 3)
        to.add(time, "rmw_take", pid, rmw_subscription_handle=base + 4, source_timestamp=stamp,
               taken=1)  # fmt: skip
        to.add(time + 1, "rcl_take", pid)
        to.add(time + 2, "rclcpp_take", pid)
        to.add(time + 5, "callback_start", pid, callback=base + 6)

    def end(self, to: Recording, time: int, pid: int) -> None:
        to.add(time, "callback_end", pid, callback=pid * 1000 + 6)

    def frame(self, time: int, real: int | None = None, shift: int = 0) -> System:
        """One message all the way. `real`: the source timestamp of `time`; `shift`: what the second
        recording's clock reads beside the first one's."""
        real = time + self.recording.offset_ns + 10 if real is None else real
        there, late = self.there, time + shift
        self.publish(self.recording, time, 1, real)
        # What comes after the call, so that its end is bounded.
        self.recording.add(time + 100, "rclcpp_executor_get_next_ready", 1)
        self.take(there, late + 300, 2, real)
        self.publish(there, late + 800, 2, real + 800)
        self.end(there, late + 900, 2)
        self.take(there, late + 1000, 3, real + 800)
        self.end(there, late + 1100, 3)
        return self
