# SPDX-License-Identifier: Apache-2.0
"""`ligament bench dds`: what it asks, the rows it makes, and one real run of each."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys

import jsonschema
import pytest

from ligament import resources
from ligament.bench import dds
from ligament.bench.dds.cells import CABLE, ONE_WAY, SETTINGS, SIZES, Cell, cells
from ligament.bench.dds.endpoints import endpoint_rows
from ligament.bench.dds.runs import INSIDE, OURS, PEER, Figures
from ligament.bench.framework import SCHEMA

SMALL = Cell(ONE_WAY, 64, messages=20)


def figures(latency: float, **more: object) -> Figures:
    return dataclasses.replace(Figures([[latency, latency + 2.0]], [5.0, 7.0]), **more)  # type: ignore[arg-type]


def test_all_sizes_are_asked_in_both_settings_and_images_at_ten_hertz() -> None:
    asked = cells(quick=False)
    one_way = {(c.bytes, c.settings) for c in asked if c.metric == ONE_WAY and c.subscribers == 1}
    assert {(size, name) for size in SIZES for name in ("default", "tuned")} <= one_way
    images = {c.settings for c in asked if c.pacing_us == 100_000 and c.bytes == 10 << 20}
    assert images == {"default", CABLE}
    assert CABLE not in {c.settings for c in cells(quick=False, has_cable=False)}
    assert {c.subscribers for c in asked} == {1, 2, 4}
    assert len(cells(quick=True)) < len(asked)


def test_settings_differ_and_keep_to_one_interface() -> None:
    assert SETTINGS["default"] != SETTINGS["tuned"]
    assert all("address='127.0.0.1'" in SETTINGS[name] for name in ("default", "tuned"))
    assert f"name='{CABLE}'" in SETTINGS[CABLE]


def test_rows_and_comparisons_are_of_the_benches_form() -> None:
    of = {
        OURS: [figures(30.0, lost=2, wire_bytes=90.0), figures(40.0, lost=1, wire_bytes=91.0)],
        INSIDE: [figures(11.0), figures(21.0)],
        PEER: [figures(10.0), figures(20.0)],
    }
    rows, comparisons = dds._rows(SMALL, of), dds._comparisons(SMALL, of)
    context = {"machine": {}, "commit": None, "command": [], "versions": {}}
    result = {"schema": SCHEMA, "context": context, "rows": rows, "comparisons": comparisons}
    schema = json.loads((resources.spec_dir() / "report" / "bench.schema.json").read_text())
    jsonschema.validate(json.loads(json.dumps(result)), schema)
    latency = {r["peer"]: r for r in rows if r["metric"] == ONE_WAY}
    assert (latency[OURS]["lost"], latency[OURS]["n"]) == (3, 4)
    assert {r["peer"] for r in rows if r["metric"] == "wire_bytes_per_message"} == {OURS}
    ratios = {c["contestant"]: c for c in comparisons if c["kind"] == "ratio"}
    assert [ratios[OURS][key] for key in ("passes", "low", "high")] == [2, 41 / 21, 31 / 11]
    assert [ratios[INSIDE][key] for key in ("low", "high")] == [22 / 21, 12 / 11]


def run_apart(contestant: str, cell: str) -> list[str]:
    """Messages heard and lost, and bytes on the wire, of one run in a process of its own.

    That one may leave this one's network.
    """
    if not (resources.prefix() / "lib" / "ligament" / "ligament-bench-dds").is_file():
        pytest.skip("ligament-bench-dds is not installed")
    code = (
        "from ligament.bench.dds.runs import *; from ligament.bench.dds.cells import *\n"
        "note = own_network()\n"
        f"f = run_once({contestant!r}, {cell}, not note)\n"
        "print(sum(map(len, f.latencies)), f.lost, f.wire_bytes)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=150, check=False
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.split()


@pytest.mark.parametrize("contestant", [OURS, INSIDE, PEER])
def test_all_are_measured(contestant: str) -> None:
    heard, lost, wire = run_apart(contestant, f"Cell({ONE_WAY!r}, 64, messages=20)")
    assert int(heard) + int(lost) >= 20
    assert int(heard) > 0
    if os.geteuid() == 0 and wire != "None":
        assert float(wire) > 64


def test_several_subscribers_of_one_host_are_sent_one_copy() -> None:
    cell = f"Cell({ONE_WAY!r}, 4096, messages=200, subscribers=4, pacing_us=2000)"
    heard, lost, wire = run_apart(OURS, cell)
    if wire == "None":
        pytest.skip("this machine makes no network namespaces: bytes cannot be counted")
    assert int(heard) + int(lost) >= 4 * 200
    assert int(heard) > 0
    assert 4096 < float(wire) < 2 * 4096


def test_edge_with_endpoints_is_measured() -> None:
    if not (resources.prefix() / "lib" / "ligament" / "ligament-bench-edge-endpoints").is_file():
        pytest.skip("ligament-bench-edge-endpoints is not installed")
    rows = {row["metric"]: row for row in endpoint_rows(runs=1, idle_s=1)}
    assert set(rows) == {"edge_start", "edge_memory", "edge_idle_cpu"}
    assert rows["edge_memory"]["p50"] > 1 << 20
    assert 0 <= rows["edge_idle_cpu"]["p50"] < 1
