# SPDX-License-Identifier: Apache-2.0
"""One run from build.json to run.json."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ligament.errors import InputError, Problem, listing, no_such
from ligament.graph.executable import executables_from_json
from ligament.graph.model import Edge
from ligament.meter import EnergyMeter
from ligament.run.boards import started
from ligament.run.discovery import choose_network
from ligament.run.edge import EdgeOptions, ros_domain
from ligament.run.ending import finished_when, with_executables
from ligament.run.energy import Metered
from ligament.run.executables import edge_options, executables_of, outside_note, outsiders
from ligament.run.hosts import mapping_of
from ligament.run.lock import DomainLock, lock_of
from ligament.run.outcome import Observer, RunResult
from ligament.run.overrides import Overrides
from ligament.run.plan import PlanOptions, RunPlan, make_plan, read_build, with_environment
from ligament.run.record import RunRecord
from ligament.run.supervisor import RunOptions, Supervisor
from ligament.run.tracing import Recording
from ligament.run.wave import Wave, check_wave
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
    wave: Wave | None = None
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
    if request.wave:
        check_wave(request.wave, request.build)
    with _lock(request, build), _recording(request.trace) as recording:
        plan = make_plan(request.build, _options(request, build, observer))
        until = _until(request.until, plan)
        record = RunRecord(plan)
        wave = request.wave.environment() if request.wave else {}
        with started(plan.stand_ins) as boards:  # without them there is no run to tell of
            record.started(recording.start(plan.folder / "trace"))
            plan = with_environment(plan, {**recording.environment(), **wave, **boards})
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


def _lock(request: RunRequest, build: Mapping[str, Any]) -> DomainLock:
    mapping = mapping_of(request.build)
    asked = mapping.edge if mapping is not None else Edge()
    shared = request.edge.shared or bool(executables_of(build, request.host))
    ros = ros_domain(replace(request.edge, shared=shared), asked)
    return lock_of(build["graph"], request.domain, ros)


def _options(request: RunRequest, build: Mapping[str, Any], observer: Observer) -> PlanOptions:
    """What belongs to this run; executables of the graph put it into the ROS domain."""
    mapping = mapping_of(request.build)
    asked = mapping.edge if mapping is not None else Edge()
    executables = executables_of(build, request.host)
    network = choose_network(asked, request.edge.domain_id)
    if executables and request.domain:
        raise InputError(_other_domain(request.domain, executables))
    edge = edge_options(executables, request.edge, network)
    if others := outsiders(executables, os.environ):
        observer.note(outside_note(others, os.environ))
    return PlanOptions(
        request.domain or ros_domain(edge, asked) or build["graph"],
        request.trace,
        request.log_level,
        request.parameters,
        request.cores,
        edge,
        request.host,
        network.domain_id,
    )


def _other_domain(domain: str, executables: Collection[str]) -> Problem:
    return Problem(
        "executables-domain",
        f"--domain {domain}: {listing(executables)} would not find the graph there",
        expected="the ROS domain, which is chosen by --domain-id N or ROS_DOMAIN_ID",
    )


async def _supervise(
    plan: RunPlan, until: list[str], options: RunOptions, observer: Observer
) -> RunResult:
    build = plan.build
    executables = {s.name for s in plan.specs if s.external}
    named = executables_from_json(build.get("executables", {}))
    topics, counted = with_executables(
        build.get("topics", {}), {n: one for n, one in named.items() if n in executables}
    )
    is_finished = finished_when(until, [*plan.nodes, *counted], topics, build.get("servers", ()))
    status_log = plan.folder / "status.jsonl"
    return await Supervisor(
        plan.specs, options, observer, is_finished, status_log, plan.bring_up
    ).run()


def _until(asked: tuple[str, ...], plan: RunPlan) -> list[str]:
    """The nodes whose end is the graph's: those asked for, else the check's sink, if here."""
    check = plan.build.get("check")
    if not asked:
        return [check["sink"]] if check and check["sink"] in plan.nodes else []
    programs = {spec.name for spec in plan.specs if spec.external}
    named = [n if n.startswith("/") or n in programs else f"/{n}" for n in asked]
    unknown = [name for name in named if name not in (*plan.nodes, *programs)]
    if unknown:
        raise InputError(
            no_such(
                "node-unknown",
                f"--until: there is no node '{unknown[0]}' in this variant, or not on this host",
                unknown[0],
                [*plan.nodes, *sorted(programs)],
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
