# SPDX-License-Identifier: Apache-2.0
"""Hosts with sshd on one machine: network namespaces on one switch, and one more to deploy from.

    with SshHosts(tmp_path, ["robot", "desk"], bad=["desk"]) as hosts:
        hosts.cable("desk", "loss 0.05")        # link.py's words
        result = hosts.deploy(build, "--trace")
        hosts.kill("desk")                      # sshd and all that runs on the host

Nothing of the system's own sshd is used: keys, configuration and accepted keys lie in `folder`.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from run_chat import LIGAMENT
from two_hosts import LINK, ip, missing

import ligament

SSHD = "/usr/sbin/sshd"
NET = "10.78.0."
#: The engine uses the cable alone, and does not look for hosts that are gone for long.
ENGINE = (
    "<General><Interfaces><NetworkInterface name='cable'/></Interfaces></General>"
    "<Discovery><LeaseDuration>2s</LeaseDuration></Discovery>"
)


def no_ssh_hosts() -> str:
    """Why this machine has no such hosts; empty if it has."""
    if not Path(SSHD).exists() or shutil.which("ssh") is None:
        return "sshd is not installed (Debian: openssh-server)"
    return missing()


class SshHosts:
    """As a context. The deployer is at .1, the hosts follow in order."""

    def __init__(
        self,
        folder: Path,
        names: Sequence[str],
        bad: Sequence[str] = (),
        hidden: Path | None = None,
    ) -> None:
        self.folder = folder
        self.names = list(names)
        self._bad = set(bad)
        self._hidden = hidden or folder / "nothing"
        self._stem = f"lig{os.getpid()}"
        self._links: dict[str, subprocess.Popen[str]] = {}
        self._daemons: dict[str, subprocess.Popen[bytes]] = {}
        self.address = {name: f"{NET}{k}" for k, name in enumerate(["me", *names], 1)}

    def __enter__(self) -> SshHosts:
        try:
            self._build()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _build(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        hub = self._space("hub")
        ip("netns", "add", hub)
        ip("-n", hub, "link", "add", "switch", "type", "bridge")
        ip("-n", hub, "link", "set", "switch", "up")
        for name, address in self.address.items():
            self._add(name, address, hub)
        self._make_keys()
        for name in self.names:
            self.start_sshd(name)
        for name in self.names:
            self._await_sshd(name)

    def _add(self, name: str, address: str, hub: str) -> None:
        own, port = self._space(name), f"to-{name}"
        ip("netns", "add", own)
        ip("-n", own, "link", "set", "lo", "up")
        ip("-n", own, "link", "add", "cable", "type", "veth", "peer", "name", port)
        ip("-n", own, "link", "set", port, "netns", hub)
        ip("-n", own, "address", "add", f"{address}/24", "dev", "cable")
        ip("-n", hub, "link", "set", port, "up", "promisc", "on")
        if name in self._bad:
            ip("-n", hub, "link", "add", f"{name}-a", "type", "veth", "peer", "name", f"{name}-b")
            for end in "ab":
                ip("-n", hub, "link", "set", f"{name}-{end}", "up", "promisc", "on")
            ip("-n", hub, "link", "set", f"{name}-b", "master", "switch")
            self._links[name] = subprocess.Popen(
                [*self.inside("hub"), sys.executable, str(LINK), port, f"{name}-a"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            )  # fmt: skip
        else:
            ip("-n", hub, "link", "set", port, "master", "switch")
        # Frames that a program forwards carry checksums: all ends share one switch.
        subprocess.run(
            [*self.inside(name), sys.executable, str(LINK), "--no-offload", "cable"], check=True
        )
        ip("-n", own, "link", "set", "cable", "up")

    def _make_keys(self) -> None:
        for key in ("host_key", "user_key", "other_key"):
            subprocess.run(
                ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(self.folder / key)],
                check=True,
            )
        public = (self.folder / "host_key.pub").read_text().split()[:2]
        known = [f"{self.address[name]} {' '.join(public)}\n" for name in self.names]
        (self.folder / "known_hosts").write_text("".join(known))
        shutil.copy(self.folder / "user_key.pub", self.folder / "accepted")
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # sshd insists on it
        (self.folder / "sshd_config").write_text(
            f"HostKey {self.folder}/host_key\nAuthorizedKeysFile {self.folder}/accepted\n"
            "PermitRootLogin prohibit-password\nPasswordAuthentication no\nUsePAM no\n"
            "StrictModes no\nPidFile none\nLogLevel VERBOSE\n"
        )

    def start_sshd(self, name: str) -> None:
        """Start a host's sshd; what it starts is of its process group's session tree.

        `ip netns exec` gives it mounts of its own: the hidden folder is empty there.
        """
        self._hidden.mkdir(parents=True, exist_ok=True)
        hide = 'mount -t tmpfs none "$1" && shift && exec "$@"'
        with (self.folder / f"sshd-{name}.log").open("ab") as log:
            self._daemons[name] = subprocess.Popen(
                [*self.inside(name), "sh", "-c", hide, "sh", str(self._hidden),
                 SSHD, "-D", "-e", "-f", str(self.folder / "sshd_config")],
                stderr=log, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            )  # fmt: skip

    def _await_sshd(self, name: str) -> None:
        end = time.monotonic() + 30
        log = self.folder / f"sshd-{name}.log"
        while "Server listening" not in log.read_text():
            assert time.monotonic() < end, log.read_text()
            time.sleep(0.02)

    def __exit__(self, *_: object) -> None:
        for name in self.names:
            self.kill(name)
        for process in [*self._daemons.values(), *self._links.values()]:
            if process.poll() is None:
                process.kill()
            process.wait()
        for name in ["hub", *self.address]:
            subprocess.run(["ip", "netns", "del", self._space(name)], capture_output=True)

    def pids(self, name: str) -> list[int]:
        """All processes on a host."""
        command = ["ip", "netns", "pids", self._space(name)]
        found = subprocess.run(command, capture_output=True, text=True).stdout
        return [int(word) for word in found.split()]

    def kill(self, name: str) -> None:
        """A host that dies: nothing of it runs on, and its interface answers no more."""
        subprocess.run(
            ["ip", "-n", self._space(name), "link", "set", "cable", "down"], capture_output=True
        )
        for pid in self.pids(name):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def cable(self, name: str, words: str) -> str:
        """Set how a host's cable behaves."""
        link = self._links[name]
        assert link.stdin is not None
        assert link.stdout is not None
        link.stdin.write(words + "\n")
        link.stdin.flush()
        answer = link.stdout.readline().strip()
        assert answer.startswith("ok"), answer
        return answer

    def hosts_file(self, **common: object) -> Path:
        """Write hosts.yaml for all hosts."""
        lines = ["schema: ligament/hosts/1", *(f"{k}: {v}" for k, v in common.items()), "hosts:"]
        for name in self.names:
            lines += self.host_entry(name)
        path = self.folder / "hosts.yaml"
        path.write_text("\n".join(lines) + "\n")
        return path

    def host_entry(self, name: str, **other: str) -> list[str]:
        """The lines of one host in it."""
        fields = {
            "address": self.address[name],
            "user": "root",
            "key": "user_key",
            "ssh_options": f"['UserKnownHostsFile={self.folder}/known_hosts']",
            "ligament": str(Path(sys.prefix) / "bin" / "ligament"),
            "folder": f"'{self.folder}/on {name}'",
            "environment": "{"
            + f"PYTHONPATH: '{Path(ligament.__file__).parents[1]}', "
            + f'CYCLONEDDS_URI: "{ENGINE}"'
            + "}",
            **other,
        }
        return [f"  {name}:", *(f"    {key}: {value}" for key, value in fields.items())]

    def start(self, *words: str | Path) -> subprocess.Popen[str]:
        """Start a verb of ligament where it is deployed from."""
        return subprocess.Popen(
            [*self.inside("me"), *LIGAMENT, *map(str, words)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def run(self, *words: str | Path, timeout: float = 180) -> subprocess.CompletedProcess[str]:
        """The same, to its end."""
        process = self.start(*words)
        out, err = process.communicate(timeout=timeout)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def inside(self, name: str) -> list[str]:
        """What stands in front of a command on a host."""
        return ["ip", "netns", "exec", self._space(name)]

    def _space(self, name: str) -> str:
        return f"{self._stem}-{name}"


def running(hosts: SshHosts, name: str, program: bytes = b"") -> list[int]:
    """Containers and edges on a host, or what has another word in its command line."""
    found = []
    for pid in hosts.pids(name):
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
        wanted = [program] if program else [b"ligament-container", b"ligament-edge"]
        found += [pid] if any(word in words for word in wanted) else []
    return found


def await_that(condition: Callable[[], bool], seconds: float = 60) -> None:
    """Until it holds; a watchdog ends the wait."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)
