# SPDX-License-Identifier: Apache-2.0
"""What the page shows: topics, plans by frame, values over time, a chain; fed record by record."""

from __future__ import annotations

import collections
import math
import threading
import time
from dataclasses import dataclass, field
from typing import Any, Protocol

from ligament.report.tables import count_of, entries_of
from ligament.viewer.chain import Chain, Event
from ligament.viewer.decode import Decoder, UnreadableError
from ligament.viewer.feed import Record
from ligament.viewer.pictures import File
from ligament.viewer.plan import Drawn
from ligament.viewer.shown import SHOWN, Shown, frame_of

SCHEMA = "ligament/view/1"
#: Values over time of a topic; frames; topics that a graph may have here.
MOST_VALUES, MOST_FRAMES, MOST_TOPICS = 300, 24, 500
#: A rate is that of the last seconds.
RATE_NS = 3_000_000_000


class Looks(Protocol):
    """Who looks at the counts of a run: that of `ligament top`."""

    def look(self) -> dict[str, Any]:
        """Return spec/run/top.schema.json."""


@dataclass
class _Topic:
    kind: str
    messages: int = 0
    lost: int = 0
    unreadable: int = 0
    size: int = 0
    text: str = ""
    times_ns: collections.deque[int] = field(default_factory=lambda: collections.deque(maxlen=400))
    values: collections.deque[list[float]] = field(
        default_factory=lambda: collections.deque(maxlen=MOST_VALUES)
    )
    newest: bytes = b""
    """The newest message whole, of a type that is a file; it is only read when asked for."""

    @property
    def shown(self) -> Shown:
        return SHOWN.get(self.kind, Shown())

    def rate(self, now_ns: int) -> float:
        times = [t for t in self.times_ns if now_ns - t <= RATE_NS]
        passed = times[-1] - times[0] if len(times) > 1 else 0
        return (len(times) - 1) * 1e9 / passed if passed > 0 else 0.0


class View:
    """Is written by the thread that reads records, and read by the server's threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._about = {"graph": "", "domain": ""}
        self._decoder = Decoder()
        self._topics: dict[str, _Topic] = {}
        self._frames: dict[str, dict[str, Drawn]] = {}
        self._notes: list[str] = []
        self._looks: Looks | None = None
        self._looked: tuple[float, list[dict[str, Any]]] = (-math.inf, [])
        self._state = "waiting"
        self.chain: Chain | None = None

    def begin(self, graph: str, chain: Chain | None, looks: Looks | None = None) -> None:
        """Say which graph it is, which of its chains is followed, and who counts its containers."""
        with self._lock:
            self._about["graph"] = graph
            self.chain = chain
            self._looks = looks

    @property
    def is_waiting(self) -> bool:
        """Whether nothing was told yet."""
        return self._state == "waiting"

    def take(self, record: Record) -> None:
        """Take one record of the feed."""
        with self._lock:
            match record.event:
                case "watching":
                    self._state = "running"
                    self._about["domain"] = str(record.told.get("domain", ""))
                case "message" | "whole":
                    self._take_message(record)
                case "look" if self.chain is not None:
                    self.chain.look_ended()
                case "topics":
                    for told in entries_of(record.told, "topics"):
                        topic = self._topic(str(told.get("topic")), str(told.get("type")))
                        if topic is not None:
                            topic.lost = count_of(told, "lost")
                case "note":
                    self._notes = [*self._notes[-9:], str(record.told.get("text", ""))]
                case "finished":
                    self._state = "ended"

    def _topic(self, name: str, kind: str) -> _Topic | None:
        if name not in self._topics and len(self._topics) < MOST_TOPICS:
            self._topics[name] = _Topic(kind)
        return self._topics.get(name)

    def _take_message(self, record: Record) -> None:
        told, name = record.told, str(record.told.get("topic"))
        topic = self._topic(name, str(told.get("type")))
        if topic is None:
            return
        size = count_of(told, "size")
        if record.event == "message":
            topic.messages += 1
            topic.size = size
            topic.times_ns.append(count_of(told, "t_ns"))
            if self.chain is not None:
                stamp = self._decoder.stamp(topic.kind, record.payload)
                self.chain.add(Event(count_of(told, "t_ns"), name, stamp))
        if len(record.payload) == size:
            self._show(name, topic, record.payload, count_of(told, "t_ns"))

    def _show(self, name: str, topic: _Topic, stored: bytes, t_ns: int) -> None:
        shown = topic.shown
        if shown.file is not None:
            topic.newest = stored
        if shown.draw is None and shown.values is None and shown.text is None:
            return
        try:
            message = self._decoder.message(topic.kind, stored)
            if shown.draw is not None:
                self._draw(name, shown, message)
            if shown.values is not None:
                values = shown.values(message)
                if all(map(math.isfinite, values)):
                    topic.values.append([t_ns / 1e9, *values])
            if shown.text is not None:
                topic.text = shown.text(message)
        except (UnreadableError, ValueError, TypeError, OverflowError, AttributeError):
            topic.unreadable += 1

    def _draw(self, name: str, shown: Shown, message: Any) -> None:
        frame = frame_of(message)
        if frame not in self._frames and len(self._frames) >= MOST_FRAMES:
            return
        layers = self._frames.setdefault(frame, {})
        drawn = shown.draw(layers.get(name), message) if shown.draw is not None else None
        if drawn is not None:
            layers[name] = drawn

    def file(self, name: str) -> File | None:
        """Return the newest image or grid of a topic as a file; None where there is none."""
        with self._lock:
            topic = self._topics.get(name)
            stored, shown = (topic.newest, topic.shown) if topic is not None else (b"", Shown())
        if topic is None or not stored or shown.file is None:
            return None
        try:
            found = shown.file(self._decoder.message(topic.kind, stored))
        except (UnreadableError, ValueError, TypeError, OverflowError, AttributeError):
            found = None
        if found is None:
            with self._lock:
                topic.unreadable += 1
        return found

    def drawn_topics(self) -> list[str]:
        """Return the topics of which the page needs each newest message: those of the plans."""
        with self._lock:
            return [name for name, topic in self._topics.items() if topic.shown.draw is not None]

    def has_files(self, name: str) -> bool:
        """Whether a topic's messages are shown as files."""
        with self._lock:
            topic = self._topics.get(name)
            return topic is not None and topic.shown.file is not None

    def _containers(self) -> list[dict[str, Any]]:
        """Return what `ligament top` shows of containers, which changes once a second."""
        at, rows = self._looked
        if self._looks is not None and time.monotonic() - at >= 1.0:
            rows = [
                {key: row[key] for key in ("container", "state", "cpu_percent", "peak_rss_bytes")}
                for row in self._looks.look()["containers"]
            ]
            self._looked = (time.monotonic(), rows)
        return rows

    def to_json(self) -> dict[str, Any]:
        """Return all of it, as the page draws it."""
        now_ns = time.monotonic_ns()
        with self._lock:
            return {
                "schema": SCHEMA,
                **self._about,
                "state": self._state,
                "topics": [self._row(n, t, now_ns) for n, t in sorted(self._topics.items())],
                "images": sorted(
                    n for n, t in self._topics.items()
                    if t.shown.file is not None and t.shown.draw is None
                ),
                "frames": {frame: dict(layers) for frame, layers in sorted(self._frames.items())},
                "values": [
                    {"topic": n, "names": t.shown.names, "values": list(t.values)}
                    for n, t in sorted(self._topics.items()) if t.values
                ],
                "texts": [
                    {"topic": n, "text": t.text} for n, t in sorted(self._topics.items()) if t.text
                ],
                "chain": None if self.chain is None else self.chain.to_json(),
                "containers": self._containers(),
                "notes": list(self._notes),
            }  # fmt: skip

    @staticmethod
    def _row(name: str, topic: _Topic, now_ns: int) -> dict[str, Any]:
        return {
            "topic": name,
            "type": topic.kind,
            "messages": topic.messages,
            "hz": round(topic.rate(now_ns), 1),
            "bytes": topic.size,
            "lost": topic.lost,
            "unreadable": topic.unreadable,
        }
