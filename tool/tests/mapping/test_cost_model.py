# SPDX-License-Identifier: Apache-2.0
"""What the cost model predicts is what was measured, and what theory says of the rest."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import paper_graphs as papers
import pytest

from ligament.graph.model import Graph
from ligament.graph.qos import QoS
from ligament.graph.schema import validate
from ligament.graph.source import Document
from ligament.mapping import GraphMapping, map_graph, planned
from ligament.mapping.cost_model import Load, MemoryPort, gateway, software, stream_cycles
from ligament.mapping.explain import explain
from ligament.mapping.model import Alternative, Queue, from_json
from ligament.mapping.network_area import area_of_gateway, area_of_queues
from ligament.mapping.platform import Platform
from ligament.mapping.streams import stream_of
from ligament.resources import spec_dir

RESULTS = spec_dir().parent / "benchmarks" / "results"
PORT = MemoryPort(100e6, 500, 1.6e9)
NARROW = MemoryPort(100e6, 500, 800e6)

CLOCKED = replace(
    papers.BOARD,
    devices={
        **papers.BOARD.devices,
        "fpga0": replace(papers.BOARD.devices["fpga0"], clock="fabric", family="xcup"),
    },
    clocks={"fabric": {"kind": "cycles", "frequency_hz": 100e6}},
)


def measured(metric: str) -> list[dict[str, Any]]:
    """Rows of networks; those of topics in memory have a `way`."""
    file = "hmt.json" if metric == "transfer" else "hmt_area.json"
    rows = json.loads((RESULTS / file).read_text())["rows"]
    of = [row for row in rows if "subscribers" in row["params"] and "way" not in row["params"]]
    return [row for row in of if row["metric"] == metric and row["peer"] == "ligament"]


def networks() -> dict[str, dict[str, float]]:
    """Cells of each network that was synthesised, by its params."""
    found: dict[str, dict[str, float]] = {}
    for metric in ("lut", "ff", "ramb18"):
        for row in measured(metric):
            params = {k: v for k, v in row["params"].items() if k != "goal"}
            found.setdefault(json.dumps(params, sort_keys=True), {})[metric] = row["p50"]
    return found


def mapping_of(graph: Graph, platform: Platform = CLOCKED) -> GraphMapping:
    return map_graph(graph, platform, backends=planned())


def ways_of(mapping: GraphMapping, topic: str) -> dict[str, Alternative]:
    return {a.mapped: a for a in mapping.topics[topic].alternatives}


def test_streams_take_the_cycles_that_were_measured() -> None:
    rows = measured("transfer")
    assert len(rows) >= 4 * 4 * 4 * 6
    for row in rows:
        params = row["params"]
        assert stream_cycles(params["bytes"], params["width"]) == row["p50"] == row["p99"], params


def test_networks_take_the_cells_that_were_measured() -> None:
    seen = networks()
    assert len(seen) >= 24
    for text, cells in seen.items():
        params = json.loads(text)
        queue = Queue("", "", params.get("queue", "keep-all"), params["depth"], "")
        area = area_of_queues(
            params.get("family", "xcup"),
            params["width"],
            params["publishers"],
            (queue,) * params["subscribers"],
        )
        if params.get("family", "xcup") == "xcup":
            assert area["lut"] == pytest.approx(cells["lut"], rel=0.08), text
        assert area["ff"] == pytest.approx(cells["ff"], rel=0.05), text
        assert area["bram18"] == cells["ramb18"], text


def test_no_cells_are_predicted_for_a_family_that_was_not_measured() -> None:
    assert area_of_queues("pango", 64, 1, ()) == area_of_gateway("pango", 64) == {}


def test_a_gateway_has_cells_of_its_own() -> None:
    assert area_of_gateway("xcup", 64) == {"lut": 1277, "ff": 1207, "bram18": 5}
    assert area_of_gateway("xcup", 512) == {"lut": 1937, "ff": 1205, "bram18": 32}
    mapping = mapping_of(papers.graph({"E": "9 -> 10 11"}, ("10", "11"), 100_000))
    assert ways_of(mapping, "/E")["gateway"].area["lut"] > 1277


@pytest.mark.parametrize(("subscriptions", "limit"), [(2, 2), (4, 4), (8, 8)])
def test_a_gateway_gains_what_theory_says(subscriptions: int, limit: int) -> None:
    """N for a publisher in software, N + 1 for one in hardware, at equal widths."""
    size = 10_000_000
    from_software = Load(size, 0, subscriptions, 1, 1)
    gain = software(from_software, NARROW).cycles / gateway(from_software, 64, NARROW).cycles
    assert gain == pytest.approx(limit, rel=1e-3)
    from_hardware = Load(size, 1, subscriptions, 0, 1)
    gain = software(from_hardware, NARROW).cycles / gateway(from_hardware, 64, NARROW).cycles
    assert gain == pytest.approx(limit + 1, rel=1e-3)


def test_a_gateway_moves_each_message_once() -> None:
    load = Load(1000, hardware_publishers=1, hardware_subscriptions=8, software_subscriptions=1)
    assert gateway(load, 64, PORT).memory_bytes == 1000
    assert software(load, PORT).memory_bytes == 9000
    nobody_outside = replace(load, software_subscriptions=0)
    assert gateway(nobody_outside, 64, PORT).memory_bytes == 0


def test_a_publisher_in_hardware_without_subscriptions_there_writes_once() -> None:
    load = Load(1000, hardware_publishers=1, software_subscriptions=1)
    # Two beats of header, the latency, 125 beats, and what the writing end takes.
    assert software(load, PORT).cycles == 2 + 50 + 125 + 6
    assert gateway(load, 64, PORT).cycles >= software(load, PORT).cycles


def test_small_messages_stay_in_memory_and_large_ones_get_a_gateway() -> None:
    for size, mapped in ((40, "software"), (100_000, "gateway")):
        topic = mapping_of(papers.graph({"E": "9 -> 10 11"}, ("10", "11"), size)).topics["/E"]
        assert topic.mapped == mapped
        assert "60 cycles over memory" in topic.reason.text or mapped == "gateway"
        assert [a.mapped for a in topic.alternatives if a.chosen] == [mapped]


def test_the_papers_mapping_holds_with_declared_sizes() -> None:
    for size in (10_000, 1_000_000):
        graph = papers.graph(papers.ELEVEN_TOPICS, papers.ELEVEN_HARDWARE, size)
        found = mapping_of(graph).communication
        assert found.topics_gateway == ("/A", "/C", "/E")
        assert found.topics_hardware == ("/B",)


def test_alternatives_are_told_and_go_through_json() -> None:
    mapping = mapping_of(papers.graph(papers.ELEVEN_TOPICS, papers.ELEVEN_HARDWARE, 10_000))
    ways = ways_of(mapping, "/B")
    assert ways["hardware"].chosen and ways["hardware"].cycles == stream_cycles(10_000, 64)
    assert ways["software"].memory_bytes == 20_000
    data = json.loads(json.dumps(mapping.to_json()))
    assert not validate(Document("mapping.json", data), "mapping")
    assert from_json(data) == mapping
    text = "\n".join(explain(mapping))
    assert "is hardware: 1255 cycles, 0 bytes over memory" in text
    assert "could be software: " in text
    assert "queue of /n4: " in text


def test_nothing_is_predicted_without_a_bound_or_a_clock() -> None:
    unbounded = mapping_of(papers.graph({"A": "1 -> 2"}, ("1", "2")))
    assert ways_of(unbounded, "/A")["hardware"].cycles is None
    assert "no bound_bytes" in ways_of(unbounded, "/A")["software"].text
    unclocked = mapping_of(papers.graph({"A": "1 2 -> 2 3"}, ("2", "3"), 1000), papers.BOARD)
    assert "no clock or no link" in ways_of(unclocked, "/A")["gateway"].text
    # The paper's rule then decides alone.
    assert unclocked.topics["/A"].mapped == "gateway"
    assert not mapping_of(papers.graph({"A": "1 -> 2"}, (), 1000)).topics["/A"].alternatives


@pytest.mark.parametrize(
    ("rate", "width", "text"),
    [
        (None, 64, "no bound, rate and clock"),
        (30.0, 64, "30 Hz"),
        (1500.0, 128, "1500 Hz"),
        (6000.0, 512, "6000 Hz"),
        (100_000.0, 512, "the widest"),
    ],
)
def test_the_width_carries_the_rate(rate: float | None, width: int, text: str) -> None:
    topic = papers.graph({"A": "1 -> 2"}, ("1", "2"), 921_600).topics["/A"]
    stream = stream_of(replace(topic, rate_hz=rate), frozenset({"/n1", "/n2"}), PORT)
    assert stream.width_bits == width
    assert text in stream.text


@pytest.mark.parametrize(
    ("qos", "size", "kind", "depth"),
    [
        (QoS(history="keep_all"), 1_000_000, "keep-all", 512),
        (QoS(depth=1), 3072, "keep-last", 2048),  # 3 frames of 392 beats
        (QoS(depth=1), 921_600, "keep-all", 512),
        (QoS(depth=1), None, "keep-all", 512),
        (QoS(reliability="best_effort"), 3072, "best-effort", 512),
        (QoS(reliability="best_effort"), 400_000, "best-effort", 65536),
        (QoS(reliability="best_effort"), 921_600, "keep-all", 512),
    ],
)
def test_a_queue_keeps_what_it_can(qos: QoS, size: int | None, kind: str, depth: int) -> None:
    topic = papers.graph({"A": "1 -> 2"}, ("1", "2"), size).topics["/A"]
    ends = tuple(replace(e, qos=qos) for e in topic.ends)
    (queue,) = stream_of(replace(topic, ends=ends), frozenset({"/n1", "/n2"}), PORT).queues
    assert (queue.kind, queue.depth_beats) == (kind, depth)
    assert ("publishers wait" in queue.text) == (kind == "keep-all")
