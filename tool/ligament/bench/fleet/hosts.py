# SPDX-License-Identifier: Apache-2.0
"""Hosts on one machine: network namespaces, each with a cable to a switch that counts frames.

with Switch(20) as switch:
    children.start("host 3", [*switch.inside(3), *command])
    switch.take()                      # what passed the switch since the last time
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import IO

from ligament.errors import FailureError
from ligament.run.process import die_with_tool

CABLE, _SWITCH = "cable", "switch"
_NET = "10.81.0."
MOST_HOSTS = 200
#: The engine uses the cable alone; all else is as users have it.
ENGINE = f"<General><Interfaces><NetworkInterface name='{CABLE}'/></Interfaces></General>"


def why_not() -> str:
    """Why this machine lets nobody make network namespaces here; empty if it does."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    if shutil.which("ip") is None:
        return "the program 'ip' is missing (Debian: apt install iproute2)"
    try:
        with Switch(1):
            return ""
    except FailureError as error:
        return f"no network namespace can be made: {error}"


class Switch:
    """As a context: so many hosts, and nothing of them left afterwards."""

    def __init__(self, hosts: int) -> None:
        self.hosts = hosts
        self._stem = f"lfleet{os.getpid()}"
        self._counter: subprocess.Popen[str] | None = None

    def __enter__(self) -> Switch:
        try:
            self._build()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._counter is not None:
            self._counter.kill()
            self._counter.wait()
        for name in ["hub", *range(self.hosts)]:
            subprocess.run(
                ["ip", "netns", "del", self._space(name)], check=False, capture_output=True
            )

    def inside(self, host: int | str) -> list[str]:
        """What stands in front of a command on a host."""
        return ["ip", "netns", "exec", self._space(host)]

    def take(self) -> dict[str, int]:
        """Frames and submessages since the last time; FailureError if some were not counted."""
        assert self._counter is not None
        assert self._counter.stdin is not None
        self._counter.stdin.write("\n")
        self._counter.stdin.flush()
        told: dict[str, int] = json.loads(self._line(self._counter.stdout))
        if told["dropped"]:
            raise FailureError(f"the machine was too busy to count {told['dropped']} frames")
        return told

    def _build(self) -> None:
        hub = self._space("hub")
        _ip("netns", "add", hub)
        _quiet(self.inside("hub"))
        # Multicast goes to all ports, as on a switch that does not snoop.
        bridge = ["type", "bridge", "mcast_snooping", "0"]
        _ip("-n", hub, "link", "add", _SWITCH, *bridge)
        _ip("-n", hub, "link", "set", _SWITCH, "up", "promisc", "on")
        for host in range(self.hosts):
            own, port = self._space(host), f"port{host}"
            _ip("netns", "add", own)
            _quiet(self.inside(host))
            _ip("-n", own, "link", "set", "lo", "up")
            far = ["type", "veth", "peer", "name", port, "netns", hub]
            _ip("-n", own, "link", "add", CABLE, *far)
            _ip("-n", hub, "link", "set", port, "master", _SWITCH, "up")
            _ip("-n", own, "address", "add", f"{_NET}{host + 1}/24", "dev", CABLE)
            _ip("-n", own, "link", "set", CABLE, "up")
        self._counter = subprocess.Popen(
            [*self.inside("hub"), sys.executable, "-m", "ligament.bench.fleet.frames", _SWITCH],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=die_with_tool,  # noqa: PLW1509 - the driver has no threads
        )
        self._line(self._counter.stdout)

    @staticmethod
    def _line(pipe: IO[str] | None) -> str:
        assert pipe is not None
        line = pipe.readline()
        if not line:
            raise FailureError("the program that counts frames has ended")
        return line

    def _space(self, name: int | str) -> str:
        return f"{self._stem}-{name}"


def _quiet(inside: list[str]) -> None:
    """Without IPv6, whose own discovery would be counted."""
    for which in ("default", "all"):
        words = ["sysctl", "-qw", f"net.ipv6.conf.{which}.disable_ipv6=1"]
        subprocess.run([*inside, *words], check=False, capture_output=True)


def _ip(*words: str) -> None:
    ended = subprocess.run(["ip", *words], check=False, capture_output=True, text=True)
    if ended.returncode != 0:
        raise FailureError(ended.stderr.strip() or "ip failed", command=["ip", *words])
