# SPDX-License-Identifier: Apache-2.0
"""What containers counted, over all their lives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ligament.report.counters import read_counters


def ready() -> dict[str, Any]:
    return {"container": "main", "event": "ready", "pid": 1}


def status(lost: int, peak: int, allocs: int | None = None) -> dict[str, Any]:
    node: dict[str, Any] = {"id": "/a", "cpu_ns": 10, "subscriptions": [{"lost": lost}]}
    if allocs is not None:
        node["heap_allocs"] = allocs
    return {"container": "main", "event": "status", "peak_rss_bytes": peak, "nodes": [node]}


def write(path: Path, *lines: dict[str, Any]) -> Path:
    path.write_text("\n".join(json.dumps(line) for line in lines))
    return path


def test_the_last_line_of_a_life_holds_its_counts(tmp_path: Path) -> None:
    path = write(tmp_path / "s", ready(), status(1, 100), status(4, 120))
    counters = read_counters(path)
    assert (counters.total("lost"), counters.peak_memory_bytes) == (4, 120)


def test_counts_before_a_restart_are_kept(tmp_path: Path) -> None:
    lives = (ready(), status(5, 200, 3), ready(), status(9, 100, 4))
    counters = read_counters(write(tmp_path / "s", *lives))
    assert (counters.total("lost"), counters.total("cpu_ns")) == (14, 20)
    assert counters.total("heap_allocs") == 7
    # Not both at once: the second life begins after the first.
    assert counters.peak_memory_bytes == 200


def test_a_life_that_told_nothing_counts_nothing(tmp_path: Path) -> None:
    counters = read_counters(write(tmp_path / "s", ready(), ready(), status(2, 50)))
    assert (counters.total("lost"), counters.peak_memory_bytes) == (2, 50)


def test_what_quality_of_service_counts_is_added_up(tmp_path: Path) -> None:
    line = status(0, 1)
    line["nodes"][0]["subscriptions"] = [{"expired": 2, "deadline_missed": 3}]
    line["nodes"][0]["publishers"] = [{"waits": 4, "overrun": 5, "deadline_missed": 6}]
    counters = read_counters(write(tmp_path / "s", ready(), line, ready(), line))
    told = {name: counters.total(name) for name in ("expired", "waits", "overrun")}
    assert told == {"expired": 4, "waits": 8, "overrun": 10}
    assert counters.total("deadline_missed") == 18


def test_what_the_host_copies_for_a_device_is_a_copy_beside_the_transfer(tmp_path: Path) -> None:
    line = status(0, 1)
    line["nodes"][0]["kernels"] = {"copies": 2, "bytes_copied": 20, "staged": 1, "bytes_staged": 8}
    counters = read_counters(write(tmp_path / "s", ready(), line))
    assert (counters.total("copies"), counters.total("bytes_copied")) == (3, 28)
