# SPDX-License-Identifier: Apache-2.0
"""`ligament bench hmt`: benchmarks/hmt/README.md says what is measured and how."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ligament.bench.hmt import area, chain, driving, memory, network, rows, timing
from ligament.bench.hmt.goals import FIGURES
from ligament.bench.hmt.options import PUBLISHED_WIDTHS, Options, Plan, plan_of
from ligament.bench.hmt.table import print_result
from ligament.bench.measuring import Measured, Row

__all__ = ["FIGURES", "Options", "measure", "print_result"]


def measure(quick: bool, options: Options) -> Measured:
    """Every network of the plan simulated, and what is asked for synthesised."""
    plan = plan_of(quick, options)
    measured = Measured([])
    if not options.no_cycles:
        _add_cycles(measured, plan, quick)
    if options.area:
        _add_areas(measured)
    return measured


def _add_cycles(measured: Measured, plan: Plan, quick: bool) -> None:
    measured.versions.update(network.versions())
    measured.notes += [*rows.NOTES, *memory.NOTES]
    for shape in plan.shapes:
        program = network.build(shape)
        for size in plan.sizes:
            measured.rows += rows.transfers(shape, size, plan, program)
    for width in sorted({shape.width for shape in plan.shapes}):
        measured.rows += memory.measure(width, plan)
    if not plan.published:
        for width in sorted({shape.width for shape in plan.shapes} & set(PUBLISHED_WIDTHS)):
            measured.rows += chain.measure(width, quick)
    measured.rows += rows.simulation_speed(plan)


def _add_areas(measured: Measured) -> None:
    """What was simulated, or synthesised, is kept where something cannot be."""
    measured.versions.update(area.versions())
    measured.notes += [*area.NOTES, *timing.NOTES]
    wanted: list[tuple[str, Callable[[], list[Row]]]] = [
        ("area of the driving graph", driving.measure),
        *((f"area of {n.name}", partial(area.measure, n)) for n in area.NETWORKS),
        *((f"placed {d.name}", partial(timing.place, d)) for d in timing.PLACED),
        *((f"cells of a {d.name}", partial(timing.add_up, d)) for d in timing.BY_CELLS),
    ]
    for what, take in wanted:
        with measured.attempt(what):
            measured.rows += take()
