# SPDX-License-Identifier: Apache-2.0
"""`ligament bench mcu`: its plan, its rows and verdicts, what it says is missing, a small run."""

from __future__ import annotations

import io
import itertools
import json
import shutil
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from rich.console import Console

from ligament import resources
from ligament.bench import mcu
from ligament.bench.framework import SCHEMA
from ligament.bench.goals import MISSED, REACHED, lines_of
from ligament.bench.mcu import counts, images, links, one_way, ros, rows
from ligament.bench.mcu.density import svg_of
from ligament.bench.mcu.goals import paper_ms
from ligament.bench.mcu.options import PLACES, PUBLISHED, Options, Place, plan_of
from ligament.bench.mcu.table import print_result
from ligament.bench.measuring import Measured, Row, make_row
from ligament.errors import FailureError, InputError

SHM, UART = Place("rpmsg", "shm"), Place("uart", "shm")


def result_of(found: list[Row]) -> dict[str, Any]:
    context: dict[str, Any] = {"machine": {}, "commit": None, "command": [], "versions": {}}
    return {"schema": SCHEMA, "context": context, "rows": found}


def place_of(title: str) -> Place:
    return next(place for place in PLACES if place.title == title)


# --- plan and rows -------------------------------------------------------------------------------


def test_the_papers_sizes_are_quick_and_all_are_asked() -> None:
    assert plan_of(True, Options()).sizes == [16, 32]
    plan = plan_of(False, Options())
    assert (plan.sizes[0], plan.sizes[-1]) == (16, 65536)
    assert plan.sizes_of(UART) == [16, 32, 256]
    assert plan.sizes_of(place_of("rpmsg at dds")) == [16, 32]
    links = {"rpmsg", "spin", "freertos", "r5f", "raw", "udp", "uart"}
    assert {p.link for p in plan.places} == links


def test_the_published_path_is_asked_for_by_itself() -> None:
    assert not set(PUBLISHED) & set(plan_of(False, Options()).places)
    plan = plan_of(False, Options(published=True))
    assert set(PUBLISHED) < set(plan.places)
    assert {tuple(plan.sizes_of(place)) for place in PUBLISHED} == {(16, 32)}


def test_words_choose_links_and_mistakes_are_told() -> None:
    assert plan_of(True, Options(only="rpmsg shm")).places == [SHM]
    with pytest.raises(InputError, match="no line has all of 'can'"):
        plan_of(True, Options(only="can"))
    with pytest.raises(InputError, match="--sizes '70000'"):
        plan_of(True, Options(sizes="16,70000"))


def test_the_papers_sizes_keep_their_values_and_are_told_per_byte() -> None:
    found = rows.rows_of({(SHM, 16): [80_049, 96_000], (SHM, 4096): [100_000]})
    by_metric = {(row["metric"], row["params"]["bytes"]): row for row in found}
    assert by_metric["round_trip", 16]["values"] == [80_000, 96_000]
    assert by_metric["time_per_byte", 16]["mean"] == pytest.approx(88_024.5 / 16)
    assert "values" not in by_metric["round_trip", 4096]
    [udp, _] = rows.rows_of({(place_of("udp at shm"), 16): [80_049]})
    assert "values" not in udp
    assert ("time_per_byte", 4096) not in by_metric
    schema = json.loads((resources.spec_dir() / "report" / "bench.schema.json").read_text())
    jsonschema.validate(result_of(found), schema)


def test_fixed_cost_and_cost_per_byte_are_of_a_line() -> None:
    times = {(UART, size): [9_900_000 + 173_600 * size] * 3 for size in (16, 32, 256)}
    found = {row["metric"]: row["p50"] for row in rows.fits(times)}
    assert found["fixed_cost"] == pytest.approx(9_900_000)
    assert found["cost_per_byte"] == pytest.approx(173_600)
    assert rows.fits({(SHM, 16): [1], (SHM, 32): [2]}) == []


@pytest.mark.parametrize(("p50_us", "verdict"), [(99, REACHED), (101, MISSED)])
def test_small_texts_are_judged_at_a_node_of_ours(p50_us: int, verdict: str) -> None:
    times = {
        (place_of("spin at shm"), 16): [p50_us * 1000],
        (SHM, 16): [110_000],
        (place_of("rpmsg at dds"), 16): [900_000],
    }
    lines = {line.what: line for line in lines_of(mcu.FIGURES, result_of(rows.rows_of(times)))}
    judged = lines["16 B there and back over RPMsg, an agent that spins"]
    assert judged.verdict == verdict
    beside = lines["16 B there and back over RPMsg"]
    assert judged.published == beside.published == "9.82 ms (published)"
    assert beside.verdict == MISSED
    assert lines["16 B over RPMsg, an rclpy node with dds"].verdict == ""


def test_the_table_has_the_paper_beside() -> None:
    times = {(SHM, 16): [98_240] * 3, (UART, 16): [12_624_000] * 3}
    console = Console(width=100, record=True, file=io.StringIO())
    print_result(console, result_of(rows.rows_of(times)))
    lines = console.export_text().splitlines()
    [shm] = [line for line in lines if "16 B rpmsg at shm" in line]
    assert shm.split()[-3:] == ["0.614", "0.0133", "100"]
    [uart] = [line for line in lines if "16 B uart at shm" in line]
    assert uart.split()[-1] == "1"
    assert paper_ms("uart", 32) == pytest.approx(15.36)


def test_the_picture_has_each_case_and_no_floor() -> None:
    times = {(SHM, 16): [80_000] * 9, (place_of("raw at ring"), 16): [20_000] * 9}
    picture = svg_of(rows.rows_of(times))
    assert "16 B rpmsg at shm" in picture
    assert "raw" not in picture


# --- what is missing -----------------------------------------------------------------------------


def test_what_is_not_installed_is_named_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None if name != "cmake" else "/bin/cmake")
    with pytest.raises(FailureError, match="arm-none-eabi-gcc, qemu-system-arm, ninja") as missing:
        images.require_programs()
    assert missing.value.exit_code == 1
    assert "apt install gcc-arm-none-eabi libnewlib-arm-none-eabi" in missing.value.hint


def test_without_ros_its_lines_are_left_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(ros, "PREFIX", tmp_path)
    missing = links.stations_that_are_missing(PLACES)
    of_ros = {place.at: why for place, why in missing.items() if place.is_ros}
    assert set(of_ros) == {"rclpy", "dds"}
    assert all("dev/setup --ros" in why for why in of_ros.values())
    assert all(place.is_ros or place.link == "freertos" for place in missing)


def test_the_clients_code_is_told_by_the_linkers_map() -> None:
    text = """
Discarded input sections
 .text.unused   0x00000000       0x99 lib.a(cdr.c.obj)

Linker script and memory map
 .text.short    0x00000100       0x10 lib.a(cdr.c.obj)
 .text.a_name_that_is_long
                0x00000110       0x20 lib.a(output.c.obj)
                0x00000110                a_name_that_is_long
 .rodata        0x00000130       0x04 lib.a(cdr.c.obj)
 .text.board    0x00000200      0x100 CMakeFiles/a.dir/firmware/board/board.c.obj
 .bss           0x20000000      0x400 lib.a(cdr.c.obj)
"""
    assert counts.client_code(text) == 0x34


def test_one_copy_in_the_agent_is_the_goal() -> None:
    found = [
        make_row("mcu", {"where": where, "bytes": 4096}, "copies", "1", 2.0)
        for where in ("agent", "core, take")
    ]
    lines = {line.what: line.verdict for line in lines_of(mcu.FIGURES, result_of(found))}
    assert lines == {
        "copies of a sample of 4 kB: agent": MISSED,
        "copies of a sample of 4 kB: core, take": "",
    }


# --- real runs -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "place", [*PLACES, *PUBLISHED], ids=lambda place: place.title.replace(" ", "-")
)
def test_each_link_is_measured(place: Place) -> None:
    try:
        links.require([place])
    except FailureError as missing:
        pytest.skip(str(missing))
    for why in links.stations_that_are_missing([place]).values():
        pytest.skip(f"this machine has no such thing: {why}")
    largest = 64 if place.link == "uart" or place.is_ros or place in PUBLISHED else 65536
    with links.Rig(place, 20) as rig:
        for size in (16, largest):
            times = rig.round_trips_ns(size, 5)
            assert len(times) == 5
            assert min(times) > 0
            if place.link == "uart":
                # Both ways all bits of the text, at least.
                assert min(times) >= 2 * size * 10 * 1_000_000_000 // links.BAUD


@pytest.mark.parametrize("link", sorted(one_way.IMAGES))
def test_both_ways_are_told_apart_by_the_cores_clock(link: str) -> None:
    place = Place(link, "shm")
    try:
        links.require([place])
    except FailureError as missing:
        pytest.skip(str(missing))
    for why in links.stations_that_are_missing([place]).values():
        pytest.skip(f"this machine has no such thing: {why}")
    measured = Measured([])
    one_way.measure_one_way([place, UART], [4, 16, 65536], 5, measured)
    assert measured.failures == []
    found = {(r["metric"], r["params"]["bytes"], r["params"].get("way")): r for r in measured.rows}
    assert len(found) == 6
    for size, way in itertools.product((16, 65536), one_way.WAYS.values()):
        assert found["one_way", size, way]["n"] == 5
        # No way takes less than nothing, but for what the clock may be wrong.
        assert found["one_way", size, way]["p50"] > -found["one_way_bound", size, None]["p50"]
        assert found["one_way_bound", size, None]["p50"] > 0
    lines = {line.what for line in lines_of(mcu.FIGURES, result_of(measured.rows))}
    assert f"16 B one way, to the core over {link}" in lines


def test_the_serial_lines_own_time_is_split_out() -> None:
    times = {(UART, 16): [10_000_000] * 3, (SHM, 16): [80_000]}
    found = {row["metric"]: row["p50"] for row in rows.line_times(times)}
    # 40 bytes there and 40 back, of ten bits each.
    assert found["line_time"] == pytest.approx(80 * 10 / 115200 * 1e9)
    assert found["round_trip_without_line"] == pytest.approx(10_000_000 - found["line_time"])


def test_everything_is_counted() -> None:
    try:
        links.require(PLACES)
        measured = Measured([])
        counts.count_all(measured)
    except FailureError as missing:
        pytest.skip(str(missing))
    assert measured.failures == []
    found = {(r["metric"], *map(str, r["params"].values())): r["p50"] for r in measured.rows}
    sizes = counts.SIZES
    cores = [core for core in counts.CORES if not links.stations_that_are_missing([core.place])]
    for core, stage in itertools.product(cores, ("take", "publish")):
        by_size = [found["instructions", core.name, stage, str(size)] for size in sizes]
        assert by_size[0] < by_size[-1]
        assert by_size[0] > 100
    for core in cores:
        recorded = found["event_instructions", core.name, "recorded"]
        assert 3 < found["event_instructions", core.name, "not recorded"] < recorded < 1000
        assert 100 < found["stack", core.name] < counts.STACK_PAINTED
    # Taken where it lies; kept until it is acknowledged.
    assert found["copies", "core, take", str(sizes[-1])] == 0
    assert found["copies", "core, publish", str(sizes[-1])] >= 1
    assert 0.5 <= found["copies", "agent", str(sizes[-1])] <= 2
    small = found["client_code", "small_publisher", "publishes"]
    assert 0 < small < found["code", "small_publisher", "publishes"]
