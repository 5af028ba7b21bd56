# SPDX-License-Identifier: Apache-2.0
"""How fast recordings are read: ours to Parquet and on to a report, beside bt2's Python reader."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ligament.errors import FailureError

PYTHONS = ("/usr/bin/python3", sys.executable)
"""Debian's python3-bt2 is of the system's Python."""
HINT = "apt-get install python3-bt2"

_CHILD = "import sys\nfrom pathlib import Path\n"
_WORK = "# work\n"
"""What comes before it in a program is not measured: starting Python and importing packages."""
CONVERT = _CHILD + (
    "from ligament.trace.convert import convert\n"
    + _WORK
    + "made = convert(Path(sys.argv[1]), Path(sys.argv[2]) / 'events.parquet', provider='ros2')\n"
    "print(made.provider_events)\n"
)
IMPORT = _CHILD + (
    "from ligament.trace.imported import import_recording\n"
    + _WORK
    + "made = import_recording(Path(sys.argv[1]), out=Path(sys.argv[2]))\n"
    "print(made.conversion.provider_events)\n"
)
REPORT = _CHILD + (
    "from ligament.artefacts import write_json\n"
    "from ligament.report.page.make import make_page\n"
    "from ligament.report.options import ReportOptions\n"
    "from ligament.report.stage import make_report\n"
    + _WORK
    + "made = make_report([Path(sys.argv[2])], ReportOptions())\n"
    "write_json(Path(sys.argv[2]) / 'report.json', made)\n"
    "make_page(made, Path(sys.argv[2]) / 'report.html')\n"
    "print(made['variants'][0]['frames'])\n"
)
BT2 = """import sys
import bt2
# work
events = 0
values = 0
for message in bt2.TraceCollectionMessageIterator(sys.argv[1]):
    if type(message) is bt2._EventMessageConst:
        events += 1
        event = message.event
        name, time = event.name, message.default_clock_snapshot.value
        fields = [(key, value) for key, value in event.payload_field.items()]
        tid = event.common_context_field['vtid']
        values += len(fields)
print(events)
"""
"""What tracetools_read does with each event: its name, time, context and all fields, as objects."""


@dataclass(frozen=True)
class Taken:
    """What a program's work took. `cpu_s` and `peak_bytes` count its children too."""

    wall_s: float
    cpu_s: float
    peak_bytes: int
    printed: int


def run(
    python: str, program: str, words: list[str], core: int | None = None, warm_up: str = ""
) -> Taken:
    """Run a Python program, on one core if one is named, after it read another recording."""
    process = subprocess.Popen(
        [python, "-c", _MEASURED, program, "" if core is None else str(core), warm_up, *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    said, complaints = process.communicate()
    if process.returncode != 0:
        last = complaints.strip().splitlines()[-1:] or ["without a word"]
        raise FailureError(f"reading a recording failed: {last[0]}")
    told: dict[str, Any] = json.loads(said.splitlines()[-1])
    return Taken(told["wall_s"], told["cpu_s"], told["peak_bytes"], told["printed"])


_MEASURED = """import contextlib, io, json, os, resource, sys, time
program, core, warm_up = sys.argv.pop(1), sys.argv.pop(1), sys.argv.pop(1)
if core:
    os.sched_setaffinity(0, {int(core)})
out = io.StringIO()
names = {"__name__": "measured"}
start, _, work = program.partition("# work\\n")
exec(compile(start, "start", "exec"), names)
if warm_up:
    recording, sys.argv[1] = sys.argv[1], warm_up
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(work, "work", "exec"), dict(names))
    sys.argv[1] = recording
own = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
before, begin = [resource.getrusage(who) for who in own], time.monotonic()
with contextlib.redirect_stdout(out):
    exec(compile(work, "work", "exec"), names)
wall, usage = time.monotonic() - begin, [resource.getrusage(who) for who in own]
print(json.dumps({
    "wall_s": wall,
    "cpu_s": sum(b.ru_utime + b.ru_stime - a.ru_utime - a.ru_stime for a, b in zip(before, usage)),
    "peak_bytes": 1024 * sum(one.ru_maxrss for one in usage),
    "printed": int(out.getvalue().split()[-1]),
}))
"""


def python_with_bt2() -> str | None:
    """A Python that has babeltrace2's bindings; None: there is none here."""
    for python in PYTHONS:
        if shutil.which(python) is None:
            continue
        found = subprocess.run([python, "-c", "import bt2"], capture_output=True, check=False)
        if found.returncode == 0:
            return python
    return None


def one_core() -> int:
    """A core that this process may use."""
    return max(os.sched_getaffinity(0))


def folder_of(path: Path) -> list[str]:
    """A folder that is empty."""
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    return [str(path)]
