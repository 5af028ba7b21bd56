# SPDX-License-Identifier: Apache-2.0
"""`ligament bench gateway`: benchmarks/gateway/README.md says what is measured and how."""

from __future__ import annotations

from pathlib import Path

from ligament.artefacts import write_text
from ligament.bench.gateway import design, rows
from ligament.bench.gateway.figure import svg_of
from ligament.bench.gateway.goals import FIGURES
from ligament.bench.gateway.options import Options, plan_of
from ligament.bench.gateway.table import print_result
from ligament.bench.hmt.network import versions
from ligament.bench.measuring import Measured

__all__ = ["FIGURES", "Options", "measure", "print_result"]


def measure(quick: bool, options: Options) -> Measured:
    """Every experiment of the plan, over memory and through a gateway."""
    plan = plan_of(quick, options)
    measured = Measured([], versions=versions())
    for shape in plan.shapes:
        over_memory = design.build(shape, gateway=False)
        through_gateway = design.build(shape, gateway=True)
        for experiment in plan.experiments():
            pair = [
                design.run(program, experiment, design.PUBLISHED.get(rows.peer_of(shape), {}))
                for program in (over_memory, through_gateway)
            ]
            measured.rows += rows.rows_of(shape, experiment, *pair)
    if options.plot:
        write_text(Path(options.plot), svg_of(measured.rows))
    measured.notes = list(rows.NOTES)
    return measured
