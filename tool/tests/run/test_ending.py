# SPDX-License-Identifier: Apache-2.0
"""When a graph's work is done, and how a process ended."""

from __future__ import annotations

import pytest

from ligament.run.ending import finished_when, last_groups
from ligament.run.process import exit_text


def topic(publishers: list[str], subscriptions: list[str]) -> dict[str, list[str]]:
    return {"publishers": publishers, "subscriptions": subscriptions}


CHAIN = {
    "/image": topic(["/camera"], ["/rectify"]),
    "/rect": topic(["/rectify"], ["/sink"]),
}
NODES = ["/camera", "/rectify", "/sink"]


def test_a_chain_ends_with_its_sink_not_with_its_camera() -> None:
    is_finished = finished_when([], NODES, CHAIN)
    assert not is_finished({"/camera"})
    assert is_finished({"/sink"})


def test_a_loop_back_makes_one_group_of_which_one_node_suffices() -> None:
    loop = {**CHAIN, "/done": topic(["/sink"], ["/camera"])}
    assert last_groups(NODES, loop) == [set(NODES)]
    assert finished_when([], NODES, loop)({"/sink"})


def test_both_of_two_sinks_must_be_done() -> None:
    topics = {"/image": topic(["/camera"], ["/left", "/right"])}
    is_finished = finished_when([], ["/camera", "/left", "/right"], topics)
    assert not is_finished({"/left"})
    assert not is_finished({"/left", "/camera"})
    assert is_finished({"/left", "/right"})


def test_a_topic_without_subscriptions_leads_nowhere() -> None:
    topics = {"/image": topic(["/camera"], ["/sink"]), "/debug": topic(["/sink"], [])}
    assert last_groups(["/camera", "/sink"], topics) == [{"/sink"}]


def test_named_nodes_decide_alone() -> None:
    is_finished = finished_when(["/rectify"], NODES, CHAIN)
    assert not is_finished({"/sink"})
    assert is_finished({"/rectify"})


def test_a_node_that_only_answers_is_not_waited_for_beside_others() -> None:
    is_finished = finished_when([], ["/adder", "/asker"], {}, ["/adder"])
    assert not is_finished({"/adder"})
    assert is_finished({"/asker"})
    assert finished_when([], ["/adder"], {}, ["/adder"])({"/adder"})


@pytest.mark.parametrize(
    ("code", "text"),
    [(0, "exit 0"), (3, "exit 3"), (-1, "killed by SIGHUP"), (-11, "killed by SIGSEGV"),
     (-99, "killed by signal 99")],
)  # fmt: skip
def test_an_exit_is_told_in_words(code: int, text: str) -> None:
    assert exit_text(code) == text
