# SPDX-License-Identifier: Apache-2.0
"""run.json: written when the run starts, and again when it has ended."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ligament.artefacts import write_json
from ligament.graph.names import name_hash
from ligament.run.clocks import ClockSample, clock_record, sample_offset
from ligament.run.context import describe_context, describe_host
from ligament.run.outcome import ProcessRecord, RunResult
from ligament.run.plan import RunPlan
from ligament.run.process import ContainerSpec

RUN = "run.json"
ROOM_BYTES = 256 * 1024
"""Kept during the run: a disk that it fills up still has room for how it ended."""


class RunRecord:
    """Keeps what run.json says from the start to the end of a run."""

    def __init__(self, plan: RunPlan) -> None:
        self.path = plan.folder / RUN
        self._room = plan.folder / ".room"
        self._plan = plan
        self._start: ClockSample = sample_offset()
        self._data: dict[str, Any] = {
            "schema": "ligament/run/1",
            "graph": plan.build["graph"],
            "variant": plan.build["variant"],
            "run_id": plan.run_id,
            "domain": plan.domain,
            "state": "running",
            "reason": "",
            "failed_container": None,
            "shutdown": None,
            "hosts": [describe_host(plan.share.host)],
            "nodes": {n: _node(n, s.name, plan) for s in plan.specs for n in s.nodes},
            "elsewhere": dict(plan.share.elsewhere),
            "executables": {s.name: _executable(s) for s in plan.specs if s.external},
            "processes": [],
            "restarts": {},
            "stuck": [],
            "errors": [],
            "losses": [],
            "moves": [],
            "clocks": clock_record(self._start, self._start),
            "trace": None,
            "energy": None,
            "outputs": [],
            "context": {
                **describe_context(Path(plan.build["source"]).parent, plan.build["versions"]),
                "container_cores": plan.cores,
            },
        }

    def started(self, trace: Mapping[str, Any] | None) -> None:
        """Write what is known before the first container runs, and keep room for the end."""
        with contextlib.suppress(OSError), self._room.open("wb") as room:
            os.posix_fallocate(room.fileno(), 0, ROOM_BYTES)
        self._data["trace"] = trace
        write_json(self.path, self._data)

    def ended(
        self, result: RunResult, trace: Mapping[str, Any] | None, energy: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Write the end, and return everything."""
        verdict = result.verdict
        self._data |= {
            "state": verdict.reason,
            "reason": verdict.text,
            "failed_container": verdict.container,
            "shutdown": asdict(result.shutdown),
            "processes": [self._process(p) for p in result.processes],
            "restarts": result.restarts,
            "stuck": sorted(set(result.stuck)),
            "errors": [asdict(error) for error in result.errors],
            "losses": [asdict(loss) for loss in result.losses],
            "moves": [asdict(move) for move in result.moves],
            "clocks": clock_record(self._start, sample_offset()),
            "trace": trace,
            "energy": energy,
            "outputs": self._outputs(),
        }
        self._room.unlink(missing_ok=True)
        write_json(self.path, self._data)
        return self._data

    def _process(self, record: ProcessRecord) -> dict[str, Any]:
        log = os.path.relpath(record.log, self._plan.folder)
        return {**asdict(record), "host": self._plan.share.host, "log": log}

    def _outputs(self) -> list[dict[str, Any]]:
        """Files below outputs/; one that begins with a node's name is that node's."""
        folder = self._plan.folder
        files = sorted(p for p in (folder / "outputs").rglob("*") if p.is_file())
        return [
            {
                "path": str(path.relative_to(folder)),
                "node": recording_node(path.name, self._plan.nodes),
                "size_bytes": path.stat().st_size,
            }
            for path in files
        ]


def recording_node(file: str, nodes: Iterable[str]) -> str | None:
    """The node that a file is named after: `left.sink.jsonl` is that of /left/sink.

    Names of nodes hold no dots, so `/` is written as one.
    """
    for node in sorted(nodes, key=len, reverse=True):
        name = re.escape(node.strip("/").replace("/", "."))
        if re.match(rf"{name}(_\d+)?\.[^.]+$", file):
            return node
    return None


def _executable(spec: ContainerSpec) -> dict[str, Any]:
    """What was started, and on which middleware: None where its own was left to it."""
    return {"command": spec.command, "middleware": spec.environment.get("RMW_IMPLEMENTATION")}


def _node(node: str, container: str, plan: RunPlan) -> dict[str, Any]:
    place = {
        "container": container,
        "host": plan.share.host,
        "hash": f"0x{name_hash(node):016x}",
    }
    emulated = plan.emulated.get(node)
    return place | ({"emulated": emulated} if emulated else {})


def latest_run(runs: Path) -> Path | None:
    """The run.json of the newest run below a variant's `runs` folder."""
    found = sorted(runs.glob(f"*/{RUN}"), key=lambda p: p.stat().st_mtime)
    return found[-1] if found else None
