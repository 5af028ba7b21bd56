# SPDX-License-Identifier: Apache-2.0
"""Predictions of the driving graphs' changes beside runs of them, for `ligament bench advise`."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from ligament.advise.check import Checked, Plan, check
from ligament.advise.stage import Asked, advise
from ligament.bench.driving.running import EXAMPLE, domain_id, need_simulator
from ligament.bench.measuring import say
from ligament.errors import FailureError
from ligament.pipeline import Request, built
from ligament.run.display import Quiet
from ligament.run.edge import EdgeOptions
from ligament.run.graph_run import RunRequest, run_graph

GRAPHS = {"lanes": "graph_lanes.yaml", "slam": "graph_slam.yaml"}
BASE = "processes"
SECONDS, QUICK_SECONDS = 12, 4
"""Of simulated time: frames enough for a 99th percentile, to the red light and on."""


def checked_drives(name: str, quick: bool, passes: int, only: Sequence[str]) -> list[Checked]:
    """Run the changes of one driving graph, in a folder of its own."""
    need_simulator()
    graph = EXAMPLE / GRAPHS[name]
    seconds = QUICK_SECONDS if quick else SECONDS
    plan = Plan(passes, {"/simulator": {"seconds": seconds, "animation": 0}})
    with tempfile.TemporaryDirectory() as folder:
        say("advise", f"building and running {BASE} of {graph.name}")
        request = RunRequest(
            built(Request(graph, BASE, out=Path(folder))).build,
            "ligament",
            parameters=plan.parameters,
            log_level="warn",
            edge=EdgeOptions(domain_id=domain_id()),
        )
        first = run_graph(request, Quiet())
        if first.exit_code != 0:
            raise FailureError(f"a drive of {graph.name} failed: {first.data['reason']}")
        asked = Asked(graph, str(graph), [first.path.parent], Path(folder), tuple(only))
        return list(check(asked, advise(asked), plan, lambda text: say("advise", text)))
