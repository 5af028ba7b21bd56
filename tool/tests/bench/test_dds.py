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
from ligament.bench.dds.cells import ONE_WAY, SETTINGS, SIZES, Cell, cells
from ligament.bench.dds.runs import INSIDE, OURS, PEER, Figures
from ligament.bench.framework import SCHEMA

SMALL = Cell(ONE_WAY, 64, messages=20)


def figures(latency: float, **more: object) -> Figures:
    return dataclasses.replace(Figures([[latency, latency + 2.0]], [5.0, 7.0]), **more)  # type: ignore[arg-type]


def test_all_sizes_are_asked_in_both_settings_and_images_at_ten_hertz() -> None:
    asked = cells(quick=False)
    one_way = {(c.bytes, c.settings) for c in asked if c.metric == ONE_WAY and c.subscribers == 1}
    assert {(size, name) for size in SIZES for name in SETTINGS} <= one_way
    assert any(c.pacing_us == 100_000 and c.bytes == 10 << 20 for c in asked)
    assert {c.subscribers for c in asked} == {1, 2, 4}
    assert len(cells(quick=True)) < len(asked)


def test_settings_differ_and_keep_to_the_loopback_interface() -> None:
    assert SETTINGS["default"] != SETTINGS["tuned"]
    assert all("address='127.0.0.1'" in text for text in SETTINGS.values())


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


@pytest.mark.parametrize("contestant", [OURS, INSIDE, PEER])
def test_all_are_measured(contestant: str) -> None:
    """In a process of its own, which may leave this one's network."""
    if not (resources.prefix() / "lib" / "ligament" / "ligament-bench-dds").is_file():
        pytest.skip("ligament-bench-dds is not installed")
    code = (
        "from ligament.bench.dds.runs import *; from ligament.bench.dds.cells import *\n"
        "note = own_network()\n"
        f"f = run_once({contestant!r}, Cell({ONE_WAY!r}, 64, messages=20), not note)\n"
        "print(len(f.latencies[0]), f.lost, min(f.latencies[0]) > 0, f.wire_bytes)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=150, check=False
    )
    assert result.returncode == 0, result.stderr
    count, lost, positive, wire = result.stdout.split()
    assert int(count) + int(lost) >= 20
    assert positive == "True"
    if os.geteuid() == 0 and wire != "None":
        assert float(wire) > 64
