# SPDX-License-Identifier: Apache-2.0
"""Who holds a socket name that we need: any local user can take it before us.

The kernel names the process that listens, without its help: it may be stopped, or accept and never
answer. A socket that is bound and does not listen is found by its inode, where we may look.
"""

from __future__ import annotations

import os
import pwd
import shlex
import socket
import struct
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Holder:
    """A process that has a name, as well as it can be told from here."""

    pid: int
    uid: int

    @property
    def command(self) -> str:
        """What it runs, cut to a readable length; empty if that may not be read."""
        longest = 80
        try:
            words = Path(f"/proc/{self.pid}/cmdline").read_bytes().rstrip(b"\0").split(b"\0")
        except OSError:
            return ""
        text = shlex.join(word.decode(errors="replace") for word in words if word)
        text = "".join(c if c.isprintable() else "?" for c in text)
        return text if len(text) <= longest else text[:longest] + "..."

    @property
    def user(self) -> str:
        """Name and number."""
        try:
            return f"{pwd.getpwuid(self.uid).pw_name} ({self.uid})"
        except KeyError:
            return str(self.uid)

    def __str__(self) -> str:
        command = f": {self.command}" if self.command else ""
        return f"pid {self.pid} of user {self.user}{command}"


def holder_of(address: bytes) -> Holder | None:
    """Who has an abstract stream address (it begins with a zero); None: that cannot be seen."""
    return _listener(address) or _owner(address)


def _listener(address: bytes) -> Holder | None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)  # a full queue would make us wait for as long as they like
        try:
            probe.connect(address)
            raw = probe.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("iII"))
        except OSError:
            return None
    pid, uid, _ = struct.unpack("iII", raw)
    return Holder(pid, uid) if pid > 0 else None


def _owner(address: bytes) -> Holder | None:
    name = address.replace(b"\0", b"@").decode(errors="replace")
    inode = 0
    try:
        table = Path("/proc/net/unix").read_text(errors="replace").splitlines()[1:]
    except OSError:
        return None
    for line in table:
        words = line.split(maxsplit=7)
        if len(words) == 8 and words[7] == name and int(words[4], 16) == socket.SOCK_STREAM:
            inode = int(words[6])
    if inode == 0:
        return None
    for entry in Path("/proc").iterdir():
        with suppress(OSError):  # it may end meanwhile
            if entry.name.isdigit() and _has_socket(entry / "fd", inode):
                return Holder(int(entry.name), entry.stat().st_uid)
    return None


def _has_socket(descriptors: Path, inode: int) -> bool:
    wanted = f"socket:[{inode}]"
    try:
        return any(os.readlink(entry) == wanted for entry in descriptors.iterdir())
    except OSError:
        return False  # of another user, or gone
