# SPDX-License-Identifier: Apache-2.0
"""The published versions of the driving graphs: their chain, cores' own cycles, the dataflow."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ligament.bench.driving import closed, versions
from ligament.bench.driving.goals import BASE, FIGURES, GATEWAY, NODES_IN, PUBLISHED_RATIOS
from ligament.bench.goals import lines_of
from ligament.bench.measuring import make_row
from ligament.errors import FailureError
from ligament.graph import load_graph
from ligament.report.database import open_events

sys.path.insert(0, str(Path(__file__).parents[1] / "report"))
from made_up_traces import Trace

IMAGES, COMMANDS, LANES = 101, 102, 103
SIMULATOR, CYCLES, CLOCK, HARDWARE = 401, 501, 502, 601
CLOCK_HZ = 100e6


def trace() -> Trace:
    """A camera, the chain's two ends, and Lane Following in one FPGA."""
    found = Trace()
    nodes = {1: "/camera", 2: "/image_compensation", 3: "/lane_control", 4: "/lane_following"}
    for node, name in nodes.items():
        found.add(0, "node_init", node=node, name=name)
    for topic, name in ((11, "/camera/image_raw"), (12, "/cmd_vel"), (13, "/D")):
        found.add(0, "topic_init", topic=topic, name=name, message="m")
    for publisher, topic, node in ((IMAGES, 11, 1), (COMMANDS, 12, 3), (LANES, 13, 4)):
        found.add(0, "publisher_init", publisher=publisher, topic=topic, node=node)
    found.add(0, "subscription_init", subscription=201, topic=11, node=2)
    # Another node's, and another topic of it: neither begins the chain.
    found.add(0, "subscription_init", subscription=202, topic=11, node=4)
    found.add(0, "subscription_init", subscription=203, topic=13, node=2)
    found.add(0, "span_name", span=SIMULATOR, node=2, name="simulator", category="device")
    for argument, name in ((CYCLES, "cycles"), (CLOCK, "clock_hz")):
        found.add(0, "value_name", argument=argument, span=SIMULATOR, name=name)
    found.add(0, "span_name", span=HARDWARE, node=4, name="hardware", category="compute")
    return found.add(0, "device_name", span=HARDWARE, device="fpga0", time_base="modelled")


def simulate(found: Trace, begin: int, end: int, cycles: int, seq: int) -> None:
    found.add(begin, "span_begin", 2, span=SIMULATOR, publisher=IMAGES, seq=seq)
    found.add(end, "span_value", 2, argument=CYCLES, value=float(cycles))
    found.add(end, "span_value", 2, argument=CLOCK, value=CLOCK_HZ)
    found.add(end, "span_end", 2, span=SIMULATOR)


def add_image(found: Trace, start: int, seq: int, cycles: int = 0, commands: int = 1) -> None:
    """It is taken after 100; the simulator takes 5000 from then on, the command 300."""
    found.publish(start, start + 20, 1, IMAGES, seq)
    found.take(start + 90, 4, 202, IMAGES, seq).end(start + 95, 4, 202)
    found.take(start + 100, 2, 201, IMAGES, seq)
    if cycles:
        simulate(found, start + 110, start + 5110, cycles, seq)
    for number in range(commands):
        found.publish(start + 5300 + number, start + 5400 + number, 2, COMMANDS, seq + number)
    found.publish(start + 5450, start + 5460, 2, LANES, seq)
    found.end(start + 5500, 2, 201)
    found.take(start + 5600, 2, 203, LANES, seq).end(start + 5610, 2, 203)


def opened(found: Trace, path: Path) -> Any:
    return open_events(found.write(path / "events.parquet"))


def test_a_chain_in_software_is_all_of_its_time(tmp_path: Path) -> None:
    found = trace()
    for seq in range(1, 5):
        add_image(found, seq * 10_000, seq)
    chain = closed.closed_of(opened(found, tmp_path), warm_up=1)
    assert list(chain.total) == [5300] * 3
    assert (list(chain.cycles), list(chain.hardware_ns), chain.skipped) == ([0] * 3, [0] * 3, 0)


def test_a_simulators_time_is_replaced_by_that_of_its_cycles(tmp_path: Path) -> None:
    found = trace()
    for seq in range(1, 5):
        add_image(found, seq * 10_000, seq, cycles=70 * seq)
    # A run of the clock that is in no image's chain.
    simulate(found, 9000, 9900, 1000, 9)
    chain = closed.closed_of(opened(found, tmp_path), warm_up=1)
    assert list(chain.cycles) == [140, 210, 280]
    assert list(chain.hardware_ns) == [1400, 2100, 2800]
    assert list(chain.total) == [300 + 1400, 300 + 2100, 300 + 2800]
    assert list(chain.simulated_ns) == [5000] * 3


@pytest.mark.parametrize("commands", [0, 2])
def test_images_without_one_command_are_in_no_figure(tmp_path: Path, commands: int) -> None:
    found = trace()
    for seq in range(1, 6):
        add_image(found, seq * 10_000, seq, commands=commands if seq == 3 else 1)
    chain = closed.closed_of(opened(found, tmp_path), warm_up=1)
    assert (list(chain.total), chain.skipped) == ([5300] * 3, 1)
    with pytest.raises(FailureError, match=r"of 5 images .* 4 have one command"):
        closed.closed_of(opened(found, tmp_path), warm_up=4)


def core(name: str, *streams: tuple[str, int, int, int], held: int = 0, starved: int = 0) -> Any:
    told = [
        dict(zip(("direction", "beats", "stalls", "gaps"), one, strict=True)) for one in streams
    ]
    return {"id": name, "hardware": {"held": held, "starved": starved, "streams": told}}


def status(frames: int, *nodes: Any) -> dict[str, Any]:
    begin = core("/image_compensation")
    begin["hardware"]["messages"] = frames
    return {"event": "status", "nodes": [begin, *nodes]}


def test_a_core_is_as_slow_as_the_slowest_of_its_streams() -> None:
    nodes = [
        # It waits for the next one, which is no time of its own.
        core("/first", ("in", 1000, 4800, 900), ("out", 900, 5000, 0), held=5000),
        core("/second", ("in", 1000, 5000, 0), ("out", 10, 0, 3), starved=100),
        # Its output has gaps, of which it is the reason.
        core("/third", ("in", 1000, 0, 0), ("out", 1000, 0, 700), starved=200),
        {"id": "/software"},
    ]
    # The first frame takes ten times as long.
    first = [
        core("/first", ("in", 1000, 0, 0)),
        core("/second", ("in", 0, 0, 0), ("out", 6000, 0, 0)),
        core("/third", ("in", 0, 1500, 0)),
    ]
    none = [core(node["id"]) for node in first]
    lines = [status(0, *none), {"event": "ready"}, status(1, *first), status(11, *nodes)]
    found = closed.stages_of(lines)
    assert found == {"/image_compensation": 0, "/first": 0, "/second": 0, "/third": 0}
    lines[2] = status(1, *[core(node["id"]) for node in first])
    assert closed.stages_of(lines) == {**found, "/first": 100, "/second": 600, "/third": 150}
    assert closed.stages_of(lines[:3]) == closed.stages_of(lines[:1]) == {}


def test_periods_are_those_of_frames_that_were_there_together(tmp_path: Path) -> None:
    found = trace()
    for batch, ends in enumerate(((100, 700, 1290), (200, 820))):
        start = 100_000 * (batch + 1)
        found.add(start, "span_begin", 2, span=SIMULATOR, publisher=IMAGES, seq=1)
        for end in ends:
            found.add(
                start + 5000, "device_span", 2, span=HARDWARE, publisher=IMAGES, seq=1,
                device_begin_ns=start, device_end_ns=start + end, device_bound_ns=0,
            )  # fmt: skip
        found.add(start + 6000, "span_end", 2, span=SIMULATOR)
    database = opened(found, tmp_path)
    assert list(closed.periods_of(database, "/lane_following")) == [600, 590, 620]
    assert list(closed.periods_of(database, "/lane_control")) == []


def test_the_dataflow_is_judged_by_the_slowest_core() -> None:
    rows = versions.dataflow_rows(np.array([600, 602, 598]), "/slow", 500.0, 750.0)
    lines = {line.what: line for line in lines_of(FIGURES, {"rows": rows})}
    over = lines["cycles between frames, times those of the slowest core, `/slow`"]
    assert (over.judged, over.verdict) == (1.2, "missed")
    spread = lines["cycles between frames, standard deviation over mean"]
    assert spread.judged == pytest.approx(2 / 600) and spread.verdict == "missed"
    with pytest.raises(FailureError, match="no two frames"):
        versions.dataflow_rows(np.array([]), "/slow", 500.0, 750.0)


def test_each_published_ratio_is_beside_ours_with_a_reason() -> None:
    rows = [
        make_row("driving", {"version": name, "over": BASE}, "version_speed_up", "1", 1.2)
        for name in PUBLISHED_RATIOS
    ]
    lines = lines_of(FIGURES, {"rows": rows})
    assert [line.published for line in lines] == ["2.48", "13.34", "1.4"]
    assert all(line.verdict == "missed" and line.goal.why for line in lines)


def test_versions_that_drove_in_another_way_are_no_result() -> None:
    drive = [([0.2, 0.0], 0.0, 0.0), ([0.2, 0.1], 0.1, 0.0)]
    versions._require_same({NODES_IN: drive})
    versions._require_same({NODES_IN: drive, GATEWAY: list(drive)})
    with pytest.raises(FailureError, match="of 2 commands 1 are those of hardware nodes"):
        versions._require_same({NODES_IN: drive, GATEWAY: [drive[0], drive[0]]})


def test_software_is_that_of_the_kept_result() -> None:
    kept = json.loads(versions.SOFTWARE.read_text())
    found = versions.software_ns(kept["rows"])
    assert 1e6 < found < 1e9
    others = [row for row in kept["rows"] if row["p50"] != found or row["metric"] != "chain"]
    with pytest.raises(FailureError, match="no chain of the variant dds"):
        versions.software_ns(others)


def test_every_version_is_a_variant_of_its_graph() -> None:
    for version in versions.VERSIONS:
        assert version.variant in load_graph(version.graph).variants
    dataflow = load_graph(versions.ROAD).variants["hardware_dataflow"]
    assert dataflow.fpga["in_flight"] == versions.IN_FLIGHT


def test_the_drives_log_is_what_versions_are_compared_by(tmp_path: Path) -> None:
    (tmp_path / "outputs").mkdir()
    lines: list[dict[str, Any]] = [
        {"event": "start"},
        {"event": "frame", "command": [0.2, 0.1], "x": 1.0, "y": 2.0, "reply_ms": 7.0},
    ]
    (tmp_path / "outputs" / "drive.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert versions._commands(tmp_path) == [([0.2, 0.1], 1.0, 2.0)]
