# SPDX-License-Identifier: Apache-2.0
"""What a report says of times between hosts."""

from __future__ import annotations

from typing import Any

from ligament.report.host_clocks import clock_remarks
from ligament.report.terminal import duration


def clock(host: str, **other: Any) -> dict[str, Any]:
    found = {"host": host, "model": "line", "offset_ns": -36_000, "bound_ns": 20_000,
             "drift_ppm": 0.25, "questions": 8, "messages_in": 5, "messages_out": 6}  # fmt: skip
    return {**found, **other}


def hop(**bound: Any) -> dict[str, Any]:
    between = {"transport": 90_000.0, "queue_wait": 10_000.0}
    return {"from": "/a", "to": "/b", "topic": "/t", "between_ns": between, **bound}


def said(clocks: list[dict[str, Any]], *hops: dict[str, Any]) -> list[str]:
    return clock_remarks({"host_clocks": clocks, "hops": list(hops)}, duration)


def test_one_host_has_nothing_to_say() -> None:
    assert clock_remarks({"hops": [hop()]}, duration) == []


def test_clocks_and_what_they_rest_on_are_told() -> None:
    (line,) = said([clock("robot"), clock("desk")], hop())
    assert line == (
        "the clock of desk was put on robot's by 8 questions and 11 messages: -0.000036 s, "
        "drift 0.25 ppm, right to within 20 us"
    )
    assert "slewed meanwhile" in said([clock("robot"), clock("desk", drift_ppm=None)])[0]


def test_bound_that_is_too_wide_for_a_hop_says_so() -> None:
    clocks = [clock("robot")]
    assert said(clocks, hop(clock_bound_ns=99_999)) == [
        "/a -> /b (/t) is between hosts: its times are right to within 100 us"
    ]
    (wide,) = said(clocks, hop(clock_bound_ns=100_000))
    assert wide.endswith("may be wrong by 100 us, which is more: the hosts' clocks cannot tell it")


def test_clock_that_is_not_known_is_said_to_be() -> None:
    unknown = clock("desk", model="none", offset_ns=None, bound_ns=None, drift_ppm=None)
    first, second = said([clock("robot"), unknown], hop(clock_bound_ns=None))
    assert "could not be put on robot's" in first
    assert second.endswith("how their clocks lie is not known")
