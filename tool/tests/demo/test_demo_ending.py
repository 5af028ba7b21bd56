# SPDX-License-Identifier: Apache-2.0
"""The demo ends in few, narrow lines that say the truth."""

from __future__ import annotations

from typing import Any

import pytest

from ligament.demo.ending import MOST_COLUMNS, MOST_LINES, beginning, ending

NAMES = ("processes", "one_process", "fused", "dds", "gpu")
CORES = ("fpga_offloaded", "fpga_streamed", "fpga_fused")


def entry(name: str, p50: float, **more: Any) -> dict[str, Any]:
    return {
        "name": name, "frames": 600, "equal": True, "equality": {"text": "all 600 frames equal"},
        "latency_ns": {"p50": p50, "p50_low": 0.99 * p50, "p50_high": 1.01 * p50},
        "message_passing": 0.04, "time_base": "host", **more,
    }  # fmt: skip


def report(names: tuple[str, ...] = NAMES) -> dict[str, Any]:
    hardware = [
        entry(name, 3e6, frames=40, time_base="modelled", clock_hz=clock)
        for clock in (100e6, 250e6)
        for name in CORES
    ]
    return {
        "graph": "perception",
        "variants": [entry(name, 1e6 * (1 + k)) for k, name in enumerate(names)],
        "hardware": {"variants": hardware},
        "unpinned": {
            "wakes": {"pinned": {"p50": 2000.0}, "unpinned": {"p50": 9500.0}},
            "variants": [entry(name, 1.3e6, message_passing=0.062) for name in names[:3]],
        },
        "paced": {"variants": [entry(name, 1e6) for name in names]},
        "picture": "build/perception/picture.png", "page": "build/perception/report.html",
        "path": "build/perception/report.json",
    }  # fmt: skip


@pytest.mark.parametrize("names", [NAMES, NAMES[:1], tuple(f"{k}" * 60 for k in range(9)), ()])
def test_the_ending_is_short_and_narrow(names: tuple[str, ...]) -> None:
    lines = ending(report(names), 61.4)
    assert len(lines) <= MOST_LINES == 20
    assert max(map(len, lines)) <= MOST_COLUMNS == 100


def test_it_says_what_was_computed_and_where_the_time_went() -> None:
    lines = ending(report(), 61.4)
    text = "\n".join(lines)
    # 5 variants at full speed and paced, 3 on any core, 3 in hardware at two clocks.
    assert lines[0] == f"perception: {13 * 600 + 6 * 40} frames through 8 variants, 19 runs."
    assert lines[1] == "All outputs equal those of the reference program, frame by frame."
    (row,) = [line for line in lines if line.startswith("fused ")]
    words = ["fused", "3", "ms", "4.00", "%", "x", "3.00", "(2.96", "..", "3.04)", "measured"]
    assert row.split() == words
    assert "fpga_offloaded at 100 MHz" in text and text.count(" cycles") == 2
    assert "and 4 more: --tables" in text
    assert (
        "Pinned to one core; on any core processes takes 1.3 ms, 6.20 % of it message passing."
        in lines
    )
    assert "Page:    build/perception/report.html" in lines
    assert lines[-1].endswith("took 61 s")


def test_what_differs_is_said_first_and_with_its_frame() -> None:
    made = report()
    made["paced"]["variants"][2] |= {"equal": False, "equality": {"text": "frame 7 differs"}}
    assert ending(made, 1.0)[1] == "NOT EQUAL: fused: frame 7 differs"
    made["variants"][1] |= {"equal": False, "equality": {"text": "frame 9 differs"}}
    assert ending(made, 1.0)[1].startswith("NOT EQUAL (2 of 19 runs differ): one_process: frame 9")


def test_what_lies_within_the_interval_is_no_difference() -> None:
    made = report()
    made["variants"][1]["latency_ns"] = {"p50": 1.01e6, "p50_low": 1.0e6, "p50_high": 1.02e6}
    (row,) = [line for line in ending(made, 1.0) if line.startswith("one_process ")]
    assert row.split()[5:] == ["no", "difference", "shown", "measured"]
    made["variants"][1]["latency_ns"] = {"p50": 1.03e6, "p50_low": 1.02e6, "p50_high": 1.04e6}
    (row,) = [line for line in ending(made, 1.0) if line.startswith("one_process ")]
    assert row.split()[5:] == ["x", "1.030", "(1.016", "..", "1.044)", "measured"]


def test_a_variant_without_a_chain_has_no_figures() -> None:
    made = report(("processes",))
    made["variants"][0] |= {"latency_ns": None, "message_passing": None}
    (row,) = [line for line in ending(made, 1.0) if line.startswith("processes")]
    assert row.split() == ["processes", "-", "-", "-", "measured"]


def test_the_first_table_is_there_before_the_hardware() -> None:
    made = {key: value for key, value in report().items() if key in ("graph", "variants")}
    lines = beginning(made | {"picture": "build/perception/picture.png"})
    assert lines[0].startswith("All outputs equal") and lines[-1].endswith("picture.png")
    assert [line.split()[0] for line in lines[2:-1]] == list(NAMES)
