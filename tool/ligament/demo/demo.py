# SPDX-License-Identifier: Apache-2.0
"""The demo from the graph to its report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ligament.artefacts import graph_folder, write_json
from ligament.demo.ending import judged
from ligament.demo.figures import (
    PUBLISHED,
    filters_entry,
    hardware_entry,
    kernel_entries,
    paced_entry,
    unpinned_entry,
)
from ligament.demo.reference import Reference, first_frames, run_reference
from ligament.demo.runs import (
    FASTER_FRAMES,
    FILTERS_FRAMES,
    SINK,
    UNPINNED_FRAMES,
    DemoOptions,
    DemoRuns,
    Say,
    build_variants,
    in_hardware,
    in_software,
    on_devices,
    run_fast,
    run_faster,
    run_paced,
    run_unpinned,
    soonest,
)
from ligament.graph import load_graph
from ligament.report.options import WARM_UP_FRAMES, ReportOptions
from ligament.report.page.make import make_page
from ligament.report.stage import make_report
from ligament.report.variant import open_run

Early = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class Demonstrated:
    """The report, and where it and its page lie."""

    report: dict[str, Any]
    path: Path
    page: Path

    @property
    def equal(self) -> bool:
        """Whether every output was equal to the reference's."""
        return all(entry["equal"] for entry in judged(self.report))


def demonstrate(options: DemoOptions, say: Say, early: Early | None = None) -> Demonstrated:
    """Run everything; writes report.json and report.html of the graph.

    Variants without a simulated FPGA come first: their designs take longest to build. `early` is
    called with the report of these as soon as it is there.
    """
    graph = load_graph(options.graph)
    folder = graph_folder(graph.name, options.out)
    simulated = in_hardware(graph.variants, options)
    builds = build_variants(options, say, in_software(graph))
    runs = DemoRuns(fast=run_fast(builds, options, say))
    report, reference = _compared(options, folder, runs, say)
    if early is not None:
        early(report)
    _others(report, runs, (options, builds, simulated, reference), say)
    path = folder / "report.json"
    write_json(path, report)
    page = make_page(report, path.with_suffix(".html"))
    return Demonstrated(report, path, page)


def first_frames_of(options: DemoOptions, say: Say) -> dict[str, Any]:
    """Run the variants that can be built soonest; returns their report."""
    graph = load_graph(options.graph)
    names = soonest(graph)
    builds = build_variants(options, say, names)
    runs = DemoRuns(fast=run_fast(builds, options, say))
    return _compared(options, graph_folder(graph.name, options.out), runs, say)[0]


def _compared(
    options: DemoOptions, folder: Path, runs: DemoRuns, say: Say
) -> tuple[dict[str, Any], Reference]:
    """The report of the fast runs, beside the reference program on the same frames."""
    recorded = open_run(next(iter(runs.fast.values()))).outputs()[SINK]
    reference = run_reference(options, folder / "reference", recorded, say)
    say("reading the traces")
    report = make_report([*runs.fast.values()], ReportOptions(expected=reference.frames))
    report["kernels"] = {
        "bare": reference.kernels,
        "variants": kernel_entries(report["variants"], reference.kernels),
    }
    report["picture"] = str(reference.picture)
    return report, reference


def _others(
    report: dict[str, Any],
    runs: DemoRuns,
    made: tuple[DemoOptions, dict[str, Path], list[str], Reference],
    say: Say,
) -> None:
    """Add simulated hardware, the paced runs and the other graph's kernels to the report."""
    options, builds, simulated, reference = made
    if designs := build_variants(options, say, simulated):
        usual = run_fast(designs, options, say)
        runs.faster = run_faster([n for n in designs if n in PUBLISHED], options, say)
        entries = _hardware([*usual.values()], runs, options, reference)
        report["hardware"] = {"variants": entries}
    run_unpinned(builds, options, say, runs)
    report["unpinned"] = _unpinned(report, options, runs, reference)
    if options.paced_frames > 0:
        run_paced(builds, options, say, runs)
        report["paced"] = _paced(options, runs, reference)
    if options.filters:
        report["filters"] = {"variants": _filters(options.filters, options, say)}


def _hardware(
    usual: list[Path], runs: DemoRuns, options: DemoOptions, reference: Reference
) -> list[dict[str, Any]]:
    """The variants at the usual clock, then those of the published comparison at its clock."""
    entries = []
    count = options.hardware_frames
    for frames, folders in ((count, usual), (min(count, FASTER_FRAMES), [*runs.faster.values()])):
        if not folders:
            continue
        expected = first_frames(reference.frames, frames + WARM_UP_FRAMES)
        made = make_report(folders, ReportOptions(expected=expected))
        entries += [hardware_entry(variant) for variant in made["variants"]]
    return entries


def _filters(graph: Path, options: DemoOptions, say: Say) -> list[dict[str, Any]]:
    """The variants with kernels on a device of a graph with more of them, each frame compared with
    bare OpenCV's."""
    say("all kernels for GPUs in one chain: rectify, resize, blur, convert to grey")
    own = replace(options, graph=graph, frames=min(options.frames, FILTERS_FRAMES))
    runs = run_fast(build_variants(own, say, on_devices(load_graph(graph))), own, say)
    recorded = open_run(next(iter(runs.values()))).outputs()[SINK]
    folder = graph_folder(load_graph(graph).name, options.out)
    reference = run_reference(own, folder / "reference", recorded, say)
    made = make_report([*runs.values()], ReportOptions(expected=reference.frames))
    return [filters_entry(variant) for variant in made["variants"]]


def _unpinned(
    report: dict[str, Any], options: DemoOptions, runs: DemoRuns, reference: Reference
) -> dict[str, Any]:
    """The runs on any core, each beside that on one."""
    if not runs.unpinned:
        return {"wakes": runs.wakes, "variants": []}
    frames = min(options.frames, UNPINNED_FRAMES) + WARM_UP_FRAMES
    expected = first_frames(reference.frames, frames)
    made = make_report([*runs.unpinned.values()], ReportOptions(expected=expected))
    pinned = {variant["name"]: variant for variant in report["variants"]}
    entries = [unpinned_entry(v, pinned[v["name"]], runs.wakes) for v in made["variants"]]
    return {"wakes": runs.wakes, "variants": entries}


def _paced(options: DemoOptions, runs: DemoRuns, reference: Reference) -> dict[str, Any]:
    expected = first_frames(reference.frames, options.paced_frames + WARM_UP_FRAMES)
    made = make_report(list(runs.paced.values()), ReportOptions(expected=expected))
    floors = list(runs.floors.values())
    return {
        "rate_hz": options.rate_hz,
        "variants": [
            paced_entry(variant, floor)
            for variant, floor in zip(made["variants"], floors, strict=True)
        ],
    }
