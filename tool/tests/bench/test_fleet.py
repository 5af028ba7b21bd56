# SPDX-License-Identifier: Apache-2.0
"""Discovery of a fleet: on paper, simulated, counted from frames, and of three real hosts."""

from __future__ import annotations

import json
import os
import signal
import struct
import subprocess
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from ligament.bench import fleet
from ligament.bench.fleet import figures, model, picture
from ligament.bench.fleet.cells import FAST, OURS, PER_PROCESS, Cell, cells
from ligament.bench.fleet.frames import Tally
from ligament.bench.fleet.hosts import Switch, why_not
from ligament.bench.fleet.runs import run_once
from ligament.bench.fleet.simulation import Plan, simulate
from ligament.bench.goals import lines_of
from ligament.bench.pages import ROOT
from ligament.errors import FailureError, InputError
from ligament.resources import spec_dir

SPDP_WRITER, USER_WRITER = 0x000100C2, 0x00000103


def frames_in(counts: dict[str, int]) -> int:
    return counts.get("multicast_frames", 0) + counts.get("unicast_frames", 0)


# --- on paper and simulated ----------------------------------------------------------------------


@pytest.mark.parametrize("hosts", [2, 3, 8])
def test_at_rest_the_simulation_sends_what_the_formula_says(hosts: int) -> None:
    idle = simulate(Plan(hosts, 6, 10))["idle"]
    assert frames_in(idle) == pytest.approx(model.idle_frames(hosts) * 16)
    assert idle["sedp"] == 0


@pytest.mark.parametrize(("hosts", "gap_s"), [(2, 1.0), (5, 1.0), (9, 2.5)])
def test_each_endpoint_is_announced_as_the_formula_says(hosts: int, gap_s: float) -> None:
    found = simulate(Plan(hosts, 6, 10, gap_s=gap_s))
    assert found["join"]["sedp"] == model.join_endpoints(hosts, 16)
    assert found["start"]["sedp"] == model.start_endpoints(hosts, 16)


def test_busy_hosts_that_come_together_acknowledge_with_the_cube_of_their_number() -> None:
    def per_pair(hosts: int) -> float:
        start = simulate(Plan(hosts, 6, 10, latency_s=0.02))["start"]
        return start["types_acknack"] / (hosts * (hosts - 1))

    assert per_pair(16) > 1.4 * per_pair(8)
    quiet = simulate(Plan(16, 6, 10, gap_s=1.0))["start"]
    assert quiet["types_acknack"] / (16 * 15) <= 4


def test_two_hosts_as_they_were_measured() -> None:
    rows = json.loads((ROOT / "results" / "fleet.json").read_text())["rows"]
    cell = Cell(2, 5)
    measured = {
        row["metric"]: row["p50"]
        for row in rows
        if row["params"] == cell.params and row["peer"] == OURS
    }
    found = simulate(figures.plan_of(cell, figures.GAP_S))
    assert measured["idle_frames"] * 16 == pytest.approx(frames_in(found["idle"]))
    assert measured["start_announcements"] == found["start"]["sedp"]
    assert measured["memory"] == pytest.approx(model.memory(2, cell.endpoints + 1), rel=0.2)


def test_the_kept_result_has_the_form_of_all() -> None:
    schema = json.loads((spec_dir() / "report" / "bench.schema.json").read_text())
    jsonschema.validate(json.loads((ROOT / "results" / "fleet.json").read_text()), schema)


def test_every_kept_fleet_sent_at_least_what_quiet_hosts_would_announce() -> None:
    rows = json.loads((ROOT / "results" / "fleet.json").read_text())["rows"]
    known = {(r["metric"], r["peer"], str(r["params"])): r["p50"] for r in rows}
    seen = 0
    for (metric, peer, params), value in known.items():
        if metric == "join_announcements" and peer == OURS:
            assert value >= known[metric, figures.QUIET, params]
            seen += 1
    assert seen >= 9


# --- what is measured ----------------------------------------------------------------------------


def test_fleets_are_as_many_as_asked_for() -> None:
    assert {cell.hosts for cell in cells(True, 20)} == {1, 2, 3}
    assert {cell.hosts for cell in cells(False, 5)} == {1, 2, 5}
    peers = {cell.peer for cell in cells(False, 20)}
    assert peers == {OURS, PER_PROCESS, FAST}
    assert max(20 * cell.topics for cell in cells(False, 20)) == 10_000


def test_a_host_has_one_participant_or_one_per_process() -> None:
    assert Cell(5, 25, 5, PER_PROCESS).participants == 25
    assert Cell(5, 25).participants == 5


def test_a_fleet_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match="no line has all of"):
        fleet.measure(True, fleet.Options(only="thousand"))


def test_a_lone_host_has_no_others_that_disturb_it() -> None:
    def why(hosts: int) -> str:
        params = Cell(hosts, 5).params
        row = figures._row(Cell(hosts, 5), "start_frames", "1", [9000.0], OURS)
        (line,) = lines_of(fleet.FIGURES, {"rows": [{**row, "params": params, "predicted": 1.0}]})
        assert line.verdict == "missed"
        return line.why

    assert "announce itself twice" in why(1)
    assert "share two cores" in why(2)


@pytest.mark.parametrize(
    ("target", "instead", "told"),
    [
        ("os.geteuid", lambda: 1000, "need root"),
        ("shutil.which", lambda _: None, "apt install iproute2"),
        ("Switch.__enter__", None, "can be made: not permitted"),
    ],
)
def test_why_there_are_no_namespaces(
    target: str, instead: Any, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise FailureError("not permitted")

    monkeypatch.setattr("ligament.bench.fleet.hosts.os.geteuid", lambda: 0)
    monkeypatch.setattr("ligament.bench.fleet.hosts.shutil.which", lambda _: "/sbin/ip")
    monkeypatch.setattr(f"ligament.bench.fleet.hosts.{target}", instead or refuse)
    assert told in why_not()


def test_nothing_that_ran_on_a_host_is_left() -> None:
    if reason := why_not():
        pytest.skip(f"this machine has no such thing: {reason}")
    with Switch(["here"], "10.82.0.") as switch:
        left = subprocess.Popen([*switch.inside("here"), "sleep", "600"])
        while left.pid not in switch.pids("here"):
            assert left.poll() is None
            os.sched_yield()
        name = switch.space("here")
    assert left.wait(timeout=60) == -signal.SIGKILL
    assert name not in subprocess.run(["ip", "netns"], capture_output=True, text=True).stdout


def test_without_namespaces_it_simulates_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet, "why_not", lambda: "network namespaces need root")
    result = fleet.measure(True, fleet.Options(only="3"))
    assert {row["peer"] for row in result.rows} == {figures.QUIET, figures.BUSY}
    assert result.failures == [
        "nothing could be measured: network namespaces need root; simulated alone"
    ]


# --- frames --------------------------------------------------------------------------------------


def submessage(kind: int, writer: int, size: int = 24) -> bytes:
    place = 8 if kind == 0x15 else 4
    body = bytearray(size)
    struct.pack_into(">I", body, place, writer)
    return struct.pack("<BBH", kind, 1, size) + bytes(body)


def frames_of(payload: bytes, multicast: bool = False, mtu: int = 1480) -> list[bytes]:
    datagram = struct.pack(">HHHH", 1, 2, 8 + len(payload), 0) + payload
    target = bytes([239, 255, 0, 1]) if multicast else bytes([10, 0, 0, 2])
    found = []
    for at in range(0, len(datagram), mtu):
        part = datagram[at : at + mtu]
        more = 0x2000 if at + mtu < len(datagram) else 0
        head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(part), 7, more | at // 8, 64, 17, 0)
        found.append(bytes(12) + b"\x08\x00" + head + bytes([10, 0, 0, 1]) + target + part)
    return found


def counted(frames: list[bytes]) -> dict[str, int]:
    tally = Tally()
    for frame in frames:
        tally.add(frame)
    return tally.take()


def message(*parts: bytes) -> bytes:
    return b"RTPS" + bytes(16) + b"".join(parts)


def test_frames_are_counted_by_kind() -> None:
    announced = message(submessage(0x15, SPDP_WRITER))
    matched = message(submessage(0x07, USER_WRITER), submessage(0x06, USER_WRITER))
    counts = counted([*frames_of(announced, multicast=True), *frames_of(matched)])
    assert counts["spdp"] == counts["user_heartbeat"] == counts["user_acknack"] == 1
    assert counts["multicast_frames"] == counts["unicast_frames"] == 1
    assert counts["spdp_bytes"] == 28


def test_a_datagram_in_fragments_is_one() -> None:
    payload = message(*[submessage(0x15, 0x000003C2, 300) for _ in range(20)])
    frames = frames_of(payload)
    counts = counted(frames)
    assert len(frames) == counts["unicast_frames"] == 5
    assert counts["unicast_datagrams"] == 1
    assert counts["sedp"] == 20
    assert "broken" not in counts


def test_what_does_not_parse_is_counted() -> None:
    whole = frames_of(message(submessage(0x15, SPDP_WRITER)))[0]
    middle = frames_of(message(bytes(4000)))[1]
    cut = frames_of(message(struct.pack("<BBH", 0x15, 1, 500)))[0]
    short = frames_of(message(struct.pack("<BBH", 0x07, 1, 2) + bytes(2)))[0]
    other = frames_of(b"HTTP" + bytes(40))[0]
    counts = counted([whole[:20], middle, cut, short, other, bytes(60)])
    assert counts["broken"] == 3
    assert counts["other_frames"] == 3
    assert "spdp" not in counts


# --- the picture, and real hosts -----------------------------------------------------------------


def test_the_picture_has_every_size_that_was_measured() -> None:
    text = picture.growth_of(ROOT / "results" / "fleet.json")
    root = ElementTree.fromstring(text)
    titles = [t.text or "" for t in root.iter() if t.tag.endswith("title")]
    ours = [t for t in titles if t.startswith("an edge per host")]
    assert {t.split(": ")[1].split(" hosts")[0] for t in ours} == {"1", "2", "5", "10", "20"}
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    dots = [t for t in root.iter() if t.tag.endswith("circle")]
    assert all(0 <= float(d.attrib["cx"]) <= width for d in dots)
    assert all(0 <= float(d.attrib["cy"]) <= height for d in dots)


def test_three_hosts_find_each_other_and_rest() -> None:
    if reason := why_not():
        pytest.skip(f"this machine has no such thing: {reason}")
    cell = Cell(3, 5)
    found = run_once(cell, idle_s=8.5, settle_s=3.5)
    quiet = simulate(figures.plan_of(cell, figures.GAP_S))
    assert found.matched_s > 0
    assert found.join_s > 0
    # A busy machine says some of it again; nobody says less.
    assert found.start["sedp"] >= 3 * (cell.endpoints + 1)
    assert found.join["sedp"] >= quiet["join"]["sedp"]
    assert found.idle["spdp"] >= 3
    assert found.idle["liveliness_acknack"] >= 6
    assert "broken" not in found.start
    assert all(memory > 1e6 for memory in found.memory)
    assert len(found.memory) == len(found.start_cpu_s) == 3
