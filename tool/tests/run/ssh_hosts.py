# SPDX-License-Identifier: Apache-2.0
"""Hosts with sshd on one machine: network namespaces on one switch, and one more to deploy from.

    with SshHosts(tmp_path, ["robot", "desk"], bad=["desk"]) as hosts:
        hosts.cable("desk", "loss 0.05")        # link.py's words
        result = hosts.deploy(build, "--trace")
        hosts.kill("desk")                      # sshd and all that runs on the host

Nothing of the system's own sshd is used: keys, configuration and accepted keys lie in `folder`.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from run_chat import LIGAMENT
from two_hosts import LINK

import ligament
from ligament.bench.fleet.hosts import CABLE, HUB, Switch, ip, why_not

SSHD = "/usr/sbin/sshd"
NET = "10.78.0."
DEPLOYER = "me"
#: The engine uses the cable alone, and does not look for hosts that are gone for long.
ENGINE = (
    "<General><Interfaces><NetworkInterface name='cable'/></Interfaces></General>"
    "<Discovery><LeaseDuration>2s</LeaseDuration></Discovery>"
)


def no_ssh_hosts() -> str:
    """Why tests of such hosts are skipped; empty if they are not.

    Only what the machine refuses is its own lack: programs are of the set-up.
    """
    if not Path(SSHD).exists() or shutil.which("ssh") is None:
        return "no sshd (dev/setup --test)"
    reason = why_not()
    return f"this machine has no such thing: {reason}" if reason else ""


class _Cables(Switch):
    """A switch, and a program between it and each host whose cable is bad."""

    def __init__(self, names: Sequence[str], bad: Sequence[str]) -> None:
        super().__init__(names, NET)
        self._bad = set(bad)
        self.links: dict[str, subprocess.Popen[str]] = {}

    def plug(self, name: str, port: str) -> None:
        hub, inner = self.space(HUB), port
        if name in self._bad:
            inner, outer = f"{name}-b", f"{name}-a"
            ip("-n", hub, "link", "add", outer, "type", "veth", "peer", "name", inner)
            for end in (port, outer):
                ip("-n", hub, "link", "set", end, "up", "promisc", "on")
            self.links[name] = subprocess.Popen(
                [*self.inside(HUB), sys.executable, str(LINK), port, outer],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            )  # fmt: skip
        super().plug(name, inner)
        # Frames that a program forwards carry checksums: all ends share one switch.
        subprocess.run(
            [*self.inside(name), sys.executable, str(LINK), "--no-offload", CABLE], check=True
        )


class SshHosts:
    """As a context. The deployer is at .1, the hosts follow in order."""

    def __init__(
        self,
        folder: Path,
        names: Sequence[str],
        bad: Sequence[str] = (),
        hidden: Path | None = None,
        shells: Mapping[str, str] | None = None,
    ) -> None:
        """`shells`: by host, a command in the place of its login shell."""
        self.folder = folder
        self._shells = shells or {}
        self.names = list(names)
        self._hidden = hidden or folder / "nothing"
        self._switch = _Cables([DEPLOYER, *names], bad)
        self._daemons: dict[str, subprocess.Popen[bytes]] = {}
        self._started: list[subprocess.Popen[str]] = []
        self.address = self._switch.address

    def __enter__(self) -> SshHosts:
        try:
            self._build()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _build(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._switch.__enter__()
        self._make_keys()
        for name in self.names:
            self.start_sshd(name)
        for name in self.names:
            self._await_sshd(name)

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
        shell = self._shells.get(name)
        options = ["-o", f"ForceCommand={shell}"] if shell else []
        with (self.folder / f"sshd-{name}.log").open("ab") as log:
            self._daemons[name] = subprocess.Popen(
                [*self.inside(name), "sh", "-c", hide, "sh", str(self._hidden),
                 SSHD, "-D", "-e", "-f", str(self.folder / "sshd_config"), *options],
                stderr=log, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            )  # fmt: skip

    def _await_sshd(self, name: str) -> None:
        end = time.monotonic() + 30
        log = self.folder / f"sshd-{name}.log"
        while "Server listening" not in log.read_text():
            assert time.monotonic() < end, log.read_text()
            time.sleep(0.02)

    def __exit__(self, *_: object) -> None:
        """End all that runs on the hosts, and what deploys."""
        self._switch.__exit__()
        for process in [*self._started, *self._daemons.values(), *self._switch.links.values()]:
            process.kill()
            process.wait()

    def pids(self, name: str) -> list[int]:
        """All processes on a host."""
        return self._switch.pids(name)

    def kill(self, name: str) -> None:
        """A host that dies: nothing of it runs on, and its interface answers no more."""
        ip("-n", self._switch.space(name), "link", "set", CABLE, "down")
        self._switch.kill(name)

    def cable(self, name: str, words: str) -> str:
        """Set how a host's cable behaves."""
        link = self._switch.links[name]
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
        process = subprocess.Popen(
            [*self.inside(DEPLOYER), *LIGAMENT, *map(str, words)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self._started.append(process)
        return process

    def run(self, *words: str | Path, timeout: float = 180) -> subprocess.CompletedProcess[str]:
        """The same, to its end."""
        process = self.start(*words)
        out, err = process.communicate(timeout=timeout)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def inside(self, name: str) -> list[str]:
        """What stands in front of a command on a host."""
        return self._switch.inside(name)


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
