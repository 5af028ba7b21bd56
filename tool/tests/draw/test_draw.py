# SPDX-License-Identifier: Apache-2.0
"""The picture: nothing overlaps, nothing is lost, any viewer can show it."""

from __future__ import annotations

import itertools
import random
import xml.etree.ElementTree as Xml

import pytest
from rich.console import Console

from ligament.draw.layers import closing_edges
from ligament.draw.layout import Box, Layout, Size, node_vertex, place, topic_vertex
from ligament.draw.svg import svg_picture
from ligament.draw.terminal import terminal_picture
from ligament.graph import load_graph
from ligament.mapping import GraphMapping, load_platform, map_graph, planned
from ligament.resources import spec_dir

CASES = spec_dir() / "cases" / "graph"


def _mapping(variant: str = "groups") -> GraphMapping:
    return map_graph(
        load_graph(CASES / "everything.yaml"), load_platform("host"), variant, planned()
    )


def _layout(mapping: GraphMapping) -> Layout:
    sizes = {node_vertex(n): Size(120, 68) for n in mapping.nodes}
    sizes |= {topic_vertex(t): Size(160, 38) for t in mapping.topics}
    return place(mapping, sizes)


def _cut(one: Box, other: Box) -> bool:
    return (
        abs(one.x - other.x) < (one.width + other.width) / 2
        and abs(one.y - other.y) < (one.height + other.height) / 2
    )


@pytest.mark.parametrize("variant", ["processes", "groups", "fused"])
def test_no_two_boxes_overlap(variant: str) -> None:
    layout = _layout(_mapping(variant))
    for (a, one), (b, other) in itertools.combinations(layout.boxes.items(), 2):
        assert not _cut(one, other), (a, b)


def test_frames_hold_their_nodes_and_no_others() -> None:
    mapping = _mapping()
    layout = _layout(mapping)
    assert set(layout.frames) == {"front", "back"}
    for name, (x, y, width, height) in layout.frames.items():
        frame = Box(x + width / 2, y + height / 2, width, height)
        for node in mapping.nodes:
            assert _cut(frame, layout.boxes[node_vertex(node)]) == (
                node in mapping.containers[name]
            )


def test_every_end_has_its_line_from_left_to_right() -> None:
    mapping = _mapping()
    layout = _layout(mapping)
    assert len(layout.lines) == sum(len(t.ends) for t in mapping.topics.values())
    assert all(line.points[0][0] < line.points[-1][0] for line in layout.lines)


def test_a_cycle_has_one_line_that_leads_back() -> None:
    mapping = map_graph(load_graph(CASES / "cycle_of_topics.yaml"), load_platform("host"))
    assert [line.back for line in _layout(mapping).lines].count(True) == 1


def test_a_node_and_a_topic_of_one_name_are_two_boxes() -> None:
    mapping = map_graph(load_graph(CASES / "anchors.yaml"), load_platform("host"))
    assert "/a" in mapping.nodes and "/a" in mapping.topics
    assert {node_vertex("/a"), topic_vertex("/a")} <= set(_layout(mapping).boxes)


def test_opening_cycles_leaves_none() -> None:
    chooser = random.Random(7)
    for _ in range(50):
        vertices = [str(i) for i in range(8)]
        edges = [(chooser.choice(vertices), chooser.choice(vertices)) for _ in range(16)]
        edges = [e for e in dict.fromkeys(edges) if e[0] != e[1]]
        closing = closing_edges(vertices, edges)
        turned = [(h, t) if (t, h) in closing else (t, h) for t, h in edges]
        assert closing_edges(vertices, turned) <= {(t, h) for h, t in closing}


@pytest.mark.parametrize("variant", ["processes", "groups", "fused"])
def test_svg_is_well_formed_and_names_everything(variant: str) -> None:
    mapping = _mapping(variant)
    text = svg_picture(mapping)
    root = Xml.fromstring(text)
    words = "".join(root.itertext())
    for name in (*mapping.nodes, *mapping.topics):
        assert name in words
    for node in mapping.nodes.values():
        assert node.type in words and node.reason.text in words
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "prefers-color-scheme" in text
    assert text == svg_picture(mapping)


def test_svg_escapes_what_a_user_writes() -> None:
    from dataclasses import replace

    mapping = replace(_mapping(), description='a < b & "c"')
    assert "a < b & " in "".join(Xml.fromstring(svg_picture(mapping)).itertext())


def test_terminal_shows_nodes_topics_and_transports() -> None:
    console = Console(width=160, no_color=True)
    with console.capture() as captured:
        console.print(terminal_picture(_mapping("fused")))
    shown = captured.get()
    assert "in place of /rectify, /resize" in shown
    assert "shm + dds" in shown and "→ /sink" in shown


def test_empty_graph_can_be_drawn() -> None:
    mapping = map_graph(load_graph(CASES / "minimal.yaml"), load_platform("host"))
    assert Xml.fromstring(svg_picture(mapping)).tag.endswith("svg")
