# SPDX-License-Identifier: Apache-2.0
"""A mapped graph as one self-contained SVG: light and dark, readable without any other file.

Nodes are boxes coloured by device, topics are labels coloured by transport, a frame is a container
(process) of several nodes. Hovering over anything shows the reason for its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from xml.sax.saxutils import escape

from ligament.draw.executables import KIND as EXTERNAL
from ligament.draw.executables import with_executables
from ligament.draw.layout import Box, Layout, Line, Size, node_vertex, place, topic_vertex
from ligament.draw.palette import KINDS, OUTSIDE, TRANSPORTS, Ink, main_transport
from ligament.errors import counted
from ligament.mapping.explain import predictions
from ligament.mapping.model import GraphMapping, MappedNode, MappedTopic

# Mean width of a character of the sans-serif fonts that viewers have, as a share of the size: on
# the wide side, so that text never leaves its box.
CHARACTER = 0.58
NAME_PX, SMALL_PX, TITLE_PX = 14, 11, 17
MARGIN = 24.0
HEADER = 58.0
FOOTER = 46.0
UTURN = 34.0


def svg_picture(mapping: GraphMapping) -> str:
    """Return the picture of a mapped graph as SVG text; the same mapping gives the same bytes."""
    mapping = with_executables(mapping)
    sizes = {node_vertex(n): _node_size(n, node) for n, node in mapping.nodes.items()}
    sizes |= {topic_vertex(t): _topic_size(topic) for t, topic in mapping.topics.items()}
    layout = place(mapping, sizes)
    legend = _legend(mapping)
    width = max(layout.width + 2 * MARGIN, _legend_width(legend) + 2 * MARGIN, 420.0)
    height = layout.height + HEADER + FOOTER + MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
        f'aria-label="{_attribute(_title(mapping))}">',
        _style(_kinds(mapping)),
        f'<rect class="paper" width="{width:.0f}" height="{height:.0f}"/>',
        *_heading(mapping),
        f'<g transform="translate({MARGIN:.0f},{HEADER:.0f})">',
        *[_frame(name, frame) for name, frame in sorted(layout.frames.items())],
        *[_line(line, mapping) for line in layout.lines],
        *[_node(n, node, layout, mapping) for n, node in mapping.nodes.items()],
        *[_topic(topic, layout.boxes[topic_vertex(t)]) for t, topic in mapping.topics.items()],
        "</g>",
        *_legend_marks(legend, height - FOOTER / 2),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _text_width(text: str, px: float) -> float:
    return len(text) * px * CHARACTER


def _node_size(name: str, node: MappedNode) -> Size:
    widest = max(
        _text_width(name, NAME_PX * 1.06),
        _text_width(node.type, SMALL_PX),
        _text_width(_foot(node), SMALL_PX),
    )
    return Size(max(110.0, widest + 30), 68)


def _foot(node: MappedNode) -> str:
    return node.device if node.kind == EXTERNAL else f"{node.device} · {node.container}"


def _topic_size(topic: MappedTopic) -> Size:
    widest = max(_text_width(topic.id, SMALL_PX + 1), _text_width(_carried(topic), SMALL_PX - 1))
    return Size(widest + 22, 38)


def _carried(topic: MappedTopic) -> str:
    """Message and transports, as far as they are known: a recording does not tell them all."""
    message = topic.message.replace("/msg/", "/")
    return " · ".join(part for part in (message, " + ".join(topic.transports)) if part)


def _title(mapping: GraphMapping) -> str:
    return f"{mapping.graph}, variant {mapping.variant}, on {mapping.platform}"


def _heading(mapping: GraphMapping) -> list[str]:
    told = escape(
        mapping.description
        or f"{counted(len(mapping.nodes), 'node')}, {counted(len(mapping.topics), 'topic')}, "
        f"{counted(len(mapping.containers), 'container')}"
    )
    return [
        f'<text class="title" x="{MARGIN:.0f}" y="28">{escape(mapping.graph)}'
        f'<tspan class="dim" dx="10">{escape(mapping.variant)} on {escape(mapping.platform)}'
        "</tspan></text>",
        f'<text class="small" x="{MARGIN:.0f}" y="46">{told}</text>',
    ]


def _frame(name: str, frame: tuple[float, float, float, float]) -> str:
    x, y, width, height = frame
    return (
        f'<g><rect class="frame" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
        f'rx="12"/><text class="small" x="{x + 12:.1f}" y="{y + 18:.1f}">container {escape(name)}'
        "</text></g>"
    )


def _node(name: str, node: MappedNode, layout: Layout, mapping: GraphMapping) -> str:
    box = layout.boxes[node_vertex(name)]
    left, top = box.x - box.width / 2, box.y - box.height / 2
    alone = len(mapping.containers[node.container]) < 2
    foot = _foot(node) if alone else node.device
    replaced = f"; replaces {', '.join(node.replaces)}" if node.replaces else ""
    return (
        f'<g class="k-{node.kind}">'
        f"<title>{escape(name)}: {escape(node.reason.text + replaced)}</title>"
        f'<rect class="node" x="{left:.1f}" y="{top:.1f}" width="{box.width:.1f}" '
        f'height="{box.height:.1f}" rx="9"/>'
        f'<rect class="stripe" x="{left:.1f}" y="{top + 8:.1f}" width="4" '
        f'height="{box.height - 16:.1f}" rx="2"/>'
        f'<text class="name" x="{left + 15:.1f}" y="{top + 23:.1f}">{escape(name)}</text>'
        f'<text class="small" x="{left + 15:.1f}" y="{top + 40:.1f}">{escape(node.type)}</text>'
        f'<text class="small kind" x="{left + 15:.1f}" y="{top + 56:.1f}">{escape(foot)}</text></g>'
    )


def _topic(topic: MappedTopic, box: Box) -> str:
    left, top = box.x - box.width / 2, box.y - box.height / 2
    transport = main_transport(topic.transports)
    told = "\n".join((f"{topic.id}: {topic.reason.text}", *predictions(topic)))
    return (
        f'<g class="t-{transport}"><title>{escape(told)}</title>'
        f'<rect class="topic" x="{left:.1f}" y="{top:.1f}" width="{box.width:.1f}" '
        f'height="{box.height:.1f}" rx="{box.height / 2:.1f}"/>'
        f'<text class="topicname" x="{box.x:.1f}" y="{box.y - 3:.1f}">{escape(topic.id)}</text>'
        f'<text class="tiny" x="{box.x:.1f}" y="{box.y + 11:.1f}">{escape(_carried(topic))}</text>'
        "</g>"
    )


def _line(line: Line, mapping: GraphMapping) -> str:
    to_node = line.head.startswith("node ")
    name = (line.tail if to_node else line.head).removeprefix("topic ")
    transport = main_transport(mapping.topics[name].transports)
    arrow = f' marker-end="url(#arrow-{transport})"' if to_node else ""
    return f'<path class="edge t-{transport}" d="{_path(line)}"{arrow}/>'


def _path(line: Line) -> str:
    """Return a smooth way through the points: level at sides, upright at upper and lower rims."""
    parts = [f"M{line.points[0][0]:.1f} {line.points[0][1]:.1f}"]
    last = len(line.points) - 2
    for i, (start, end) in enumerate(pairwise(line.points)):
        first_bend, second_bend = _bends(start, end, line.back and i == 0, line.back and i == last)
        parts.append(f"C{_point(first_bend)} {_point(second_bend)} {_point(end)}")
    return "".join(parts)


Point = tuple[float, float]


def _bends(start: Point, end: Point, leaves_rim: bool, meets_rim: bool) -> tuple[Point, Point]:
    """Return the two control points of a piece of a line."""
    middle = (start[0] + end[0]) / 2
    if leaves_rim and meets_rim:
        return (start[0], start[1] + UTURN), (end[0], end[1] + UTURN)
    first = (start[0], end[1]) if leaves_rim else (middle, start[1])
    second = (end[0], start[1]) if meets_rim else (middle, end[1])
    return first, second


def _point(point: Point) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"


def _kinds(mapping: GraphMapping) -> dict[str, Ink]:
    """Return the inks of nodes: of devices, and of executables where there are some."""
    outside = any(node.kind == EXTERNAL for node in mapping.nodes.values())
    return {**KINDS, EXTERNAL: OUTSIDE} if outside else KINDS


def _legend(mapping: GraphMapping) -> list[tuple[str, str]]:
    kinds = [k for k in _kinds(mapping) if any(n.kind == k for n in mapping.nodes.values())]
    used = {main_transport(t.transports) for t in mapping.topics.values() if t.transports}
    return [("k", k) for k in kinds] + [("t", t) for t in TRANSPORTS if t in used]


def _legend_width(legend: list[tuple[str, str]]) -> float:
    return sum(_text_width(name, SMALL_PX) + 56 for _, name in legend)


def _legend_marks(legend: list[tuple[str, str]], y: float) -> list[str]:
    marks, x = [], MARGIN
    for group, name in legend:
        shape = (
            f'<rect class="node" x="{x:.1f}" y="{y - 7:.1f}" width="22" height="14" rx="4"/>'
            if group == "k"
            else f'<path class="edge" d="M{x:.1f} {y:.1f}h26"/>'
        )
        marks.append(
            f'<g class="{group}-{name}">{shape}'
            f'<text class="small" x="{x + 32:.1f}" y="{y + 4:.1f}">{name}</text></g>'
        )
        x += _text_width(name, SMALL_PX) + 56
    return marks


def _attribute(text: str) -> str:
    return escape(text, {'"': "&quot;"})


@dataclass(frozen=True)
class _Theme:
    """The colours that tell nothing: paper, text, dim text, frames and their rims, boxes."""

    paper: str
    ink: str
    dim: str
    frame: str
    rim: str
    box: str


_LIGHT = _Theme("#ffffff", "#1c2430", "#5b6777", "#f3f5f9", "#c9d1de", "#ffffff")
_DARK = _Theme("#12161d", "#e8ecf2", "#9aa7b8", "#171c25", "#39434f", "#1a2029")


def _style(kinds: Mapping[str, Ink]) -> str:
    """Return style sheet and arrow heads. No CSS variables: several viewers do not know them."""
    dashes = "".join(
        f".t-{name}.edge,.t-{name} .edge{{stroke-dasharray:{ink.dash}}}"
        for name, ink in TRANSPORTS.items()
        if ink.dash
    )
    shapes = (
        "text{font-family:system-ui,'Segoe UI','Helvetica Neue',Arial,sans-serif}"
        f".title{{font-size:{TITLE_PX}px;font-weight:600}}.dim{{font-weight:400}}"
        f".name{{font-size:{NAME_PX}px;font-weight:600}}.small{{font-size:{SMALL_PX}px}}"
        f".topicname{{font-size:{SMALL_PX + 1}px;text-anchor:middle}}"
        f".tiny{{font-size:{SMALL_PX - 1}px;text-anchor:middle}}"
        ".node{stroke-width:1.5}.topic{stroke-width:1.2}.frame{stroke-dasharray:3 3}"
        ".edge{fill:none;stroke-width:1.7}"
    )
    light, dark = _colours(_LIGHT, "light", kinds), _colours(_DARK, "dark", kinds)
    heads = "".join(
        f'<marker id="arrow-{name}" class="t-{name}" viewBox="0 0 8 8" refX="7.4" refY="4" '
        'markerWidth="7" markerHeight="7" orient="auto"><path class="head" d="M0 0L8 4L0 8z"/>'
        "</marker>"
        for name in TRANSPORTS
    )
    sheet = f"{shapes}{dashes}{light}@media(prefers-color-scheme:dark){{{dark}}}"
    return f"<style>{sheet}</style><defs>{heads}</defs>"


def _colours(theme: _Theme, which: str, kinds: Mapping[str, Ink]) -> str:
    rules = [
        f"text{{fill:{theme.ink}}}.small,.tiny,.dim{{fill:{theme.dim}}}.paper{{fill:{theme.paper}}}",
        f".node,.topic{{fill:{theme.box}}}.frame{{fill:{theme.frame};stroke:{theme.rim}}}",
    ]
    for prefix, table in (("k", kinds), ("t", TRANSPORTS)):
        for name, ink in table.items():
            colour = ink.light if which == "light" else ink.dark
            of = f".{prefix}-{name}"
            rules.append(f"{of}.edge,{of} .edge,{of} .node,{of} .topic{{stroke:{colour}}}")
            rules.append(f"{of} .stripe,{of} .kind,{of} .head{{fill:{colour}}}")
    return "".join(rules)
