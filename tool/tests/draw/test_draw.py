# SPDX-License-Identifier: Apache-2.0
"""The picture: nothing overlaps, nothing is lost, any viewer can show it.

LIGAMENT_RERECORD=1 writes the golden pictures anew; look at them before committing.
"""

from __future__ import annotations

import io
import itertools
import os
import random
import xml.etree.ElementTree as Xml
from dataclasses import replace
from pathlib import Path

import pytest
from rich.color import Color, ColorType
from rich.console import Console

from ligament.draw import palette
from ligament.draw.layers import closing_edges, columns
from ligament.draw.layout import Box, Layout, Size, node_vertex, place, topic_vertex
from ligament.draw.svg import svg_picture
from ligament.draw.terminal import terminal_picture
from ligament.graph import load_graph
from ligament.mapping import GraphMapping, load_platform, map_graph, planned
from ligament.resources import spec_dir

CASES = spec_dir() / "cases" / "graph"
GOLDEN = Path(__file__).parents[1] / "golden" / "draw"


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


def test_inks_are_two_colours_of_pages_and_one_of_terminals() -> None:
    named = [*palette.KINDS.values(), *palette.TRANSPORTS.values(), *palette.SHARES.values()]
    for ink in (*named, *palette.VARIANTS):
        assert Color.parse(ink.light).type == Color.parse(ink.dark).type == ColorType.TRUECOLOR
        assert Color.parse(ink.terminal).type == ColorType.STANDARD


def test_the_terminal_shows_topics_that_come_from_outside() -> None:
    graph = load_graph(CASES / "pipeline.yaml")
    nodes = {n: node for n, node in graph.nodes.items() if n != "/camera"}
    topics = {name: replace(t, ends=tuple(e for e in t.ends if e.node != "/camera"))
              for name, t in graph.topics.items()}  # fmt: skip
    mapping = map_graph(
        replace(graph, nodes=nodes, topics=topics), load_platform("host"), None, planned()
    )
    console = Console(width=100, record=True, file=io.StringIO())
    console.print(terminal_picture(mapping))
    text = console.export_text()
    outside = [t.id for t in mapping.topics.values() if all(e.direction == "in" for e in t.ends)]
    assert outside and all(topic in text[text.index("from outside") :] for topic in outside)


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


def _is_golden(name: str, found: str) -> None:
    path = GOLDEN / name
    if os.environ.get("LIGAMENT_RERECORD"):
        GOLDEN.mkdir(parents=True, exist_ok=True)
        path.write_text(found)
    assert found == path.read_text()


@pytest.mark.parametrize("variant", ["groups", "fused"])
def test_pictures_are_the_golden_ones(variant: str) -> None:
    """Every coordinate: what the other tests leave open is seen in the difference."""
    mapping = _mapping(variant)
    _is_golden(f"{variant}.svg", svg_picture(mapping))
    console = Console(width=200, no_color=True)
    with console.capture() as captured:
        console.print(terminal_picture(mapping))
    _is_golden(f"{variant}.txt", captured.get())


@pytest.mark.parametrize("case", ["cycle_of_topics", "anchors"])
def test_pictures_with_cycles_and_lone_nodes_are_the_golden_ones(case: str) -> None:
    mapping = map_graph(load_graph(CASES / f"{case}.yaml"), load_platform("host"))
    _is_golden(f"{case}.svg", svg_picture(mapping))


def test_a_line_past_boxes_cuts_none() -> None:
    """A topic of the first node that the last one takes too leads around what is between."""
    mapping = _mapping("processes")
    layout = _layout(mapping)
    for line in layout.lines:
        ends = {line.tail, line.head}
        for (x0, y0), (x1, y1) in itertools.pairwise(line.points):
            for name, box in layout.boxes.items():
                for share in (0.25, 0.5, 0.75):
                    point = Box(x0 + share * (x1 - x0), y0 + share * (y1 - y0), 0, 0)
                    inside_column = abs(x0 - x1) <= box.width and y0 == y1
                    assert name in ends or not (inside_column and _cut(point, box)), (line, name)


def test_layers_are_the_longest_ways_and_late_sources_stand_beside_what_they_feed() -> None:
    nodes, topics = ["a", "b", "c", "late"], ["ab", "bc", "ac", "lc"]
    edges = [("a", "ab"), ("ab", "b"), ("b", "bc"), ("bc", "c"), ("a", "ac"), ("ac", "c"),
             ("late", "lc"), ("lc", "c")]  # fmt: skip
    is_topic = {v: v in topics for v in [*nodes, *topics]}
    assert columns([*nodes, *topics], edges, is_topic) == {
        "a": 0, "ab": 1, "b": 2, "bc": 3, "c": 4, "ac": 1, "late": 2, "lc": 3,
    }  # fmt: skip


def test_a_late_source_of_a_topic_that_others_write_stands_beside_it() -> None:
    nodes, topics = ["a", "b", "late"], ["ab", "out"]
    edges = [("a", "ab"), ("ab", "b"), ("b", "out"), ("late", "out")]
    is_topic = {v: v in topics for v in [*nodes, *topics]}
    assert columns([*nodes, *topics], edges, is_topic) == {
        "a": 0, "ab": 1, "b": 2, "out": 3, "late": 2,
    }  # fmt: skip


def test_executables_stand_at_the_topics_that_they_declare() -> None:
    graph = load_graph(CASES / "executables.yaml")
    mapping = map_graph(graph, load_platform("host"), None, planned())
    svg = svg_picture(mapping)
    texts = {element.text for element in Xml.fromstring(svg).iter() if element.text}
    assert {"camera", "usb_camera/camera_node", "program.py", "/camera/only_seen"} <= texts
    assert svg.count('class="k-external"') == len(mapping.executables) + 1  # and the legend
    console = Console(file=io.StringIO(), width=200)
    console.print(terminal_picture(mapping))
    told = console.file.getvalue()  # type: ignore[attr-defined]
    assert "executable camera" in told
    assert "/camera/image_raw  sensor_msgs/Image  shm  → /sink, part-viewer" in told
    assert "/camera/only_seen  std_msgs/String  shm  → logger" in told
    without = replace(mapping, executables={})
    assert "external" not in svg_picture(without)
