# SPDX-License-Identifier: Apache-2.0
"""Two hosts on one machine: network namespaces with a bad cable between them.

    with TwoHosts() as hosts:
        run = hosts.start("a", [...])    # sees its own interface, and the other host behind it
        hosts.cable("loss 0.05")
    with TwoHosts(straight=True) as hosts:    # a good one, as fast as the kernel is

Shared memory meets by abstract sockets, which belong to a network namespace: the two share none.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import IO

from ligament.bench.fleet.hosts import ip

LINK = Path(__file__).with_name("link.py")
INTERFACE = "cable"
ADDRESSES = {"a": "10.77.0.1", "b": "10.77.0.2"}
#: The engine uses the cable alone, and forgets a host that is silent for two seconds.
ENGINE = (
    f"<General><Interfaces><NetworkInterface name='{INTERFACE}'/></Interfaces></General>"
    "<Discovery><LeaseDuration>2s</LeaseDuration></Discovery>"
)


class TwoHosts:
    """The hosts `a` and `b`, and the cable between them, as a context.

    `straight`: nothing is between its ends, and it obeys no words.
    """

    def __init__(self, straight: bool = False) -> None:
        self._straight = straight
        self._stem = f"ligament-{os.getpid()}"
        self._link: subprocess.Popen[str] | None = None
        self._started: list[subprocess.Popen[str]] = []

    def __enter__(self) -> TwoHosts:
        try:
            if self._straight:
                self._build_straight()
            else:
                self._build()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _build_straight(self) -> None:
        own, other = (self._namespace(host) for host in ADDRESSES)
        for name in (own, other):
            ip("netns", "add", name)
        ip("-n", own, "link", "add", INTERFACE, "type", "veth", "peer", INTERFACE, "netns", other)
        for host, address in ADDRESSES.items():
            name = self._namespace(host)
            ip("-n", name, "link", "set", "lo", "up")
            ip("-n", name, "address", "add", f"{address}/24", "dev", INTERFACE)
            ip("-n", name, "link", "set", INTERFACE, "up")

    def _build(self) -> None:
        middle = self._namespace("cable")
        ip("netns", "add", middle)
        for host, address in ADDRESSES.items():
            own, port = self._namespace(host), _port(host)
            ip("netns", "add", own)
            ip("-n", own, "link", "set", "lo", "up")
            ip("-n", own, "link", "add", INTERFACE, "type", "veth", "peer", "name", port)
            ip("-n", own, "link", "set", port, "netns", middle)
            ip("-n", own, "address", "add", f"{address}/24", "dev", INTERFACE)
            subprocess.run(
                [*self._inside(host), sys.executable, str(LINK), "--no-offload", INTERFACE],
                check=True,
            )
            ip("-n", own, "link", "set", INTERFACE, "up")
            ip("-n", middle, "link", "set", port, "up", "promisc", "on")
        self._link = subprocess.Popen(
            [*self._inside("cable"), sys.executable, str(LINK), *map(_port, ADDRESSES)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __exit__(self, *_: object) -> None:
        for process in [*self._started, *([self._link] if self._link else [])]:
            if process.poll() is None:
                process.kill()
            process.wait()
        for name in ("a", "b", "cable"):
            subprocess.run(["ip", "netns", "del", self._namespace(name)], capture_output=True)

    def cable(self, words: str) -> str:
        """Set how the cable behaves; returns what it answers."""
        assert self._link is not None
        assert self._link.stdin is not None
        assert self._link.stdout is not None
        self._link.stdin.write(words + "\n")
        self._link.stdin.flush()
        answer = self._link.stdout.readline().strip()
        assert answer.startswith("ok"), answer
        return answer

    def start(self, host: str, command: list[str], log: IO[str]) -> subprocess.Popen[str]:
        """Start a command on a host."""
        process = subprocess.Popen(
            [*self._inside(host), *command],
            stdout=log,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "CYCLONEDDS_URI": ENGINE},
        )
        self._started.append(process)
        return process

    def _namespace(self, name: str) -> str:
        return f"{self._stem}-{name}"

    def _inside(self, name: str) -> list[str]:
        return ["ip", "netns", "exec", self._namespace(name)]


def _port(host: str) -> str:
    return f"to-{host}"
