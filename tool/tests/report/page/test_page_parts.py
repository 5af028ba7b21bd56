# SPDX-License-Identifier: Apache-2.0
"""What the page's parts decide: which rows are shown, which message a take was, who drops."""

from __future__ import annotations

from typing import Any

import pytest

from ligament.report.page.device_tracks import DeviceSlice, device_slices
from ligament.report.page.rows import summary_rows
from ligament.report.page.stamps import CLOCK_ERROR_NS, NONE, Stamps


def shown(*variants: dict[str, Any]) -> list[str]:
    return [heading for heading, _, _ in summary_rows({"variants": list(variants)})]


def test_a_row_is_shown_where_a_variant_knows_it() -> None:
    assert shown({"frames": 3, "drops": 0}) == ["Frames", "Drops"]
    assert shown({"frames": 3}, {"copies": 1}) == ["Frames", "Copies"]
    assert shown({}) == []


@pytest.mark.parametrize("key", ["expired", "publisher_waits", "overrun", "loans_failed"])
def test_a_rare_row_is_shown_where_it_counts_something(key: str) -> None:
    assert shown({key: 0}, {key: 0}) == []
    assert len(shown({key: 0}, {key: 2})) == 1


def test_the_time_base_is_shown_where_it_is_not_the_host_s() -> None:
    assert shown({"time_base": "host"}, {"time_base": None}) == []
    assert shown({"time_base": "host"}, {"time_base": "modelled"}) == ["Time base"]


def test_shares_follow_message_passing_in_their_order_and_unknown_ones_come_last() -> None:
    report = {"variants": [{"message_passing_p50": 0.1, "shares": {"zeal": 1}},
                           {"shares": {"zeal": 1, "wait": 1, "serialise": 1}}]}  # fmt: skip
    rows = summary_rows(report)
    assert rows[0][1] == ["variants/0/message_passing_p50", "variants/1/message_passing_p50"]
    headings = [heading for heading, _, _ in rows[1:]]
    assert headings[-1] == "Share of zeal" and set(headings[:-1]) == {
        "Share of wait", "Share of serialise",
    }  # fmt: skip
    assert rows[-1][1] == ["variants/0/shares/zeal", "variants/1/shares/zeal"]


OFFSET = 10_000_000


def stamps_of(*sends: tuple[str, int, int, int | None, int]) -> Stamps:
    """Publishers 1 and 2 of /t, 3 of /u; subscriptions 11 of /t, 13 of /u."""
    stamps = Stamps({1: "/t", 2: "/t", 3: "/u", 11: "/t", 13: "/u"}, OFFSET)
    stamps.learn(sends)
    return stamps


def calls(publisher: int, *times: tuple[int, int]) -> list[tuple[str, int, int, int | None, int]]:
    found: list[tuple[str, int, int, int | None, int]] = []
    for seq, (begin, end) in enumerate(times, 1):
        found += [("send", publisher, seq, None, begin), ("send_end", publisher, seq, None, end)]
    return found


def test_a_stamp_that_was_told_is_found_on_its_topic_alone() -> None:
    stamps = stamps_of(("send", 1, 5, 700, 0), ("send", 3, 6, 700, 0), ("send", 1, 7, 900, 0))
    assert stamps.taken(11, 700) == (1, 5)
    assert stamps.taken(13, 700) == (3, 6)
    assert stamps.taken(11, 900) == (1, 7)
    assert (
        stamps.taken(11, 800) == stamps.taken(11, None) == stamps.taken(99, 700) == NONE == (0, 0)
    )


def test_a_stamp_of_two_publications_is_nobody_s() -> None:
    stamps = stamps_of(("send", 1, 5, 700, 0), ("send", 2, 6, 700, 0))
    assert stamps.taken(11, 700) == NONE


def test_a_stamp_lies_within_its_call_to_within_the_clock_s_error() -> None:
    stamps = stamps_of(*calls(1, (10_000, 12_000), (50_000, 53_000)))
    low, high = OFFSET + 50_000 - CLOCK_ERROR_NS, OFFSET + 53_000 + CLOCK_ERROR_NS
    assert stamps.taken(11, low) == stamps.taken(11, high) == (1, 2)
    assert stamps.taken(11, low - 1) == stamps.taken(11, high + 1) == NONE
    assert stamps.taken(11, OFFSET + 11_000) == (1, 1)


def test_a_stamp_within_the_calls_of_two_publishers_is_nobody_s() -> None:
    stamps = stamps_of(*calls(1, (10_000, 40_000)), *calls(2, (30_000, 60_000)))
    assert stamps.taken(11, OFFSET + 20_000) == (1, 1)
    assert stamps.taken(11, OFFSET + 35_000) == NONE
    assert stamps.taken(11, OFFSET + 55_000) == (2, 1)


def test_a_call_without_its_begin_is_none() -> None:
    stamps = stamps_of(("send_end", 1, 1, None, 12_000))
    assert stamps.taken(11, OFFSET + 12_000) == NONE


def test_a_device_has_a_track_for_kernels_and_one_for_copies() -> None:
    rows = [
        ("h", "gpu0", "/n", "blur", "compute", "device", 10, 20, 1500, 4),
        ("h", "gpu0", "/n", "in", "copy", "device", 5, 9, None, None),
        ("h", "fpga0", "/c", "core", "compute", "modelled", 1, 2, 0, 1),
    ]
    tracks = [("mcu0", "task", "main", 3, 4, 2500)]
    asked: list[str] = []

    def run(query: str) -> list[tuple[Any, ...]]:
        asked.append(query)
        return rows if len(asked) == 1 else tracks

    clock = "by the device's clock, right to within"
    assert device_slices(run, 7, 8, 9) == [
        DeviceSlice("gpu0: /n", 10, 20, "blur", "compute", 4, f"{clock} 1.5 µs"),
        DeviceSlice("gpu0: /n copies", 5, 9, "in", "copy", 0, f"{clock} 0.0 µs"),
        DeviceSlice("fpga0: /c (modelled)", 1, 2, "core", "compute", 1,
                    "modelled: cycles at the stated clock"),
        DeviceSlice("mcu0: task main", 3, 4, "main", "device", 0, f"{clock} 2.5 µs"),
    ]  # fmt: skip
    assert "BETWEEN 7 AND 8" in asked[0] and "LIMIT 9" in asked[0]
