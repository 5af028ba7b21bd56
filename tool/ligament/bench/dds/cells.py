# SPDX-License-Identifier: Apache-2.0
"""What is measured: sizes, both settings of the engine, image streams, several subscribers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

ONE_WAY, ROUND_TRIP = "latency_one_way", "latency_round_trip"
MEGABYTE = 1 << 20
SIZES = (64, 4096, 65536, MEGABYTE, 10 * MEGABYTE)

_LOOPBACK = (
    "<General><Interfaces><NetworkInterface address='127.0.0.1'/></Interfaces>"
    "<AllowMulticast>false</AllowMulticast>{general}</General>"
    "<Discovery><ParticipantIndex>auto</ParticipantIndex>"
    "<MaxAutoParticipantIndex>32</MaxAutoParticipantIndex>"
    "<Peers><Peer address='127.0.0.1'/></Peers></Discovery>{more}"
)
#: Both ends of it have this name, each in a network namespace of its own.
CABLE = "cable"
#: CYCLONEDDS_URI by the name of the settings. All but the last keep to the loopback interface.
SETTINGS = {
    "default": _LOOPBACK.format(general="", more=""),
    # As large as UDP datagrams go, and receive buffers for them as far as the kernel allows.
    "tuned": _LOOPBACK.format(
        general="<MaxMessageSize>65500B</MaxMessageSize><FragmentSize>65000B</FragmentSize>",
        more="<Internal><SocketReceiveBufferSize max='4MiB'/></Internal>",
    ),
    # As on two hosts: the engine's own, and the buffers that the system has by default.
    CABLE: f"<General><Interfaces><NetworkInterface name='{CABLE}'/></Interfaces></General>",
}


@dataclass(frozen=True)
class Cell:
    """One question."""

    metric: str
    bytes: int
    settings: str = "default"
    subscribers: int = 1
    pacing_us: int = 5000
    messages: int = 100
    depth: int = 10

    @property
    def warmup(self) -> int:
        """Messages before those that count: at least once around every history."""
        return 2 * self.depth

    @property
    def params(self) -> dict[str, Any]:
        """As they stand in rows."""
        return {
            "bytes": self.bytes,
            "subscribers": self.subscribers,
            "pacing_us": self.pacing_us,
            "depth": self.depth,
            "settings": self.settings,
        }

    @property
    def title(self) -> str:
        """For people."""
        return (
            f"{self.metric}, {self.bytes} B, {self.subscribers} subscriber(s), every "
            f"{self.pacing_us / 1000:g} ms, {self.settings} settings"
        )

    @property
    def timeout_s(self) -> float:
        """What a run may take: matching, its messages several times over, silence at the end."""
        return 60 + 10 * (self.messages + self.warmup) * self.pacing_us * 1e-6


def cells(quick: bool, has_cable: bool = True) -> list[Cell]:
    """Every size in both settings; images at 10 Hz; one and several subscribers of one host.

    `has_cable`: this process may make network namespaces.
    """
    sizes = (64, MEGABYTE) if quick else SIZES
    count = 50 if quick else 200
    links = ("default", CABLE) if has_cable else ("default",)
    images = 20 if quick else 100
    return [
        *(
            Cell(ONE_WAY, size, settings, pacing_us=_pacing(size), messages=_few(size, count))
            for size in sizes
            for settings in ("default", "tuned")
        ),
        Cell(ROUND_TRIP, 64, messages=count),
        *(Cell(ONE_WAY, 10 * MEGABYTE, link, pacing_us=100_000, messages=images) for link in links),
        *(Cell(ONE_WAY, 65536, subscribers=n, messages=count) for n in (2, 4)),
    ]


def _pacing(size: int) -> int:
    return 5000 if size <= 65536 else 20_000 if size <= MEGABYTE else 200_000


def _few(size: int, count: int) -> int:
    return count if size <= MEGABYTE else max(20, count // 10)
