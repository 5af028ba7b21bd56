# SPDX-License-Identifier: Apache-2.0
"""The goals that these figures are measured for."""

from __future__ import annotations

from ligament.bench.goals import Figures, Goal
from ligament.bench.transport.cells import ONE_WAY, PUBLISH_COST, ROUND_TRIP, THROUGHPUT
from ligament.bench.transport.rows import CALLS

WAKE_NS = 3000
LINE = 1.3
PUBLISH_NS = 60
BROADCAST = 1.3
#: What spec/wire/pool.md says of the cache lines of a message.
_COLD = {
    "transport_poll": "code and data that a publish and a take touch went cold in 2 ms "
    "([pool.md](../spec/wire/pool.md#7-publish-take-hold-release))"
}

_ASLEEP, _SPINNING, _IDLE = {"wait": "sleep"}, {"wait": "poll"}, {"wait": "none"}
_CELL = "{size}, {subscribers} x {wait}, {pacing}"
_PUBLISH = "publishing, {size}, {subscribers} subscription(s) that nobody takes from"
FIGURES = Figures(
    goals=(
        Goal(f"one way, {_CELL}", ONE_WAY, WAKE_NS, _ASLEEP, against="futex", kind="difference"),
        Goal(f"one way, {_CELL}", ONE_WAY, BROADCAST, _ASLEEP, against="broadcast"),
        Goal(f"one way, {_CELL}", ONE_WAY, LINE, _SPINNING, against="line"),
        Goal(f"one way, {_CELL}", ONE_WAY, LINE, _SPINNING, against="lines"),
        Goal(f"one way, {_CELL}", ONE_WAY, 1.0, against="iceoryx2", why=_COLD),
        Goal(f"round trip, {_CELL}", ROUND_TRIP),
        Goal(f"throughput, {_CELL}", THROUGHPUT, at_least=True),
        Goal(f"publishing, {_CELL}", PUBLISH_COST, 1.0, _SPINNING, against="iceoryx2"),
        Goal(f"{_PUBLISH}, without the clock", PUBLISH_COST, PUBLISH_NS, _IDLE, less="clock_read"),
        Goal(f"{_PUBLISH}: system calls", CALLS, 0, _IDLE, value="mean"),
    ),
    results={
        "transport_sleep": "asleep, 30 passes",
        "transport_futex": "asleep, 36 passes, without a peer",
        "transport_eight": "eight asleep, 30 passes",
        "transport_poll": "spinning, 30 passes",
        "transport": "the whole table, 10 passes",
    },
    floors=("futex", "broadcast", "line", "lines", "memcpy"),
    words={
        "`1 x sleep`, `8 x sleep`": "so many subscribers, asleep until a message comes",
        "`1 x poll`": "a subscriber that looks for messages without a pause",
        "`futex`, `broadcast`, `line`": "bare wake-ups, and one cache line that moves",
    },
)
