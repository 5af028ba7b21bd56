# SPDX-License-Identifier: Apache-2.0
"""How much a topic in the pool may hold, and what its ends on other devices need."""

from __future__ import annotations

from dataclasses import replace

import paper_graphs as papers
import pytest

from ligament.errors import InputError
from ligament.graph.model import End
from ligament.graph.qos import QoS
from ligament.graph.schema import validate
from ligament.graph.source import Document
from ligament.mapping import load_mapping, map_graph, planned
from ligament.mapping.credit import credit_of
from ligament.mapping.explain import explain
from ligament.mapping.model import GraphMapping, from_json
from ligament.resources import spec_dir

KEEP_ALL = QoS(history="keep_all", depth=4)


def ends(publisher: QoS, *subscriptions: QoS) -> tuple[End, ...]:
    taken = (End(f"/s{i}", "in", "in", qos) for i, qos in enumerate(subscriptions))
    return (End("/p", "out", "out", publisher), *taken)


def test_blocks_are_ring_loans_one_and_what_is_held() -> None:
    credit = credit_of(ends(QoS(depth=5), QoS(depth=3), QoS(depth=2, max_held=4)), {}, 1000)
    assert credit is not None
    (ring,) = credit.rings
    assert (ring.samples, ring.blocks, ring.memory_bytes) == (5, 5 + 2 + 1 + 2 + 4, 14_000)
    assert [(h.subscription, h.under_way, h.held) for h in credit.hops] == [
        ("/s0", 3, 2),
        ("/s1", 2, 4),
    ]
    assert {h.rule for h in credit.hops} == {"keep-last"}


def test_a_deeper_subscription_makes_the_ring() -> None:
    credit = credit_of(ends(QoS(depth=1), QoS(depth=50)), {}, None)
    assert credit is not None
    assert (credit.rings[0].samples, credit.rings[0].memory_bytes) == (50, None)
    assert credit.hops[0].under_way == 50


@pytest.mark.parametrize(
    ("subscription", "container", "rule"),
    [
        (KEEP_ALL, "b", "back-pressure"),
        (KEEP_ALL, "a", "own-executor"),
        (QoS(depth=4), "b", "keep-last"),
        (QoS(history="keep_all", depth=4, reliability="best_effort"), "b", "keep-last"),
    ],
)
def test_only_two_reliable_ends_that_keep_all_make_a_publisher_wait(
    subscription: QoS, container: str, rule: str
) -> None:
    credit = credit_of(ends(KEEP_ALL, subscription), {"/p": "a", "/s0": container}, None)
    assert credit is not None
    assert (credit.hops[0].rule, credit.hops[0].under_way) == (rule, 4)


def test_a_topic_with_one_side_only_has_no_credit() -> None:
    assert credit_of(ends(QoS()), {}, None) is None


def test_a_mapping_keeps_its_credit_when_it_is_read_again() -> None:
    mapping = map_graph(papers.graph({"A": "1 -> 2"}, (), 100), papers.BOARD, None, planned())
    data = mapping.to_json()
    assert validate(Document("mapping.json", data), "mapping") == []
    assert data["topics"]["/A"]["credit"]["hops"][0]["text"] == (
        "up to 10 samples in flight and 2 held; then the oldest is overwritten and counted as lost"
    )
    assert from_json(data).topics["/A"].credit == mapping.topics["/A"].credit


def test_map_prints_each_hop_and_what_each_publisher_keeps() -> None:
    bounded = map_graph(papers.graph({"A": "1 -> 2"}, (), 100), papers.BOARD, None, planned())
    text = "\n".join(explain(bounded))
    assert "    /n1 -> /n2: up to 10 samples in flight and 2 held; then the oldest" in text
    assert "    /n1 keeps 15 blocks: 15 x 100 = 1500 bytes" in text
    unbounded = map_graph(papers.graph({"A": "1 -> 2"}, ()), papers.BOARD, None, planned())
    assert "    /n1 keeps 15 blocks: no bound_bytes declared" in "\n".join(explain(unbounded))


def mixed(bound_bytes: int | None, on_paper: bool = True) -> GraphMapping:
    backends = replace(planned(), on_paper=on_paper)
    return map_graph(
        papers.graph({"A": "1 -> 2"}, ("1",), bound_bytes), papers.BOARD, None, backends
    )


def test_the_driver_of_a_node_in_hardware_holds_more_than_its_qos_says() -> None:
    graph = papers.graph({"A": "1 -> 2"}, ("2",), 1000)
    variant = graph.variants["default"]
    for fpga, held in (({}, 3), ({"in_flight": 4}, 6)):
        chosen = replace(graph, variants={"default": replace(variant, fpga=fpga)})
        credit = map_graph(chosen, papers.BOARD, None, planned()).topics["/A"].credit
        assert credit is not None
        assert credit.hops[0].held == held
        assert credit.rings[0].blocks == 10 + 2 + 1 + held


def test_a_device_topic_without_a_bound_is_told_on_paper_and_refused_in_earnest() -> None:
    (told,) = mixed(None).warnings
    assert "'/A' has an end on a device of kind fpga ('/n1') and no declared bound" in told
    assert mixed(1000).warnings == ()
    with pytest.raises(InputError) as refused:
        mixed(None, on_paper=False)
    assert [p.code for p in refused.value.problems] == ["bound-missing"]


def test_a_mapping_by_hand_is_judged_as_well() -> None:
    with pytest.raises(InputError) as refused:
        load_mapping(spec_dir() / "cases" / "mapping" / "device_topic.json")
    assert [p.code for p in refused.value.problems] == ["bound-missing", "qos-unsupported"]
