# SPDX-License-Identifier: Apache-2.0
"""The demo's variants on processors, without recording: what an installation can do by itself.

Their nodes come built with the installation, so no compiler is needed, and no LTTng. The time of a
frame is that of the whole run by its frames; where it went only a recording tells.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ligament import resources
from ligament.artefacts import graph_folder, read_json
from ligament.demo.reference import run_reference
from ligament.demo.runs import SINK, DemoOptions, Say, build_variants, run_fast
from ligament.doctor.probes import demo_frames
from ligament.errors import FailureError, InputError, Problem, listing
from ligament.graph import Graph, load_graph
from ligament.report.equality import compare_frames, read_frames
from ligament.report.options import WARM_UP_FRAMES

SCHEMA = "ligament/software-demo/1"
PROGRAMS = ("c++", "cmake", "ninja", "lttng", "lttng-sessiond")
MODULES = ("duckdb", "pyarrow")


def require_all() -> None:
    """Raise FailureError that names what the whole demo needs and this machine has not."""
    lacking = [name for name in PROGRAMS if shutil.which(name) is None]
    lacking += [name for name in MODULES if find_spec(name) is None]
    if lacking:
        raise FailureError(
            f"the whole demo compiles, records and reads recordings: {listing(lacking)} not found",
            hint="ligament demo --software needs none of these; `ligament doctor` says how to get "
            "them",
        )


def compare(options: DemoOptions, say: Say) -> dict[str, Any]:
    """Run the variants and the reference program on the same frames; return what is shown.

    `variants`: of each `name`, `frames`, `equal`, `equality` (a sentence), and `frame_ns`, the mean
    time of a frame: from when the last process was ready until the run stopped, by its frames.
    """
    options = replace(with_photographs(options), trace=None)
    graph = load_graph(options.graph)
    runs = run_fast(build_variants(options, say, on_processors(graph)), options, say)
    if not runs:
        raise InputError(
            Problem(
                "nothing-to-run",
                f"no variant of '{graph.name}' runs on processors of this computer alone",
                expected="a variant without devices and hosts",
            )
        )
    told = {name: _run_of(folder) for name, folder in runs.items()}
    first = next(iter(told.values()))
    reference = run_reference(
        options, graph_folder(graph.name, options.out) / "reference", _sink_of(first), say
    )
    expected = read_frames(reference.frames)
    entries = [_entry(name, run, expected, options) for name, run in told.items()]
    return {
        "schema": SCHEMA,
        "graph": graph.name,
        "variants": entries,
        "picture": str(reference.picture),
        "context": first[1]["context"],
    }


def on_processors(graph: Graph) -> list[str]:
    """The variants whose nodes all run on processors of this computer."""
    return [name for name, variant in graph.variants.items() if not variant.devices]


def with_photographs(options: DemoOptions) -> DemoOptions:
    """Take the frames of the installation where none are named and Debian's are not there."""
    folder = resources.photographs_dir()
    if options.source or folder is None or demo_frames():
        return options
    return replace(
        options,
        source=str(folder / "left??.jpg"),
        calibration=options.calibration or str(folder / "left_intrinsics.yml"),
    )


def is_equal(shown: Mapping[str, Any]) -> bool:
    """Whether something ran, and all of it gave what the reference program does."""
    return bool(shown["variants"]) and all(entry["equal"] for entry in shown["variants"])


def ending(shown: Mapping[str, Any]) -> list[str]:
    """What is printed at the end."""
    wrong = [entry for entry in shown["variants"] if not entry["equal"]]
    verdict = "All outputs equal those of the reference program, frame by frame."
    if wrong:
        verdict = f"NOT EQUAL: {wrong[0]['name']}: {wrong[0]['equality']}"
    lines = [verdict, f"{'variant':20}{'frames':>8}{'one frame (mean)':>20}"]
    lines += [
        f"{entry['name'][:19]:20}{entry['frames']:>8}{entry['frame_ns'] / 1e3:>17.0f} us"
        for entry in shown["variants"]
    ]
    return [
        *lines,
        f"Picture: {shown['picture']}",
        "Not recorded: where the time went. That, and other devices, are in `ligament demo`:",
        "what that needs is in `ligament doctor`.",
    ]


_Run = tuple[Path, dict[str, Any]]


def _run_of(folder: Path) -> _Run:
    return folder, read_json(folder / "run.json", "run the demo again")


def _sink_of(run: _Run) -> Path:
    """The file of frames that the sink recorded."""
    folder, data = run
    for entry in data.get("outputs", []):
        if entry.get("node") == SINK and entry["path"].endswith(".jsonl"):
            return folder / str(entry["path"])
    raise FailureError(f"the sink of {data['variant']} recorded nothing", log=folder / "log")


def _entry(
    name: str, run: _Run, expected: dict[int, dict[str, Any]], options: DemoOptions
) -> dict[str, Any]:
    found = compare_frames(read_frames(_sink_of(run)), expected, "the reference program")
    data = run[1]
    began = max(process["ready_ns"] for process in data["processes"])
    frames = options.frames + WARM_UP_FRAMES
    return {
        "name": name,
        "run_dir": str(run[0]),
        "frames": found.frames,
        "equal": bool(found.equal),
        "equality": found.text,
        "frame_ns": (data["shutdown"]["stop_ns"] - began) / frames,
    }
