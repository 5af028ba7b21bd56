# SPDX-License-Identifier: Apache-2.0
"""A recording session of its own for each run: no root, no system daemon, nothing left behind.

    session = TraceSession(run_folder / "trace")
    session.start()
    subprocess.run(container, env={**os.environ, **session.environment()})
    summary = session.stop()          # what was lost is in it

Each session starts its own LTTng daemon with its own home, so parallel runs never meet. The home is
a short path in the temporary folder: the daemon's sockets lie in it, and a socket's path may not be
longer than 107 bytes. LTTng treats the root user differently (one daemon per machine), so a root
user's session runs as `nobody`; the traced processes keep their user. Should this process die, a
guardian (a shell that reads from a pipe whose other end only this process holds) ends the daemon.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from ligament import resources
from ligament.disk import NoRoomError, no_room, require_file_size, writing
from ligament.trace.errors import INSTALL_LTTNG, NotKeptError, TraceError
from ligament.trace.hooks import EVENTS_VARIABLE, PROVIDER_VARIABLE, write_events
from ligament.trace.salvage import find_cuts

PROVIDER = "ligament"
ROS2 = "ros2"
PROVIDERS = (PROVIDER, ROS2)
"""What `--trace` takes: our own events alone, or beside them those of ros2_tracing."""
SESSION = "ligament"
CHANNEL = "events"
EVENTS = "events.json"
ROS2_CONTEXTS = ("vpid", "vtid", "procname")
"""What `ros2 trace` adds to each event, and its analysers read."""
NOBODY = 65534
MIB = 1024 * 1024
GUARDIAN = 'cat >/dev/null; kill -TERM "$1" 2>/dev/null; sleep 1; rm -rf -- "$2"'


@dataclass(frozen=True)
class TraceSummary:
    """What a session leaves: where the recording lies, and what it lost."""

    dir: str
    provider: str = PROVIDER
    events_discarded: int = 0
    packets_lost: int = 0
    subbuffer_bytes: int = 0
    subbuffers: int = 0
    recorded_bytes: int = 0
    environment: dict[str, str] = field(default_factory=dict)
    """While it records: what a process needs in its environment to be recorded."""

    def as_dict(self) -> dict[str, Any]:
        """The `trace` entry of run.json."""
        return asdict(self)


def provider_path(provider: str = PROVIDER) -> Path:
    """Where the runtime's installation puts the LTTng provider object."""
    name = "lttng" if provider == PROVIDER else provider
    return resources.prefix() / "lib" / "ligament" / f"libligament-trace-{name}.so"


def require_lttng(provider: str = PROVIDER) -> None:
    """Raise a sentence that says what to install if this machine cannot record."""
    for program in ("lttng", "lttng-sessiond"):
        if shutil.which(program) is None:
            raise TraceError(
                f"--trace needs LTTng: `{program}` is not installed", hint=INSTALL_LTTNG
            )
    path = provider_path(provider)
    if not path.is_file():
        raise TraceError(
            f"--trace needs the runtime's trace provider, and {path} is missing: "
            "LTTng-UST was not there when the runtime was built",
            hint=INSTALL_LTTNG,
        )


def choose_subbuffer(free_bytes: int, cores: int, subbuffers: int) -> int:
    """The largest power of two up to 8 MiB with which all cores' buffers fill half of what is free.

    LTTng's default (512 KiB) loses a quarter of the events of a tight loop; 4 x 8 MiB lost none.
    """
    size = 8 * MIB
    while size > 128 * 1024 and size * subbuffers * cores > free_bytes // 2:
        size //= 2
    return size


class TraceSession:
    """One recording into `folder`. Use as a context, or call start() and stop()."""

    def __init__(
        self,
        folder: Path,
        *,
        provider: str = PROVIDER,
        subbuffers: int = 4,
        subbuffer_bytes: int | None = None,
    ) -> None:
        self.folder = Path(folder)
        self._provider = provider
        channels = 2 if provider == ROS2 else 1
        self._subbuffers = subbuffers
        self._subbuffer_bytes = subbuffer_bytes or choose_subbuffer(
            shutil.disk_usage("/dev/shm").free, channels * (os.cpu_count() or 1), subbuffers
        )
        self._home: Path | None = None
        self._guardian: subprocess.Popen[bytes] | None = None
        self._daemon_pid: int | None = None
        self._summary: TraceSummary | None = None
        self._whole = False
        """All that was recorded is in the recording: nothing is lost with the daemon."""

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> TraceSummary:
        """Start the daemon and record from now on. Takes about 0.2 s."""
        require_lttng(self._provider)
        require_file_size(self.folder, self._subbuffers * self._subbuffer_bytes)
        _remove_stale_homes()
        with writing(Path(tempfile.gettempdir())):
            self._home = Path(tempfile.mkdtemp(prefix=f"ligament-trace-{os.getpid()}-"))
        if os.geteuid() == 0:
            os.chown(self._home, NOBODY, NOBODY)
        try:
            write_events(self._home / EVENTS)
            self._start_daemon()
            self._lttng("create", SESSION, "--output", str(self._output))
            self._record(PROVIDER, CHANNEL)
            if self._provider == ROS2:
                self._record(ROS2, ROS2, ROS2_CONTEXTS)
            self._lttng("start", SESSION)
        except BaseException:
            self._end_daemon()
            raise
        return replace(self._summarise(), environment=self.environment())

    def _record(self, provider: str, channel: str, contexts: Sequence[str] = ()) -> None:
        """A channel of its own for a provider: contexts cost each event of a channel."""
        of_channel = ("--userspace", "--session", SESSION, "--channel", channel)
        self._lttng(
            "enable-channel", "--userspace", "--session", SESSION, "--buffers-uid",
            "--subbuf-size", str(self._subbuffer_bytes),
            "--num-subbuf", str(self._subbuffers), channel,
        )  # fmt: skip
        if contexts:
            self._lttng("add-context", *of_channel, *(f"--type={name}" for name in contexts))
        self._lttng("enable-event", *of_channel, f"{provider}:*")

    def environment(self) -> dict[str, str]:
        """What a process needs in its environment to be recorded by this session."""
        if self._home is None:
            return {}
        return {
            "LTTNG_HOME": str(self._home),
            # A loaded machine may take longer than LTTng's 3 s to answer a process that registers.
            "LTTNG_UST_REGISTER_TIMEOUT": "15000",
            PROVIDER_VARIABLE: str(provider_path()),
            EVENTS_VARIABLE: str(self._home / EVENTS),
        }

    def stop(self) -> TraceSummary | None:
        """Stop, collect what was lost, put the recording in place, end the daemon. Once.

        If the session broke off (its daemon died, the disk is full), what there is of the recording
        is put in place all the same, and then the error says why it is not whole. A whole one for
        which there is no room is left where it was written.
        """
        if self._home is None:
            return self._summary
        try:
            self._lttng("stop", SESSION)
            discarded, lost = _losses(self._lttng("--mi", "xml", "list", SESSION))
            # `stop` waits until all is written. Only where there was no room does `destroy` know
            # more; it takes half a second.
            if shutil.disk_usage(self._home).free < self._subbuffer_bytes:
                self._lttng("destroy", SESSION)
            self._whole = True
            if cuts := find_cuts(self._output):
                raise TraceError(cuts[0].sentence)
            self._keep_or_leave(discarded, lost)
            self._summary = self._summarise(discarded, lost)
        except NotKeptError:
            raise
        except TraceError as error:
            why, hint = self._why_broken(error)
            kept = self._keep_broken()
            raise TraceError(f"the recording broke off: {why}; {kept}", hint=hint) from error
        finally:
            self._end_daemon()
        return self._summary

    @property
    def _output(self) -> Path:
        assert self._home is not None
        return self._home / "recording"

    def _summarise(self, discarded: int = 0, lost: int = 0) -> TraceSummary:
        return TraceSummary(
            dir=self.folder.name,
            provider=self._provider,
            events_discarded=discarded,
            packets_lost=lost,
            subbuffer_bytes=self._subbuffer_bytes,
            subbuffers=self._subbuffers,
            recorded_bytes=_bytes_in(self.folder),
        )

    def _keep_recording(self) -> None:
        """Copied under another name first: the folder is there when it is whole."""
        partial = self.folder.with_name(f".{self.folder.name}.partial")
        with writing(self.folder, _bytes_in(self._output)):
            try:
                partial.mkdir(parents=True)
                if self._output.exists():
                    shutil.copytree(self._output, partial, dirs_exist_ok=True)
                partial.replace(self.folder)
            finally:
                shutil.rmtree(partial, ignore_errors=True)

    def _keep_or_leave(self, discarded: int, lost: int) -> None:
        assert self._home is not None
        try:
            self._keep_recording()
        except NoRoomError as error:
            left = self._home.with_name(self._home.name.replace("-trace-", "-recording-", 1))
            summary = replace(
                self._summarise(discarded, lost), recorded_bytes=_bytes_in(self._output)
            )
            self._output.rename(left)
            raise NotKeptError(
                f"{error.text}; the recording is left in {left}",
                summary.as_dict(),
                f"{error.hint}; then: mv {left} {self.folder} && ligament trace "
                f"{self.folder.parent}",
            ) from error

    def _why_broken(self, error: TraceError) -> tuple[str, str]:
        """Why, and what may help."""
        assert self._home is not None
        if self._daemon_pid is not None and not _is_running(self._daemon_pid):
            return "its session daemon died", ""
        if shutil.disk_usage(self._home).free < self._subbuffer_bytes:
            full = no_room(self._home)
            return full.text, full.hint
        if cuts := find_cuts(self._output):
            why = "not all of it was written, as when the disk is full for a while"
            hint = f"see that {self._home.parent} has room, or set TMPDIR=DIR"
            return f"{why}: {cuts[0].sentence}", hint
        return error.text, error.hint

    def _keep_broken(self) -> str:
        """Put in place what there is; says where, and never raises."""
        try:
            self._keep_recording()
        except (OSError, NoRoomError) as error:
            return f"what was recorded could not be copied ({error})"
        size = self._summarise().recorded_bytes
        if size == 0:
            return "nothing of it was written"
        return f"{size} bytes that were written before are in {self.folder}"

    def _start_daemon(self) -> None:
        assert self._home is not None
        pid_file = self._home / "daemon.pid"
        self._run("lttng-sessiond", "--daemonize", "--no-kernel", "--pidfile", str(pid_file))
        self._daemon_pid = int(pid_file.read_text())
        # No process inherits the pipe's other end: Popen closes it in all other children.
        self._guardian = subprocess.Popen(
            ["/bin/sh", "-c", GUARDIAN, "ligament-trace-guardian",
             str(self._daemon_pid), str(self._home)],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip

    def _end_daemon(self) -> None:
        """End daemon and guardian and remove the home; never raises, runs in any state."""
        if self._daemon_pid is not None:
            # In order it would wait half a second more, for nothing that anybody reads.
            _end_with_children(self._daemon_pid, signal.SIGKILL if self._whole else signal.SIGTERM)
        if self._guardian is not None:
            self._guardian.kill()
            self._guardian.communicate()
        if self._home is not None:
            shutil.rmtree(self._home, ignore_errors=True)
        self._home = self._guardian = self._daemon_pid = None

    def _lttng(self, *arguments: str) -> str:
        return self._run("lttng", "--no-sessiond", *arguments)

    def _run(self, *command: str) -> str:
        """Run a command of LTTng's as the user who owns the session."""
        assert self._home is not None
        as_user: dict[str, Any] = {}
        if os.geteuid() == 0:
            as_user = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        environment = {**os.environ, "LTTNG_HOME": str(self._home), "HOME": str(self._home)}
        try:
            result: subprocess.CompletedProcess[str] = subprocess.run(
                command, cwd=self._home, env=environment, capture_output=True, text=True,
                timeout=60, check=False, start_new_session=True, **as_user,
            )  # fmt: skip
        except (OSError, subprocess.SubprocessError) as error:
            raise TraceError(f"LTTng could not be used: {error}", command=command) from error
        if result.returncode != 0:
            said = (result.stderr or result.stdout).strip().splitlines()
            raise TraceError(
                "LTTng refused: " + (said[-1] if said else f"exit {result.returncode}"),
                command=command,
                hint="`ligament doctor` tells what LTTng lacks here",
            )
        return result.stdout


def _bytes_in(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _losses(listing: str) -> tuple[int, int]:
    """Discarded events and lost packets of all channels, from `lttng --mi xml list SESSION`."""
    try:
        root = ET.fromstring(listing)
    except ET.ParseError as error:
        raise TraceError(f"LTTng's list of channels is not XML: {error}") from error
    sums = {"discarded_events": 0, "lost_packets": 0}
    for element in root.iter():
        tag = element.tag.rsplit("}", 1)[-1]
        if tag in sums:
            sums[tag] += int(element.text or 0)
    return sums["discarded_events"], sums["lost_packets"]


def _end_with_children(pid: int, how: signal.Signals) -> None:
    """End a daemon that is no child of ours, and those that it started: they end when it does.

    Whoever still runs after 5 s is killed.
    """
    family = [pid, *_children(pid)]
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, how)
    for _ in range(500):
        family = [one for one in family if _is_running(one)]
        if not family:
            return
        time.sleep(0.01)
    for one in family:
        with contextlib.suppress(ProcessLookupError):
            os.kill(one, signal.SIGKILL)


def _children(pid: int) -> list[int]:
    """Processes whose parent it is."""
    children = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, IndexError):
            if stat.read_text().rpartition(")")[2].split()[1] == str(pid):
                children.append(int(stat.parent.name))
    return children


def _is_running(pid: int) -> bool:
    """Whether it still runs; an ended one may stay as a zombie where init does not collect it."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] not in {"Z", "X"}


def _remove_stale_homes() -> None:
    """Remove homes whose process is gone: the machine was switched off, or the guardian killed."""
    for home in Path(tempfile.gettempdir()).glob("ligament-trace-*"):
        owner = home.name.split("-")[2]
        if owner.isdigit() and not Path(f"/proc/{owner}").exists():
            shutil.rmtree(home, ignore_errors=True)
