# SPDX-License-Identifier: Apache-2.0
"""Cells around cores: what was synthesised is given back, and a line is drawn between."""

from __future__ import annotations

import pytest

from ligament.mapping.model import Queue
from ligament.mapping.network_area import (
    MEMORY_CROSSING,
    PORT,
    READS,
    REGISTER_CROSSING,
    WRITES,
    Masters,
    area_of_converters,
    area_of_counters,
    area_of_crossings,
    area_of_ends,
    area_of_gateway,
    area_of_network,
    area_of_port,
    area_of_queues,
)


@pytest.mark.parametrize("family", sorted(PORT))
def test_a_port_that_was_synthesised_has_its_cells(family: str) -> None:
    for masters, cells in PORT[family].items():
        assert area_of_port(family, masters) == cells


@pytest.mark.parametrize("family", sorted(PORT))
def test_between_and_beyond_two_ports_lies_a_line(family: str) -> None:
    *_, low, high = sorted(PORT[family])
    for name in ("lut", "ff"):
        first, second = PORT[family][low][name], PORT[family][high][name]
        middle = area_of_port(family, (low + high) // 2)[name]
        assert middle == pytest.approx((first + second) / 2, abs=1)
        behind = area_of_port(family, high + (high - low))[name]
        assert behind == pytest.approx(second + (second - first), abs=1)
    four = area_of_port(family, 3)
    assert four["lut"] == pytest.approx(
        (PORT[family][2]["lut"] + PORT[family][4]["lut"]) / 2, abs=1
    )


def test_a_design_without_ends_has_no_port_and_an_unknown_family_no_figures() -> None:
    assert area_of_port("xcup", 0) == {}
    assert area_of_port("other", 1) == area_of_ends("other", 1, 1) == {}
    assert area_of_gateway("ecp5", 64) == area_of_network("other", 64, 1, 1) == {}


def test_a_publisher_writes_and_a_subscription_reads() -> None:
    assert area_of_ends("ecp5", 1, 0) == WRITES["ecp5"][64]
    assert area_of_ends("ecp5", 0, 1) == READS["ecp5"][64]
    assert area_of_ends("xcup", 1, 2)["lut"] == 793 + 2 * 557


def test_wider_ports_have_larger_ends_and_converters_for_narrower_streams() -> None:
    assert area_of_ends("xcup", 0, 1, 128) == READS["xcup"][128]
    # A line beyond the widest that was synthesised.
    assert area_of_ends("xcup", 0, 1, 256)["bram18"] == 8
    assert area_of_ends("ecp5", 0, 1, 128) == READS["ecp5"][64]
    assert area_of_converters("xcup", 1, 2, 128) == {"lut": 293 + 2 * 75, "ff": 292 + 2 * 147}
    assert area_of_converters("xcup", 0, 0, 64) == {"lut": 0, "ff": 0}
    assert area_of_converters("other", 1, 1, 128) == {}


def test_a_network_in_a_design_has_counters() -> None:
    assert area_of_counters("xcup", 2) == {"lut": 110, "ff": 150}
    assert area_of_counters("ecp5", 2) == {"ff": 150}
    assert area_of_counters("other", 2) == {}


@pytest.mark.parametrize("family", sorted(MEMORY_CROSSING))
def test_a_side_without_a_clock_of_its_own_has_no_crossing(family: str) -> None:
    for width, cells in MEMORY_CROSSING[family].items():
        assert area_of_crossings(family, memory_bits=width, registers=False) == cells
        both = area_of_crossings(family, memory_bits=width, registers=True)
        assert both == {n: cells[n] + REGISTER_CROSSING[family][n] for n in cells}
    assert area_of_crossings(family, memory_bits=None, registers=False) == {}
    assert area_of_crossings("other", memory_bits=64, registers=True) == {}


def test_a_gateway_lies_between_the_two_that_were_synthesised() -> None:
    assert area_of_gateway("xcup", 64) == {"ff": 1207, "bram18": 5, "lut": 1277}
    assert area_of_gateway("xcup", 512) == {"ff": 1205, "bram18": 32, "lut": 1937}
    assert area_of_gateway("xcup", 288) == {"ff": 1206, "bram18": 18, "lut": 1607}


def test_a_network_is_the_fit_worked_out_by_hand() -> None:
    # A beat of 64 bits: 64 + 3 for the last lane + 1. A queue of 512 beats: two addresses of 9.
    # ff: 68 + 2 + 2.3 * 2 + 2 * (18 + 4.3); RAM: 2 of 36 bits each, twice.
    # lut: (1.075 + 0.33) * 64 + 2 * (13.3 + 0.146 * 64)
    assert area_of_network("xcup", 64, 3, 2) == {"ff": 119, "bram18": 4, "lut": 135}
    # Six publishers: two beyond the largest that was synthesised.
    # (1.075 + 1.25 + 2 * 1.04) * 64 + 13.3 + 0.146 * 64
    assert area_of_network("xcup", 64, 6, 1)["lut"] == 305
    # Twice as deep: one bit more in each address, twice the memory, 1.3 LUTs, and 55 for its kind.
    deep = area_of_queues("xcup", 64, 1, (Queue("", "", "keep-last", 1024, ""),))
    assert deep == {"ff": 171, "bram18": 4, "lut": 148}
    assert "lut" not in area_of_network("ecp5", 64, 1, 1)


def test_an_entry_and_an_exit_share_a_master() -> None:
    masters = Masters(1, 2, 0) + Masters(0, 1, 4)
    assert (masters, masters.count) == (Masters(1, 3, 4), 5)
    assert Masters() == Masters(0, 0, 0)
