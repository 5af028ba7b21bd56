# SPDX-License-Identifier: Apache-2.0
"""`ligament bench trace`: benchmarks/trace/README.md says what is measured and how."""

from __future__ import annotations

import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from ligament.bench.measuring import Measured, say
from ligament.bench.options import option
from ligament.bench.trace import events, reading, rows
from ligament.bench.trace.system import EVENTS_PER_FRAME, write_recording
from ligament.report.options import WARM_UP_FRAMES

__all__ = ["FIGURES", "Options", "measure"]

FIGURES = rows.FIGURES


@dataclass(frozen=True)
class Options:
    """Options of its own."""

    events: int = option(0, "Events of the recording that is read whole.", min=0)
    passes: int = option(0, "How often each figure is taken, alternately.", min=0)


def measure(quick: bool, options: Options | None = None) -> Measured:
    """What events cost, off and on; how fast recordings are read."""
    options = options or Options()
    passes = options.passes or (3 if quick else 10)
    result = Measured([])
    measure_events(passes, 100 if quick else 400, result)
    with tempfile.TemporaryDirectory(prefix="ligament-bench-trace-") as folder:
        measure_rates(Path(folder), 200_000 if quick else 1_000_000, min(passes, 5), result)
        measure_whole(Path(folder), options.events or (1_000_000 if quick else 10_000_000), result)
    load, cores = os.getloadavg()[0], len(os.sched_getaffinity(0))
    result.notes.append(f"load average {load:.1f} on {cores} cores when it ended")
    return result


def measure_events(passes: int, bursts: int, result: Measured) -> None:
    """Each kind alternately, so that a slow minute of the machine is everybody's."""
    found: dict[str, list[events.Measured]] = {kind: [] for kind in events.KINDS}
    for number in range(passes):
        say("trace", f"events, pass {number + 1} of {passes}")
        for kind, measured in found.items():
            measured.append(events.measure(kind, bursts))
    result.rows += rows.costs(found)
    result.rows += rows.overheads(found)
    if discarded := sum(one.discarded for measured in found.values() for one in measured):
        result.notes.append(f"{discarded} events found no place in the buffers and were discarded")


def measure_rates(folder: Path, count: int, passes: int, result: Measured) -> None:
    """Ours and bt2's Python reader on one recording, on one core each."""
    recording, small = folder / "rates", folder / "small"
    written = write_recording(recording, count)
    write_recording(small, 1000)
    readers = {"ligament": (sys.executable, reading.CONVERT)}
    python = reading.python_with_bt2()
    if python is None:
        result.failures.append(f"bt2's Python reader is not here to compare with: {reading.HINT}")
    else:
        readers["bt2 (Python)"] = (python, reading.BT2)
    taken: dict[str, list[reading.Taken]] = {peer: [] for peer in readers}
    for number in range(passes):
        say("trace", f"reading {written} events, pass {number + 1} of {passes}")
        for peer, (program, text) in readers.items():
            words = [str(recording), *reading.folder_of(folder / "out")]
            one = reading.run(program, text, words, reading.one_core(), str(small))
            if one.printed != written:
                result.failures.append(f"{peer} read {one.printed} of {written} events")
            taken[peer].append(one)
    result.rows += rows.rates(written, taken)


def measure_whole(folder: Path, count: int, result: Measured) -> None:
    """From a recording to report.json and the page."""
    recording = folder / "whole"
    say("trace", f"writing a recording of {count} events")
    written = write_recording(recording, count)
    words = [str(recording), *reading.folder_of(folder / "out")]
    say("trace", "importing it")
    imported = reading.run(sys.executable, reading.IMPORT, words)
    say("trace", "reporting on it")
    reported = reading.run(sys.executable, reading.REPORT, words)
    result.rows += rows.whole(count, imported, reported)
    expected = written // EVENTS_PER_FRAME - WARM_UP_FRAMES
    if not 0 <= reported.printed - expected <= 1:
        result.failures.append(f"{reported.printed} frames were reported, not {expected}")
