# SPDX-License-Identifier: Apache-2.0
"""The options of the transport benchmark, and the cells that follow from them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ligament.bench.measuring import in_turn
from ligament.bench.transport import cells, options, peers
from ligament.bench.transport.cells import Cell
from ligament.bench.transport.options import Options, make_plan
from ligament.bench.transport.peers import Contestant
from ligament.bench.values import size_text
from ligament.errors import InputError


def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1})


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"bytes": "64,big"}, r"--bytes 'big'.*\n.*24 to"),
        ({"bytes": "8"}, r"--bytes '8'"),
        ({"subscribers": "0"}, r"--subscribers '0'.*\n.*publish_cost"),
        ({"subscribers": "65"}, r"--subscribers '65'"),
        ({"wait": "slep"}, r"(?s)--wait 'slep'.*did you mean 'sleep'"),
        ({"pacing_us": "-1"}, r"--pacing-us '-1'"),
        ({"metric": "latency"}, r"--metric 'latency'"),
        ({"peers": "iceoryx"}, r"(?s)--peers 'iceoryx'.*did you mean 'iceoryx2'"),
        ({"cores": "0-"}, r"--cores '0-'"),
        ({"cores": "9999"}, r"--cores '9999'.*\n.*may use"),
        ({"passes": -1}, r"--passes '-1'"),
    ],
)
def test_a_mistake_names_the_option_and_what_it_may_be(given: dict[str, str], text: str) -> None:
    with pytest.raises(InputError, match=text) as error:
        make_plan(False, Options(**given))  # type: ignore[arg-type]
    assert error.value.exit_code == 2


def test_all_mistakes_are_named_at_once() -> None:
    with pytest.raises(InputError) as error:
        make_plan(False, Options(bytes="x,y", wait="z"))
    assert len(error.value.problems) == 3


def test_lists_are_crossed(monkeypatch: pytest.MonkeyPatch) -> None:
    two_cores(monkeypatch)
    plan = make_plan(False, Options(bytes="64,4096", subscribers="1,2", wait="sleep"))
    assert [(c.bytes, c.subscribers) for c in plan.cells] == [
        (64, 1), (64, 2), (4096, 1), (4096, 2),
    ]  # fmt: skip
    assert {(c.metric, c.pacing_us) for c in plan.cells} == {(cells.ONE_WAY, 2000)}


def test_what_makes_no_sense_is_not_crossed() -> None:
    found = cells.crossed_cells(cells.METRICS, [64], [1, 2], ["sleep", "poll"], [2000, 0])
    assert {c.subscribers for c in found if c.metric == cells.ROUND_TRIP} == {1}
    assert {c.pacing_us for c in found if c.metric == cells.THROUGHPUT} == {0}
    assert {c.wait for c in found if c.metric == cells.PUBLISH_COST} == {"none", "poll"}
    assert len(found) == len(set(found))


def test_polling_beyond_the_cores_is_skipped_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    two_cores(monkeypatch)
    wanted = Options(wait="poll,sleep", subscribers="1,2")
    plan = make_plan(False, wanted)
    found = {(c.wait, c.subscribers) for c in plan.cells}
    assert found == {("sleep", 1), ("poll", 1), ("sleep", 2)}
    assert len(plan.notes) == 1
    assert "2 subscribers, poll" in plan.notes[0] and "--force-poll" in plan.notes[0]
    forced = make_plan(False, Options(wait="poll", subscribers="2", force_poll=True))
    assert [c.subscribers for c in forced.cells] == [2] and not forced.notes


def test_a_run_of_nothing_but_skipped_cells_is_a_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    two_cores(monkeypatch)
    with pytest.raises(InputError, match="do not fit"):
        make_plan(False, Options(wait="poll", subscribers="2"))


def test_the_default_run_takes_a_quarter_of_an_hour_and_the_quick_one_a_minute() -> None:
    for quick, limit_s in ((False, 900), (True, 60)):
        plan = make_plan(quick, Options())
        everybody = [
            *(Contestant(name, "peer", Path()) for name in options.PEERS),
            Contestant(peers.OURS, "ours", Path()),
            *(
                Contestant(f, "floor", Path())
                for f in ("futex", "broadcast", "line", "lines", "memcpy")
            ),
        ]
        planned = sum(
            cell.seconds * sum(c.takes_part(cell) for c in everybody) for cell in plan.cells
        )
        assert planned * plan.passes <= limit_s
        assert plan.passes == (3 if quick else 10)


def test_every_cell_warms_all_blocks_of_a_writer() -> None:
    for cell in make_plan(False, Options(full=True, force_poll=True)).cells:
        assert cell.messages > 0 and cell.warmup >= 20, cell


def test_the_order_rotates() -> None:
    assert ["".join(in_turn("abc", number)) for number in range(4)] == ["abc", "bca", "cab", "abc"]
    assert in_turn("", 3) == []


def test_64_idle_subscriptions_live_in_few_processes() -> None:
    cell = Cell(cells.PUBLISH_COST, subscribers=64, wait="none", pacing_us=0)
    assert peers.readers_of(cell) == [16, 16, 16, 16]
    assert peers.readers_of(Cell(cells.PUBLISH_COST, subscribers=0, wait="none")) == []
    assert peers.readers_of(Cell(cells.ONE_WAY, subscribers=3)) == [1, 1, 1]


@pytest.mark.parametrize(
    ("cell", "names"),
    [
        (Cell(cells.ONE_WAY), ["futex", "memcpy"]),
        (Cell(cells.ONE_WAY, wait="poll"), ["line", "lines", "memcpy"]),
        (Cell(cells.ONE_WAY, subscribers=8), ["broadcast"]),
        (Cell(cells.ROUND_TRIP), ["futex"]),
        (Cell(cells.THROUGHPUT, pacing_us=0), []),
    ],
)
def test_each_cell_has_its_floors(cell: Cell, names: list[str]) -> None:
    assert peers.floors_of(cell) == names


def test_sizes_are_written_as_people_write_them() -> None:
    assert [size_text(n) for n in cells.BYTES] == ["64 B", "4 kB", "64 kB", "1 MB", "10 MB"]
