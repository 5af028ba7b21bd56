# SPDX-License-Identifier: Apache-2.0
"""The processes of each link: core or client, line, agent; and who measures."""

from __future__ import annotations

import json
import socket
import tempfile
from collections.abc import Iterable
from pathlib import Path

from ligament.agent import agent_program
from ligament.bench.children import Child, Children
from ligament.bench.mcu import ros
from ligament.bench.mcu.images import bench_image, core_command, require_programs
from ligament.bench.mcu.options import Place
from ligament.bench.measuring import OURS, program
from ligament.bench.rmw.contestants import domain_of
from ligament.errors import FailureError
from ligament.graph.model import Edge
from ligament.messages import load_store, type_hash
from ligament.run.discovery import choose_network

TYPE = "std_msgs/msg/String"
WARMUP = 20
BAUD = 115200
_SHM = Path("/dev/shm")


def require(places: Iterable[Place]) -> None:
    """FailureError for what none of these can be measured without."""
    for name in ("ligament-bench-mcu", "ligament-bench-mcu-echo"):
        program(name)
    if any(place.link in ("rpmsg", "raw") for place in places):
        require_programs()


def stations_that_are_missing(places: Iterable[Place]) -> dict[Place, str]:
    """Where nobody can measure, because ROS 2 is not there; and why."""
    return {p: why for p in places if p.is_ros and (why := ros.why_not(p))}


class Rig:
    """One link, started; as a context, at whose end nothing of it is left."""

    def __init__(self, place: Place, messages: int) -> None:
        self._place = place
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

    def round_trips_ns(self, size: int, messages: int) -> list[int]:
        """One after another: the next text is said when the answer to the last has come."""
        child = self._children.start("the node that measures", self._ping(size, messages))
        self._children.await_end([child])
        values = json.loads(child.lines[-1])["round_trip_ns"]
        if len(values) != messages:
            raise child.failure(f"measured {len(values)} of {messages} messages")
        return [int(value) for value in values]

    def _ping(self, size: int, messages: int) -> list[str]:
        if self._place.is_ros:
            return ros.ping_command(self._place, self._domain_id, size, messages, WARMUP)
        rounds = ["--bytes", str(size), "--messages", str(messages), "--warmup", str(WARMUP)]
        words = [str(program("ligament-bench-mcu"))]
        if self._place.at == "ring":
            raw = ["--raw"] if self._place.link == "raw" else []
            return [*words, "link", str(self._memory), "--bell", str(self._bell), *raw, *rounds]
        domain = f"ros.{self._domain_id}"
        return [*words, "ping", "--domain", domain, "--type-hash", _hash(), *rounds]

    # --- links -----------------------------------------------------------------------------------

    @property
    def _memory(self) -> Path:
        return self._folder / "memory"

    @property
    def _bell(self) -> Path:
        return self._folder / "bell"

    def _start_core(self, image: str) -> Child:
        command = core_command(bench_image(image), self._memory, self._bell)
        return self._children.start("the emulated core", command)

    def _start_agent(self, *link: str) -> None:
        """With the edge where somebody listens in DDS."""
        types = self._folder / "types.json"
        types.write_text(json.dumps({"messages": {TYPE: {"type_hash": f"RIHS01_{_hash()}"}}}))
        variables: dict[str, str] = {}
        words = [str(agent_program()), *link, "--types", str(types)]
        words += ["--ros", str(self._domain_id)]
        if self._place.at == "dds":
            local = {"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
            network = choose_network(Edge(), self._domain_id, local)
            variables = network.environment(f"bench-mcu-{self._domain_id}", {})
        else:
            words.append("--no-edge")
        named = [f"{key}={value}" for key, value in variables.items()]
        self._children.start("the agent", ["env", *named, *words])

    def _start_rpmsg(self) -> None:
        core = self._start_core("echo")
        self._start_agent("rpmsg", str(self._memory), "--bell", str(self._bell))
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

    def _start_client(self, *words: str) -> None:
        command = [str(program("ligament-bench-mcu-echo")), *words]
        self._children.await_ready([self._children.start("the client", command)])


_STARTS = {
    "rpmsg": Rig._start_rpmsg,
    "ring": Rig._start_ring,
    "udp": Rig._start_udp,
    "uart": Rig._start_uart,
}


def _hash() -> str:
    store = load_store("jazzy", [])
    if TYPE not in {message.name for message in store}:
        raise FailureError(f"the definition of {TYPE} is missing")
    return type_hash(store, TYPE).hex()
