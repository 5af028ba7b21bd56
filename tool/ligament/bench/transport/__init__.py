# SPDX-License-Identifier: Apache-2.0
"""`ligament bench transport`: benchmarks/transport/README.md says what is measured and how."""

from __future__ import annotations

from ligament.bench.measuring import Measured, say
from ligament.bench.transport import peers
from ligament.bench.transport.goals import FIGURES
from ligament.bench.transport.options import Options, make_plan
from ligament.bench.transport.passes import measure_passes
from ligament.bench.transport.rows import comparisons_of, notes_of_runs, rows_of_runs
from ligament.bench.transport.table import print_result

__all__ = ["FIGURES", "Options", "measure", "print_result"]

NO_PEERS = "no peer took part: this is not a comparison"


def measure(quick: bool, options: Options) -> Measured:
    """All cells, all contestants, alternately."""
    plan = make_plan(quick, options)
    if options.build_peers:
        peers.build(plan.peers)
    contestants, missing = peers.find(plan)
    notes = [*plan.notes, *missing]
    if not any(c.kind == "peer" for c in contestants):
        notes.append(NO_PEERS)
    for note in notes:
        say("transport", f"note: {note}")
    runs, failures = measure_passes(plan, contestants)
    return Measured(
        rows_of_runs(runs),
        comparisons=comparisons_of(runs),
        notes=[*notes, *notes_of_runs(runs)],
        failures=failures,
        versions=peers.versions(contestants),
    )
