# SPDX-License-Identifier: Apache-2.0
"""Who is measured: middlewares below one program, which is built here for the ROS 2 that is there.

rcl names its middleware's library itself, so ours takes its place by LD_PRELOAD.
"""

from __future__ import annotations

import fcntl
import functools
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ligament.bench.measuring import OURS, REPOSITORY, output_of
from ligament.errors import FailureError

SHIPPED, TUNED = "fastrtps", "fastrtps_tuned"
#: What each says it is: a library that was not preloaded would be measured as another one.
IDENTIFIERS = {OURS: "rmw_ligament_cpp", SHIPPED: "rmw_fastrtps_cpp", TUNED: "rmw_fastrtps_cpp"}
PROFILE = REPOSITORY / "benchmarks" / "rmw" / "tuned.xml"
NOTES = (
    "fastrtps: rmw_fastrtps_cpp as it ships: shared memory with a segment of 512 kB, beside UDP",
    "fastrtps_tuned: the same with benchmarks/rmw/tuned.xml: a segment of 128 MB, messages of up "
    "to 32 MB in one piece. Its data sharing is not for types without a bound, as images are",
    "all with ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST",
)
_DISTROS = ("jazzy", "kilted")
_SETUP = "`make test` (dev/setup --test) brings ROS 2 and our middleware for it"
_BUILD_S = 300.0
#: Of so many runs at once each has domains of its own, 20 to 97 in all.
_SLOTS = range(13)


@dataclass(frozen=True)
class Ros:
    """A ROS 2 with the program that was built for it."""

    distro: str
    prefix: Path
    #: Our middleware.
    library: Path
    program: Path
    #: Preloaded below all: libraries of wheels want Python's symbols.
    python: str

    def command(self, contestant: str, is_apart: bool = False) -> list[str]:
        """The words before a role: the same program in the environment of a contestant."""
        variables = self._variables(contestant, domain_of(contestant, is_apart))
        return ["env", *(f"{key}={value}" for key, value in variables.items()), str(self.program)]

    def _variables(self, contestant: str, domain_id: int) -> Mapping[str, str]:
        folders = [self.prefix / "lib", *sorted(self.prefix.glob("lib/python*/*-packages/*.libs"))]
        preloaded = [str(self.library)] if contestant == OURS else []
        variables = {
            "AMENT_PREFIX_PATH": str(self.prefix),
            "LD_LIBRARY_PATH": ":".join(map(str, folders)),
            "LD_PRELOAD": ":".join([*preloaded, self.python]),
            "ROS_DOMAIN_ID": str(domain_id),
            "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
        }
        if contestant == TUNED:  # the names in Fast DDS 2 and 3
            for name in ("FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE"):
                variables[name] = str(PROFILE)
        return variables


def prepare(distro: str, library: str = "") -> Ros:
    """The ROS 2 of that name, with the program built; FailureError says what is missing."""
    if distro not in _DISTROS:
        raise FailureError(f"--distro is {' or '.join(_DISTROS)}, not '{distro}'")
    prefix = REPOSITORY / "build" / "ros" / distro
    if not (prefix / "lib" / "librcl.so").exists():
        raise FailureError(f"there is no ROS 2 {distro} in {prefix}", hint=_SETUP)
    ours = Path(library) if library else prefix / "lib" / "librmw_ligament_cpp.so"
    if not ours.is_file():
        raise FailureError(f"our middleware {ours} is missing", hint=_SETUP)
    return Ros(distro, prefix, ours.resolve(), _built(distro, prefix), _python_of(prefix))


def domain_of(contestant: str, is_apart: bool = False) -> int:
    """Each contestant has one of its own, as our middleware starts an edge, which others would see.

    Other programs of this machine hardly have it, and its ports are below the ephemeral ones.
    `is_apart`: another one, of the same contestant.
    """
    block = _claim()[0] * 2 * len(IDENTIFIERS)
    return 20 + block + 2 * sorted(IDENTIFIERS).index(contestant) + is_apart


@functools.cache
def _claim() -> tuple[int, socket.socket]:
    """A slot that no other run of this bench has, for as long as this process lives."""
    for slot in _SLOTS:
        claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            claim.bind(f"\0ligament/bench-rmw/{slot}")
        except OSError:
            claim.close()
        else:
            return slot, claim
    raise FailureError(f"{len(_SLOTS)} runs of this benchmark are in progress already")


def _built(distro: str, prefix: Path) -> Path:
    folder = REPOSITORY / "build" / f"bench-rmw-{distro}"
    what = "the program of the benchmark could not be built"
    words = ["-DCMAKE_BUILD_TYPE=RelWithDebInfo", f"-DLIGAMENT_ROS={prefix}"]
    source = REPOSITORY / "benchmarks" / "rmw"
    configure = ["cmake", "-S", str(source), "-B", str(folder), "-G", "Ninja", *words]
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:  # tests may come here from several processes
        fcntl.flock(lock, fcntl.LOCK_EX)
        for command in (configure, ["cmake", "--build", str(folder)]):
            output_of(command, what, timeout_s=_BUILD_S)
    return folder / "ligament-bench-rmw"


def _python_of(prefix: Path) -> str:
    """The library of the Python that these wheels are for."""
    code = (
        "import sysconfig as s; print(s.get_config_var('LIBDIR'), s.get_config_var('INSTSONAME'))"
    )
    folder, _, name = output_of([str(prefix / "bin" / "python"), "-c", code]).strip().partition(" ")
    if not (Path(folder) / name).is_file() or ".so" not in name:
        raise FailureError(
            f"the Python of {prefix} has no shared library",
            hint="libraries of the wheels want its symbols: Debian's python3 has one",
        )
    return str(Path(folder) / name)
