# SPDX-License-Identifier: Apache-2.0
"""The report stage: runs of one graph become report.json."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ligament.errors import FailureError, InputError, Problem, listing
from ligament.report.equality import Comparison, Frames, compare_frames, read_frames
from ligament.report.options import ReportOptions
from ligament.report.statistics import difference_interval, is_within_noise
from ligament.report.variant import (
    Described,
    RunFolder,
    describe_variant,
    open_run,
)
from ligament.trace.stage import trace_run

SCHEMA = "ligament/report/2"
NOT_COMPARED = "outputs were not compared: the graph names no `check: sink`"


def make_report(paths: list[Path], options: ReportOptions) -> dict[str, Any]:
    """Compare runs. Converts recordings that were not converted yet."""
    runs = [open_run(path) for path in paths]
    graphs = {run.run["graph"] for run in runs}
    if len(graphs) != 1:
        raise InputError(
            Problem(
                "graphs-differ",
                f"runs of different graphs ({listing(graphs)}) cannot be compared",
                expected="runs of one graph",
            )
        )
    reference = _reference(runs, options.reference)
    expected = read_frames(options.expected) if options.expected else None
    described = []
    for run in runs:
        if not run.table.is_file():
            trace_run(run.path)
        found = describe_variant(run, options.warm_up)
        lone = len(runs) == 1 and expected is None
        if run.is_imported:
            comparison = Comparison(None, "a recording holds no outputs that could be compared", 0)
        else:
            comparison = _record_only(run) if lone else _compare(run, reference, expected)
        found.entry["equal"] = comparison.equal
        found.entry["equality"] = {
            "text": comparison.text,
            "frames": comparison.frames,
            "first_difference": comparison.first_difference,
        }
        described.append(found)
    _compare_figures(described, described[runs.index(reference)])
    return {
        "schema": SCHEMA,
        "graph": graphs.pop(),
        "reference": reference.run["variant"],
        "variants": [one.entry for one in described],
        "context": runs[0].run["context"],
    }


def _reference(runs: list[RunFolder], name: str | None) -> RunFolder:
    if name is None:
        return runs[0]
    for run in runs:
        if name in (run.run["variant"], run.run["run_id"]):
            return run
    names = listing(run.run["variant"] for run in runs)
    raise InputError(
        Problem("reference-unknown", f"--reference: no run of variant '{name}'", expected=names)
    )


def _sink_frames(run: RunFolder) -> Frames:
    outputs = run.outputs()
    sink = run.sink
    if sink is None and len(outputs) == 1:
        sink = next(iter(outputs))
    if sink is None or sink not in outputs:
        asked = f"the sink {sink} recorded nothing" if sink else "the graph names no `check: sink`"
        raise FailureError(
            f"{run.path}: outputs cannot be compared: {asked}; "
            f"recorded files: {listing(str(p.name) for p in outputs.values())}"
        )
    return read_frames(outputs[sink])


def _record_only(run: RunFolder) -> Comparison:
    """A lone run is equal to nothing; but what its graph's check asks for must be recorded."""
    text = "nothing to compare with: name another run, or --expected FILE"
    if run.sink is None:
        return Comparison(None, text, 0)
    try:
        return Comparison(None, text, len(_sink_frames(run)))
    except FailureError as error:
        return Comparison(False, str(error), 0)


def _compare(run: RunFolder, reference: RunFolder, expected: Frames | None) -> Comparison:
    """Against the independent frames if there are any, and against the reference variant."""
    if expected is None and not (run.is_comparable or reference.is_comparable):
        return Comparison(None, NOT_COMPARED, 0)
    try:
        found = _sink_frames(run)
        against_run = None if run is reference else _sink_frames(reference)
    except FailureError as error:
        return Comparison(False, str(error), 0)
    verdict = Comparison(True, "this run is the reference", len(found))
    if expected is not None:
        verdict = compare_frames(found, expected, "the independent reference", run.tolerance)
    if not verdict.equal or against_run is None:
        return verdict
    name = f"variant {reference.run['variant']}"
    variant = compare_frames(found, against_run, name, run.tolerance)
    if not variant.equal or expected is None:
        return variant
    return Comparison(True, f"{variant.text} and the independent reference", variant.frames)


def _compare_figures(described: list[Described], reference: Described) -> None:
    """How each median lies to the reference's, and whether a difference is shown at all."""
    base = reference.entry["latency_ns"]
    for one in described:
        latency = one.entry["latency_ns"]
        one.entry["against_reference"] = None
        if latency and base and one is not reference:
            difference = latency["p50"] - base["p50"]
            interval = difference_interval(one.batches, reference.batches, difference)
            one.entry["against_reference"] = {
                "p50_ratio": latency["p50"] / base["p50"] if base["p50"] else None,
                "p50_difference_ns": difference,
                "difference_low_ns": interval[0] if interval else None,
                "difference_high_ns": interval[1] if interval else None,
                "within_noise": (
                    interval[0] <= 0 <= interval[1] if interval else is_within_noise(latency, base)
                ),
            }
