# SPDX-License-Identifier: Apache-2.0
"""Hosts on one machine: network namespaces, each with a cable to one switch.

with CountingSwitch(fleet_of(20)) as switch:
    children.start("host 3", [*switch.inside("3"), *command])
    switch.take()                      # what passed the switch since the last time
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from typing import IO

from ligament.errors import FailureError
from ligament.run.process import die_with_tool

CABLE, HUB, _SWITCH = "cable", "hub", "switch"
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
        with Switch(["try"]):
            return ""
    except FailureError as error:
        return f"no network namespace can be made: {error}"


def fleet_of(hosts: int) -> list[str]:
    """Names of so many hosts."""
    return [str(number) for number in range(hosts)]


class Switch:
    """As a context: hosts of these names, and nothing of them left afterwards.

    The first has the address `net` and 1, the others follow. Multicast goes to all ports, as on a
    switch that does not snoop.
    """

    def __init__(self, names: Sequence[str], net: str = _NET) -> None:
        self.address = {name: f"{net}{number}" for number, name in enumerate(names, 1)}
        self._stem = f"lig{os.getpid()}-{net.split('.')[1]}"

    def __enter__(self) -> Switch:
        try:
            self._build()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for name in [HUB, *self.address]:
            self.kill(name)
            words = ["ip", "netns", "del", self.space(name)]
            subprocess.run(words, check=False, capture_output=True)

    def inside(self, host: str) -> list[str]:
        """What stands in front of a command on a host."""
        return ["ip", "netns", "exec", self.space(host)]

    def space(self, host: str) -> str:
        """The name of a host's namespace."""
        return f"{self._stem}-{host}"

    def pids(self, host: str) -> list[int]:
        """All processes on a host."""
        words = ["ip", "netns", "pids", self.space(host)]
        found = subprocess.run(words, check=False, capture_output=True, text=True).stdout
        return [int(word) for word in found.split()]

    def kill(self, host: str) -> None:
        """End all processes on a host."""
        for pid in self.pids(host):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def _build(self) -> None:
        hub = self.space(HUB)
        ip("netns", "add", hub)
        _quiet(self.inside(HUB))
        ip("-n", hub, "link", "add", _SWITCH, "type", "bridge", "mcast_snooping", "0")
        ip("-n", hub, "link", "set", _SWITCH, "up", "promisc", "on")
        for name, address in self.address.items():
            self._add(name, address)

    def _add(self, name: str, address: str) -> None:
        own, port = self.space(name), f"to-{name}"
        ip("netns", "add", own)
        _quiet(self.inside(name))
        ip("-n", own, "link", "set", "lo", "up")
        far = ["type", "veth", "peer", "name", port, "netns", self.space(HUB)]
        ip("-n", own, "link", "add", CABLE, *far)
        self.plug(name, port)
        ip("-n", own, "address", "add", f"{address}/24", "dev", CABLE)
        ip("-n", own, "link", "set", CABLE, "up")

    def plug(self, name: str, port: str) -> None:
        """Put the far end of a host's cable into the switch; `port` is an interface of the hub."""
        del name  # who overrides this treats some hosts otherwise
        ip("-n", self.space(HUB), "link", "set", port, "master", _SWITCH, "up")


class CountingSwitch(Switch):
    """The same; a program counts what passes, frame by frame."""

    _counter: subprocess.Popen[str] | None = None

    def __enter__(self) -> CountingSwitch:
        super().__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        if self._counter is not None:
            self._counter.kill()
            self._counter.wait()
        super().__exit__()

    def _build(self) -> None:
        super()._build()
        self._counter = subprocess.Popen(
            [*self.inside(HUB), sys.executable, "-m", "ligament.bench.fleet.frames", _SWITCH],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=die_with_tool,  # noqa: PLW1509 - the driver has no threads
        )
        self._line(self._counter.stdout)

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

    @staticmethod
    def _line(pipe: IO[str] | None) -> str:
        assert pipe is not None
        line = pipe.readline()
        if not line:
            raise FailureError("the program that counts frames has ended")
        return line


def _quiet(inside: list[str]) -> None:
    """Without IPv6, whose own discovery would be counted."""
    for which in ("default", "all"):
        words = ["sysctl", "-qw", f"net.ipv6.conf.{which}.disable_ipv6=1"]
        subprocess.run([*inside, *words], check=False, capture_output=True)


def ip(*words: str) -> None:
    """Run the program of that name; FailureError with what it says."""
    ended = subprocess.run(["ip", *words], check=False, capture_output=True, text=True)
    if ended.returncode != 0:
        raise FailureError(ended.stderr.strip() or "ip failed", command=["ip", *words])
