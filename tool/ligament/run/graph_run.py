# SPDX-License-Identifier: Apache-2.0
"""One run from build.json to run.json."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ligament.errors import InputError, no_such
from ligament.meter import EnergyMeter
from ligament.run.edge import EdgeOptions, ros_domain
from ligament.run.ending import finished_when
from ligament.run.energy import Metered
from ligament.run.lock import DomainLock
from ligament.run.outcome import Observer, RunResult
from ligament.run.overrides import Overrides
from ligament.run.plan import PlanOptions, RunPlan, make_plan, read_build, with_environment
from ligament.run.record import RunRecord
from ligament.run.supervisor import RunOptions, Supervisor
from ligament.run.tracing import Recording
from ligament.trace.errors import NotKeptError, TraceError


@dataclass(frozen=True)
class RunRequest:
    """What `ligament run` was asked for."""

    build: Path
    trace: str | None = None
    domain: str | None = None
    until: tuple[str, ...] = ()
    log_level: str = "info"
    parameters: Overrides = field(default_factory=dict)
    cores: str | None = None
    edge: EdgeOptions = field(default_factory=EdgeOptions)
    host: str | None = None
    options: RunOptions = field(default_factory=RunOptions)


@dataclass(frozen=True)
class FinishedRun:
    """run.json as it was written, where it lies, and the exit code that the run deserves."""

    path: Path
    data: dict[str, Any]
    exit_code: int


def run_graph(request: RunRequest, observer: Observer) -> FinishedRun:
    """Run a built graph to its end. Raises only for what is wrong before anything was started."""
    build = read_build(request.build)
    name = request.domain or build["graph"]
    with DomainLock(name), _recording(request.trace) as recording:
        options = PlanOptions(
            request.domain or ros_domain(request.edge) or build["graph"],
            request.trace,
            request.log_level,
            request.parameters,
            request.cores,
            request.edge,
            request.host,
        )
        plan = make_plan(request.build, options)
        until = _until(request.until, plan)
        record = RunRecord(plan)
        record.started(recording.start(plan.folder / "trace"))
        plan = with_environment(plan, recording.environment())
        meter = EnergyMeter()
        meter.start()
        watching = Metered(observer, meter)
        result = asyncio.run(_supervise(plan, until, request.options, watching))
        energy = meter.stop()
        try:
            trace = recording.stop()
        except TraceError as error:
            # What the run itself did is worth keeping, whatever became of its recording.
            summary = error.summary if isinstance(error, NotKeptError) else None
            record.ended(result, summary, energy)
            raise
        data = record.ended(result, trace, energy)
    return FinishedRun(record.path, data, result.verdict.exit_code)


async def _supervise(
    plan: RunPlan, until: list[str], options: RunOptions, observer: Observer
) -> RunResult:
    build = plan.build
    is_finished = finished_when(
        until, plan.nodes, build.get("topics", {}), build.get("servers", ())
    )
    status_log = plan.folder / "status.jsonl"
    return await Supervisor(
        plan.specs, options, observer, is_finished, status_log, plan.bring_up
    ).run()


def _until(asked: tuple[str, ...], plan: RunPlan) -> list[str]:
    """The nodes whose end is the graph's: those asked for, else the check's sink, if here."""
    check = plan.build.get("check")
    if not asked:
        return [check["sink"]] if check and check["sink"] in plan.nodes else []
    named = [name if name.startswith("/") else f"/{name}" for name in asked]
    unknown = [name for name in named if name not in plan.nodes]
    if unknown:
        raise InputError(
            no_such(
                "node-unknown",
                f"--until: there is no node '{unknown[0]}' in this variant, or not on this host",
                unknown[0],
                plan.nodes,
                before="one of ",
            )
        )
    return named


@contextmanager
def _recording(provider: str | None) -> Iterator[Recording]:
    """A recording that is ended however the run ends."""
    recording = Recording(provider)
    recording.require()
    try:
        yield recording
    finally:
        recording.stop()
