# SPDX-License-Identifier: Apache-2.0
"""The processes of each link: core or client, line, agent; and who measures."""

from __future__ import annotations

import functools
import json
import socket
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ligament.agent import agent_program
from ligament.bench.children import Child, Children
from ligament.bench.mcu import ros
from ligament.bench.mcu.images import (
    CORTEX_M4F,
    CORTEX_R5F,
    bench_images,
    core_command,
    link_words,
    require_programs,
)
from ligament.bench.mcu.options import PUBLISHED, Place
from ligament.bench.measuring import OURS, program
from ligament.bench.rmw.contestants import domain_of
from ligament.graph.model import Edge
from ligament.messages import load_store, type_hash
from ligament.run.discovery import choose_network

TYPE = "std_msgs/msg/String"
WARMUP = 20
BAUD = 115200
#: Links whose other end is the emulated core.
ON_CORE = ("rpmsg", "spin", "freertos", "r5f", "raw", *(place.link for place in PUBLISHED))
#: How long the agent of `spin` looks before it sleeps: longer than a short text is on its way.
SPIN_US = 200
#: Between two looks of the published agent at its file.
PUBLISHED_SLEEP_US = 100
_SHM = Path("/dev/shm")


def require(places: Iterable[Place]) -> None:
    """FailureError for what none of these can be measured without."""
    for name in ("ligament-bench-mcu", "ligament-bench-mcu-echo"):
        program(name)
    if any(place.link in ON_CORE for place in places):
        require_programs()


def stations_that_are_missing(places: Iterable[Place]) -> dict[Place, str]:
    """What cannot be measured because ROS 2 or FreeRTOS is not there; and why."""
    return {p: why for p in places if (why := _why_not(p))}


def _why_not(place: Place) -> str:
    if place.link == "freertos" and not (bench_images() / "echo_freertos.elf").is_file():
        return "FreeRTOS's kernel is not here (firmware/cmake/freertos.cmake)"
    return ros.why_not(place) if place.is_ros else ""


@dataclass(frozen=True)
class Rounds:
    """What a node that measures is asked for."""

    size: int
    messages: int
    warmup: int = WARMUP
    pause_us: int = 0
    is_one_way: bool = False

    @property
    def words(self) -> list[str]:
        """As options of its program."""
        values = {"bytes": self.size, "messages": self.messages, "warmup": self.warmup}
        return [word for key, value in values.items() for word in (f"--{key}", str(value))]


class Rig:
    """One link, started; as a context, at whose end nothing of it is left."""

    def __init__(
        self,
        place: Place,
        messages: int,
        image: str = "",
        emulator: Sequence[str] = (),
        preload: Path | None = None,
    ) -> None:
        """`emulator`: options of its own. `preload`: a library below the agent (copies.cpp)."""
        self._place = place
        self._image = image or _IMAGES.get(place.link, "echo")
        self._board = CORTEX_R5F if place.link == "r5f" else CORTEX_M4F
        self._emulator = emulator
        self._preload = preload
        self._children = Children(120 + 0.1 * messages)
        self._kept = tempfile.TemporaryDirectory(dir=_SHM if _SHM.is_dir() else None)
        self._folder = Path(self._kept.name)
        self._domain_id = domain_of(OURS)

    def __enter__(self) -> Rig:
        self._children.__enter__()
        try:
            _STARTS[self._place.link if self._place.at != "ring" else "ring"](self)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._children.__exit__()
        self._kept.cleanup()

    def round_trips_ns(
        self, size: int, messages: int, warmup: int = WARMUP, pause_us: int = 0
    ) -> list[int]:
        """One after another: the next text is said when the answer to the last has come."""
        words = self._ping(Rounds(size, messages, warmup, pause_us))
        child = self._children.start("the node that measures", words)
        self._children.await_end([child])
        values = json.loads(child.lines[-1])["round_trip_ns"]
        if len(values) != messages:
            raise child.failure(f"measured {len(values)} of {messages} messages")
        return [int(value) for value in values]

    def one_way(self, size: int, messages: int) -> dict[str, list[float] | float]:
        """`to_core_ns`, `to_host_ns`; `bound_ns`: how wrong the core's clock makes them."""
        words = self._ping(Rounds(size, messages, is_one_way=True))
        child = self._children.start("the node that measures", words)
        self._children.await_end([child])
        told: dict[str, list[float] | float] = json.loads(child.lines[-1])
        return told

    def console(self) -> list[str]:
        """What the core has printed."""
        return self._core.lines

    def bytes_copied(self) -> int:
        """By the agent, which ends: with a library that counts."""
        self._children.ask_to_end([self._agent])
        self._children.await_end([self._agent])
        return int(self._copies.read_text())

    def _ping(self, rounds: Rounds) -> list[str]:
        if self._place.is_ros:
            return ros.ping_command(
                self._place, self._domain_id, rounds.size, rounds.messages, rounds.warmup
            )
        if self._place.at != "ring":
            return ping_command(self._domain_id, rounds)
        words = [str(program("ligament-bench-mcu")), "link", str(self._memory)]
        words += ["--bell", str(self._bell), *(["--raw"] if self._place.link == "raw" else [])]
        return [*words, *rounds.words]

    # --- links -----------------------------------------------------------------------------------

    @property
    def _memory(self) -> Path:
        return self._folder / "memory"

    @property
    def _bell(self) -> Path:
        return self._folder / "bell"

    @property
    def _copies(self) -> Path:
        return self._folder / "copies"

    def _start_core(self, image: str) -> Child:
        elf = bench_images() / f"{image}.elf"
        command = core_command(self._board, elf, self._folder, *self._emulator)
        self._core = self._children.start("the emulated core", command)
        return self._core

    def _start_agent(self, *link: str) -> None:
        is_in_dds = self._place.at == "dds"
        command = agent_command(link, self._folder, self._domain_id, [TYPE], with_edge=is_in_dds)
        if self._preload:
            counted = [f"LD_PRELOAD={self._preload}", f"LIGAMENT_COPIES={self._copies}"]
            command = ["env", *counted, *command]
        self._agent = self._children.start("the agent", command)

    def _start_rpmsg(self) -> None:
        core = self._start_core(self._image)
        spin = ["--spin", str(SPIN_US)] if self._place.link == "spin" else []
        self._start_agent(*link_words(self._board, self._folder), *spin)
        self._children.await_ready([core])

    def _start_ring(self) -> None:
        core = self._start_core("ring_raw" if self._place.link == "raw" else "ring")
        self._children.await_ready([core])

    def _start_udp(self) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        self._start_agent("udp", "--address", "127.0.0.1", "--port", port)
        self._start_client("udp", "127.0.0.1", port)

    def _start_uart(self) -> None:
        words = [str(program("ligament-bench-mcu")), "line", "--baud", str(BAUD)]
        line = self._children.start("the serial line", words)
        self._children.await_ready([line])
        ours, theirs = line.lines[0].split()
        self._start_agent("serial", ours, "--baud", "0")
        self._start_client("serial", theirs)

    def _start_published(self) -> None:
        core = self._start_core(self._image)
        sleep_us = 0 if self._place.link == "framed" else PUBLISHED_SLEEP_US
        words = [str(program("ligament-bench-mcu")), "stream", str(self._memory)]
        words += ["--bell", str(self._bell), "--sleep-us", str(sleep_us)]
        stream = self._children.start("the stream", words)
        self._children.await_ready([stream])
        self._start_agent("serial", stream.lines[0], "--baud", "0")
        self._children.await_ready([core])

    def _start_client(self, *words: str) -> None:
        command = [str(program("ligament-bench-mcu-echo")), *words]
        self._children.await_ready([self._children.start("the client", command)])


_IMAGES = {
    "freertos": "echo_freertos",
    "r5f": "echo_r5",
    "framed": "framed",
    "sleeps": "framed",
    "ticks": "framed_tick",
    "stop-wait": "framed_stop_wait",
    "slow-ticks": "framed_slow_tick",
}
_STARTS = {
    "rpmsg": Rig._start_rpmsg,
    "spin": Rig._start_rpmsg,
    "freertos": Rig._start_rpmsg,
    "r5f": Rig._start_rpmsg,
    "ring": Rig._start_ring,
    **{place.link: Rig._start_published for place in PUBLISHED},
    "udp": Rig._start_udp,
    "uart": Rig._start_uart,
}


def ping_command(domain_id: int, rounds: Rounds) -> list[str]:
    """A node of ours behind the agent."""
    words = [str(program("ligament-bench-mcu")), "ping", "--domain", f"ros.{domain_id}"]
    pause = ["--pause-us", str(rounds.pause_us)] if rounds.pause_us else []
    way = ["--one-way"] if rounds.is_one_way else []
    return [*words, "--type-hash", hash_of(TYPE), *pause, *way, *rounds.words]


def agent_command(
    link: Iterable[str],
    folder: Path,
    domain_id: int,
    types: Iterable[str],
    with_edge: bool = False,
) -> list[str]:
    """The agent in a ROS domain of its own; with the edge, what it has is in DDS as well."""
    table = folder / "types.json"
    hashes = {name: {"type_hash": f"RIHS01_{hash_of(name)}"} for name in types}
    table.write_text(json.dumps({"messages": hashes}))
    words = [str(agent_program()), *link, "--types", str(table), "--ros", str(domain_id)]
    if not with_edge:
        return [*words, "--no-edge"]
    local = {"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
    network = choose_network(Edge(), domain_id, local)
    variables = network.environment(f"bench-mcu-{domain_id}", {})
    return ["env", *(f"{key}={value}" for key, value in variables.items()), *words]


@functools.cache
def hash_of(message: str) -> str:
    """The hash of a message type, in base 16."""
    return type_hash(load_store("jazzy", []), message).hex()
