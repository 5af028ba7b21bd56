# SPDX-License-Identifier: Apache-2.0
"""A recording of ros2_tracing of any length, for measuring what reads it.

/camera (timer) -> /rectify -> /resize -> /sink, a process each, in the form that LTTng-UST writes
on a machine of two cores: two streams of packets, compact event headers, the contexts vpid, vtid
and procname. One frame is 38 events, as ros2_tracing's Jazzy emits them.
"""

from __future__ import annotations

import struct
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ligament.trace.convert import import_set

EVENTS_PER_FRAME = 38
PERIOD_NS = 1_000_000
START_NS = 10_000_000_000
REAL_OFFSET_NS = 1_700_000_000_000_000_000
FRAMES_PER_PACKET = 2000
NODES = ("camera", "rectify", "resize", "sink")
TOPICS = ("/image_raw", "/image_rect", "/image_small")

_MAGIC = 0xC1FC1FC1
_TRACE = uuid.UUID(int=0x11CA)
_BOOT = uuid.UUID(int=0xB007)
_PACKET = struct.Struct("<I16sIQ" + "QQQQQQI")
_METADATA = """/* CTF 1.8 */
typealias integer {{ size = 8; align = 8; signed = false; }} := uint8_t;
typealias integer {{ size = 16; align = 8; signed = false; }} := uint16_t;
typealias integer {{ size = 32; align = 8; signed = false; }} := uint32_t;
typealias integer {{ size = 64; align = 8; signed = false; }} := uint64_t;
trace {{ major = 1; minor = 8; uuid = "{trace}"; byte_order = le; packet.header := struct {{
  uint32_t magic; uint8_t uuid[16]; uint32_t stream_id; uint64_t stream_instance_id; }}; }};
env {{ domain = "ust"; tracer_name = "lttng-ust"; hostname = "made-up"; }};
clock {{ name = "monotonic"; uuid = "{boot}"; freq = 1000000000; offset = {offset}; }};
typealias integer {{ size = 32; align = 8; signed = false; map = clock.monotonic.value; }}
  := time32_t;
typealias integer {{ size = 64; align = 8; signed = false; map = clock.monotonic.value; }}
  := time64_t;
struct packet_context {{ time64_t timestamp_begin; time64_t timestamp_end; uint64_t content_size;
  uint64_t packet_size; uint64_t packet_seq_num; uint64_t events_discarded; uint32_t cpu_id; }};
struct event_header {{
  enum : uint16_t {{ compact = 0 ... 65534, extended = 65535 }} id;
  variant <id> {{
    struct {{ time32_t timestamp; }} compact;
    struct {{ uint32_t id; time64_t timestamp; }} extended;
  }} v;
}} align(8);
stream {{ id = 0; event.header := struct event_header; packet.context := struct packet_context;
  event.context := struct {{
    integer {{ size = 32; align = 8; signed = 1; }} _vpid;
    integer {{ size = 32; align = 8; signed = 1; }} _vtid;
    integer {{ size = 8; align = 8; signed = 0; encoding = UTF8; }} _procname[17]; }}; }};
"""


def write_recording(folder: Path, events: int) -> int:
    """Write a recording of at least so many events into an empty folder; how many it has."""
    frames = -(-events // EVENTS_PER_FRAME)
    folder.mkdir(parents=True)
    (folder / "metadata").write_text(_metadata(), encoding="utf-8")
    for number, nodes in enumerate(((0, 2), (1, 3))):
        with (folder / f"ch0_{number}").open("wb") as out:
            for packet in _packets(number, nodes, frames):
                out.write(packet)
    return frames * EVENTS_PER_FRAME + len(_start(tuple(range(len(NODES)))).times)


def _metadata() -> str:
    declared = [
        f'event {{ name = "ros2:{event.name}"; id = {number}; stream_id = 0; '
        f"fields := struct {{ {' '.join(_declared(one) for one in event.fields)} }}; }};\n"
        for number, event in enumerate(import_set().events)
    ]
    head = _METADATA.format(trace=_TRACE, boot=_BOOT, offset=REAL_OFFSET_NS)
    return head + "".join(declared)


def _declared(one: Any) -> str:
    if one.type == "string":
        return f"string _{one.name};"
    if one.type == "bytes":
        return f"integer {{ size = 8; align = 8; signed = 0; }} _{one.name}[{one.length}];"
    signed = int(one.type == "i64")
    return f"integer {{ size = {one.bits}; align = 8; signed = {signed}; }} _{one.name};"


@dataclass
class _Batch:
    """Bytes of events, and where in them the times stand: offset of the bytes -> offset in ns."""

    data: bytearray = field(default_factory=bytearray)
    times: list[tuple[int, int]] = field(default_factory=list)
    stamps: list[tuple[int, int]] = field(default_factory=list)

    def add(self, time_ns: int, node: int, name: str, **values: Any) -> None:
        """One event; a value given as `("source", ns)` is real time that moves with the frames."""
        events = import_set().events
        number = next(n for n, event in enumerate(events) if event.name == name)
        self.times.append((len(self.data) + 2, time_ns))
        pid = 100 + node
        self.data += struct.pack("<HIii", number, time_ns & 0xFFFFFFFF, pid, pid)
        self.data += NODES[node].encode().ljust(17, b"\0")
        for one in events[number].fields:
            value = values.get(one.name, 0)
            if one.type == "string":
                self.data += str(value).encode() + b"\0"
            elif one.type == "bytes":
                self.data += bytes(one.length)
            elif isinstance(value, tuple):
                self.stamps.append((len(self.data), value[1]))
                self.data += struct.pack("<q", value[1])
            else:
                self.data += struct.pack("<i" if one.bits == 32 else "<Q", value)


def _start(nodes: tuple[int, ...]) -> _Batch:
    """Who is who: the start-up events of some nodes."""
    batch = _Batch()
    for node in nodes:
        batch.add(START_NS, node, "rcl_init", version="8")
        batch.add(
            START_NS, node, "rcl_node_init", node_handle=1, node_name=NODES[node], namespace="/"
        )
        if node < len(TOPICS):
            batch.add(START_NS, node, "rcl_publisher_init", publisher_handle=2, node_handle=1,
                      rmw_publisher_handle=3, topic_name=TOPICS[node], queue_depth=10)  # fmt: skip
        if node > 0:
            batch.add(START_NS, node, "rcl_subscription_init", subscription_handle=4, node_handle=1,
                      rmw_subscription_handle=5, topic_name=TOPICS[node - 1],
                      queue_depth=10)  # fmt: skip
            batch.add(START_NS, node, "rclcpp_subscription_init", subscription_handle=4,
                      subscription=6)  # fmt: skip
            batch.add(
                START_NS, node, "rclcpp_subscription_callback_added", subscription=6, callback=7
            )
            batch.add(START_NS, node, "rclcpp_callback_register", callback=7,
                      symbol="void (sensor_msgs::msg::Image_<std::allocator<void> >)")  # fmt: skip
    if 0 in nodes:
        batch.add(START_NS, 0, "rcl_timer_init", timer_handle=8, period=PERIOD_NS)
        batch.add(START_NS, 0, "rclcpp_timer_callback_added", timer_handle=8, callback=10)
        batch.add(START_NS, 0, "rclcpp_callback_register", callback=10, symbol="void ()")
        batch.add(START_NS, 0, "rclcpp_timer_link_node", timer_handle=8, node_handle=1)
    return batch


def _frame(nodes: tuple[int, ...]) -> _Batch:
    """What some nodes do for one frame; all times count from the frame's own."""
    batch = _Batch()
    for node in nodes:
        at = node * 200_000
        batch.add(at, node, "rclcpp_executor_get_next_ready")
        batch.add(at + 1_000, node, "rclcpp_executor_execute", handle=4 if node else 8)
        if node > 0:
            source = ("source", REAL_OFFSET_NS + (node - 1) * 200_000 + 104_000)
            batch.add(at + 2_000, node, "rmw_take", rmw_subscription_handle=5, message=9,
                      source_timestamp=source, taken=1)  # fmt: skip
            batch.add(at + 3_000, node, "rcl_take", message=9)
            batch.add(at + 3_500, node, "rclcpp_take", message=9)
        batch.add(at + 4_000, node, "callback_start", callback=7 if node else 10)
        if node < len(TOPICS):
            batch.add(at + 100_000, node, "rclcpp_publish", message=11)
            batch.add(at + 101_000, node, "rcl_publish", publisher_handle=2, message=11)
            batch.add(at + 105_000, node, "rmw_publish", rmw_publisher_handle=3, message=11,
                      timestamp=("source", REAL_OFFSET_NS + at + 104_000))  # fmt: skip
        batch.add(at + 110_000, node, "callback_end", callback=7 if node else 10)
        batch.add(at + 112_000, node, "rclcpp_executor_wait_for_work", timeout=-1 & (2**64 - 1))
    return batch


def _packets(stream: int, nodes: tuple[int, ...], frames: int) -> Iterator[bytes]:
    yield _packet(stream, bytes(_start(nodes).data), START_NS, START_NS, 0)
    frame = _frame(nodes)
    for number, first in enumerate(range(0, frames, FRAMES_PER_PACKET), 1):
        count = min(FRAMES_PER_PACKET, frames - first)
        begins = START_NS + PERIOD_NS * (1 + first + np.arange(count, dtype=np.int64))
        last = int(begins[-1]) + max(time for _, time in frame.times)
        yield _packet(stream, _tiled(frame, begins), int(begins[0]), last, number)


def _tiled(frame: _Batch, begins: NDArray[np.int64]) -> bytes:
    """The frame's bytes once for each time that one begins."""
    rows = np.tile(np.frombuffer(bytes(frame.data), dtype=np.uint8), (len(begins), 1))
    for kind, places in (("<u4", frame.times), ("<i8", frame.stamps)):
        width = int(kind[2])
        for place, time in places:
            moved = (begins + time).astype(np.uint64)
            shown = (moved & 0xFFFFFFFF).astype("<u4") if width == 4 else moved.astype("<u8")
            rows[:, place : place + width] = shown.view(np.uint8).reshape(-1, width)
    return rows.tobytes()


def _packet(stream: int, data: bytes, begin: int, end: int, number: int) -> bytes:
    bits = (_PACKET.size + len(data)) * 8
    head = _PACKET.pack(_MAGIC, _TRACE.bytes, 0, stream, begin, end, bits, bits, number, 0, stream)
    return head + data
