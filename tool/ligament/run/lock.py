# SPDX-License-Identifier: Apache-2.0
"""One running graph per domain and user, without files that outlive a crash.

The lock is a listening socket with an abstract name: the kernel frees it with its process, and
whoever finds it taken learns from the peer's credentials who holds it.
"""

from __future__ import annotations

import errno
import os
import re
import socket

from ligament.errors import FailureError, InputError, Problem
from ligament.graph.names import name_hash
from ligament.run.socket_holder import holder_of

# The pool's own rule (pool.hpp, DomainOptions): the name is part of a socket's abstract name.
_LONGEST = 48
_DOMAIN = re.compile(rf"[A-Za-z0-9_.-]{{1,{_LONGEST}}}")
_ANOTHER_NAME = "give this one a name of its own with --domain NAME"
_ANOTHER_ROS_DOMAIN = "give this one a ROS domain of its own with --domain-id N"


def lock_of(graph: str, domain: str | None, ros: str | None) -> DomainLock:
    """The lock of a run: of its domain; of its graph within a ROS domain, where several meet."""
    if domain or not ros:
        return DomainLock(domain or graph)
    name = f"{ros}.{graph}"
    if len(name) > _LONGEST:
        name = f"{name[:31]}.{name_hash(name):016x}"
    return DomainLock(name, graph, _ANOTHER_ROS_DOMAIN)


def is_running(graph: str, domain: str) -> bool:
    """Whether a run of this graph holds its lock; `domain` as its run.json names it.

    What a run.json says of itself stays when the tool is killed.
    """
    ros = domain if domain.startswith("ros.") else None
    return lock_of(graph, None if ros else domain, ros).is_held


class DomainLock:
    """Held while a graph runs; a second one of the same domain is refused with the holder's pid."""

    def __init__(self, domain: str, graph: str = "", way: str = _ANOTHER_NAME) -> None:
        if not _DOMAIN.fullmatch(domain):
            raise InputError(
                Problem(
                    "domain-name",
                    f"'{domain}' cannot name a domain",
                    expected="1 to 48 letters, digits, '_', '.' or '-'",
                    hint="choose one with --domain NAME; the graph's name is the default",
                )
            )
        self.domain, self._graph, self._way = domain, graph or domain, way
        self._socket: socket.socket | None = None

    @property
    def _address(self) -> bytes:
        return f"\0ligament/run/{os.getuid()}/{self.domain}".encode()

    @property
    def is_held(self) -> bool:
        """Whether some process has it now, as far as can be seen from here."""
        return holder_of(self._address) is not None

    def __enter__(self) -> DomainLock:
        lock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        try:
            lock.bind(self._address)
        except OSError as error:
            lock.close()
            if error.errno != errno.EADDRINUSE:
                raise FailureError(f"the run lock of '{self.domain}' failed: {error}") from error
            raise InputError(self._problem()) from error
        lock.listen(8)
        self._socket = lock
        return self

    def __exit__(self, *_: object) -> None:
        if self._socket is not None:
            self._socket.close()

    def _problem(self) -> Problem:
        holder = holder_of(self._address)
        name = self._address[1:].decode()
        if holder is None:
            return Problem(
                "graph-already-running",
                f"the name of graph '{self._graph}' is taken by a process that cannot be seen "
                f"from here",
                hint=f"find it with `sudo ss -xap | grep {name}` and end it, or {self._way}",
            )
        if holder.uid != os.getuid():
            return Problem(
                "graph-name-taken",
                f"the name of graph '{self._graph}' is taken by another user: {holder}",
                hint=f"have it ended (sudo kill {holder.pid}), or {self._way}",
            )
        return Problem(
            "graph-already-running",
            f"a graph named '{self._graph}' is already running ({holder}); a name runs once per "
            "user and machine, because two such graphs would share their topics",
            hint=f"stop the other one first (kill {holder.pid}), or run both: {self._way}",
        )


def require_free(lock: DomainLock) -> None:
    """Refuse a domain whose graph is running now; one that is started later is refused later."""
    with lock:
        pass
