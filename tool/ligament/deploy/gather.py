# SPDX-License-Identifier: Apache-2.0
"""One run folder of what all hosts left: run.json and status.jsonl over hosts/ (deploy.md)."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ligament.artefacts import read_json_object, write_json
from ligament.deploy.connection import Ping
from ligament.deploy.state import HostState, Outcome
from ligament.disk import writing
from ligament.graph.schema import is_valid
from ligament.report.counters import status_events
from ligament.run.context import describe_context
from ligament.trace.clock_fit import MAX_SLEW

_MOST_SAMPLES = 256
"""Of each clock in run.json: of more, the tightest of each stretch."""
_LISTS = ("stuck", "moves")
_ABSENT: dict[str, Any] = {
    "executables": {},
    "restarts": {},
    **dict.fromkeys((*_LISTS, "errors", "losses", "outputs"), ()),
}
"""What a run.json may leave out."""


def gather(folder: Path, build: Mapping[str, Any], outcome: Outcome) -> dict[str, Any]:
    """Write the run's own files beside hosts/; returns run.json."""
    records = {host: read_json_object(folder / "hosts" / host / "run.json")
               for host in outcome.states}  # fmt: skip
    found = {host: {**_ABSENT, **record} for host, record in records.items()
             if is_valid("run", record)}  # fmt: skip
    for host, state in outcome.states.items():
        if records[host] and host not in found:
            state.lost = state.lost or "its run.json is none of this version"
    # The first is the reference of the clocks: one that left a record, if there is one.
    states = dict(sorted(outcome.states.items(), key=lambda entry: entry[0] not in found))
    data = _run_json(folder, build, replace(outcome, states=states), found)
    _join_status(folder, found)
    write_json(folder / "run.json", data)
    return data


def _run_json(
    folder: Path,
    build: Mapping[str, Any],
    outcome: Outcome,
    found: Mapping[str, Mapping[str, Any]],
) -> dict[str, Any]:
    verdict = outcome.verdict
    failed = [r["failed_container"] for r in found.values() if r.get("failed_container")]
    return {
        "schema": "ligament/run/1",
        "graph": build["graph"],
        "variant": build["variant"],
        "run_id": folder.name,
        "state": verdict.reason,
        "reason": verdict.text,
        "failed_container": failed[0] if failed else None,
        "shutdown": None,
        "hosts": [_host(state, found.get(host)) for host, state in outcome.states.items()],
        "nodes": _named(found, "nodes"),
        "elsewhere": {},
        "executables": _named(found, "executables"),
        "processes": [
            {**process, "container": _container(process["container"], host),
             "log": f"hosts/{host}/{process.get('log', '')}"}
            for host, record in found.items() for process in record["processes"]
        ],
        "restarts": {
            _container(name, host): count
            for host, record in found.items() for name, count in record["restarts"].items()
        },
        **{key: [one for record in found.values() for one in record[key]] for key in _LISTS},
        "errors": [*_lost(outcome.states), *_joined(found, "errors")],
        "losses": _joined(found, "losses"),
        "clocks": _clocks(list(outcome.states), outcome.pings, found),
        "trace": _trace(found),
        "energy": _energy(found),
        "outputs": [
            {**output, "path": f"hosts/{host}/{output['path']}"}
            for host, record in found.items() for output in record["outputs"]
        ],
        "context": {
            **describe_context(Path(build["source"]).parent, build["versions"]),
            "container_cores": None,
        },
    }  # fmt: skip


def _host(state: HostState, record: Mapping[str, Any] | None) -> dict[str, Any]:
    told: dict[str, Any] = {"id": state.host.name, "name": state.host.address}
    if record:
        told = dict(record["hosts"][0])
    told["boot_id"] = state.said_of_itself.get("boot_id", "")
    told["clock_sync"] = state.said_of_itself.get("clock_sync")
    return told


def _container(name: str, host: str) -> str:
    """Each host has an edge; all other names are unique in the graph."""
    return f"{name}@{host}" if name.partition(".")[0] == "edge" else name


def _lost(states: Mapping[str, HostState]) -> list[dict[str, Any]]:
    return [
        {"node": None, "text": f"{state.host.name}: {state.lost}", "container": "edge@" + host,
         "count": 1}
        for host, state in states.items() if state.lost
    ]  # fmt: skip


def _named(found: Mapping[str, Mapping[str, Any]], key: str) -> dict[str, Any]:
    return {name: one for record in found.values() for name, one in record[key].items()}


def _joined(found: Mapping[str, Mapping[str, Any]], key: str) -> list[dict[str, Any]]:
    return [one for record in found.values() for one in record[key]]


def _trace(found: Mapping[str, Mapping[str, Any]]) -> dict[str, Any] | None:
    traces = [record["trace"] for record in found.values() if record.get("trace")]
    if not traces:
        return None
    counts = ("events_discarded", "packets_lost", "recorded_bytes")
    return {
        "dir": "hosts",
        "provider": traces[0]["provider"],
        **{key: sum(trace.get(key, 0) for trace in traces) for key in counts},
        "environment": {},
    }


def _energy(found: Mapping[str, Mapping[str, Any]]) -> dict[str, Any] | None:
    """Their sum, if each host has a meter."""
    each = {host: record["energy"] for host, record in found.items() if record.get("energy")}
    if not each:
        return None
    joules = [one["joules"] for one in each.values()]
    return {
        "joules": None if None in joules else sum(joules),
        "elapsed_ns": max(one["elapsed_ns"] for one in each.values()),
        "meters": [
            {**meter, "name": f"{host}: {meter['name']}"}
            for host, one in each.items() for meter in one["meters"]
        ],
        "text": "; ".join(f"{host}: {one['text']}" for host, one in each.items()),
    }  # fmt: skip


def _clocks(
    hosts: Sequence[str],
    pings: Mapping[str, Sequence[Ping]],
    found: Mapping[str, Mapping[str, Any]],
) -> list[dict[str, Any]]:
    """The first host's clock is the reference; the others by what the deployer was answered."""
    first = hosts[0]
    clocks: list[dict[str, Any]] = [
        {"id": "monotonic", "kind": "CLOCK_MONOTONIC", "reference": True}
    ]
    clocks += [one for one in found.get(first, {}).get("clocks", ()) if one["id"] == "realtime"]
    for host in hosts[1:]:
        samples = samples_of(pings[first], pings[host])
        clocks.append({"id": f"monotonic@{host}", "kind": "CLOCK_MONOTONIC",
                       "reference": False, "samples": samples})  # fmt: skip
    return clocks


def samples_of(reference: Sequence[Ping], other: Sequence[Ping]) -> list[dict[str, int]]:
    """Each answer of the one host with the other's that is nearest in time.

    The deployer's clock is between them: there - ours lies in [there - received, there - sent].
    Between two questions it may have drifted from the reference's.
    """
    if not reference:
        return []
    reference = sorted(reference, key=lambda r: r.sent_ns)
    sent = [r.sent_ns for r in reference]
    samples = []
    for ping in other:
        k = bisect_left(sent, ping.sent_ns)
        near = min(reference[max(0, k - 1) : k + 1], key=lambda r: abs(r.sent_ns - ping.sent_ns))
        apart = max(ping.received_ns, near.received_ns) - min(ping.sent_ns, near.sent_ns)
        # other - reference, each against the deployer's clock
        low = (ping.there_ns - ping.received_ns) - (near.there_ns - near.sent_ns)
        high = (ping.there_ns - ping.sent_ns) - (near.there_ns - near.received_ns)
        offset = (low + high) // 2
        bound = high - offset + int(apart * MAX_SLEW) + 1
        samples.append({"at_ns": ping.there_ns - offset, "offset_ns": offset, "bound_ns": bound})
    step = -(-len(samples) // _MOST_SAMPLES) or 1
    stretches = (samples[k : k + step] for k in range(0, len(samples), step))
    return [min(some, key=lambda sample: sample["bound_ns"]) for some in stretches]


def _join_status(folder: Path, found: Mapping[str, Mapping[str, Any]]) -> None:
    path = folder / "status.jsonl"
    with writing(path), path.open("w", encoding="utf-8") as out:
        for line in _status_lines(folder, found):
            out.write(json.dumps(line) + "\n")


def _status_lines(folder: Path, hosts: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for host in hosts:
        for event in status_events(folder / "hosts" / host / "status.jsonl"):
            yield {**event, "container": _container(str(event.get("container", "")), host)}
