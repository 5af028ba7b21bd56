# SPDX-License-Identifier: Apache-2.0
"""Where the boxes of a mapped graph stand, and which way its edges go.

Columns come from `layers`. Vertically, *items* are placed one after the other, each at the free
place nearest to the middle of its neighbours: a container with several nodes is one item, whose
frame nothing else may enter; everything else is an item of its own, also the corner points that
lead long edges between the boxes. A few rounds with better known neighbours settle the picture.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from ligament.draw.layers import Edge, closing_edges, columns
from ligament.mapping.model import GraphMapping

ROUNDS = 6
COLUMN_GAP = 44.0
ROW_GAP = 18.0
FRAME_MARGIN = 14.0
FRAME_TITLE = 22.0


@dataclass(frozen=True)
class Size:
    """Width and height of a box, in pixels."""

    width: float
    height: float


@dataclass
class Item:
    """Things that are placed together; `offsets` are their middles below the item's top."""

    name: str
    first: int
    last: int
    height: float
    offsets: dict[str, float]
    frame: bool = False
    top: float = 0.0


@dataclass(frozen=True)
class Box:
    """A placed vertex; x and y are its middle."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Line:
    """A placed edge: points from box to box; `back` if it closes a cycle and so leads leftwards."""

    tail: str
    head: str
    points: tuple[tuple[float, float], ...]
    back: bool


@dataclass
class Layout:
    """Everything in its place."""

    boxes: dict[str, Box] = field(default_factory=dict)
    frames: dict[str, tuple[float, float, float, float]] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)
    width: float = 0.0
    height: float = 0.0


def node_vertex(name: str) -> str:
    """Return the vertex of a node; a node and a topic may have the same id."""
    return f"node {name}"


def topic_vertex(name: str) -> str:
    """Return the vertex of a topic."""
    return f"topic {name}"


def place(mapping: GraphMapping, sizes: Mapping[str, Size]) -> Layout:
    """Return the layout of a mapped graph; `sizes` gives each vertex's size."""
    return _Placement(mapping, sizes).layout()


class _Placement:
    """The steps of one layout, with what they share."""

    def __init__(self, mapping: GraphMapping, sizes: Mapping[str, Size]) -> None:
        self.mapping = mapping
        self.sizes = dict(sizes)
        vertices = [*map(node_vertex, mapping.nodes), *map(topic_vertex, mapping.topics)]
        edges = _edges(mapping)
        self.vertices = vertices
        self.closing = closing_edges(vertices, edges)
        self.edges = edges
        forward = [(h, t) if (t, h) in self.closing else (t, h) for t, h in edges]
        topics = {v: v.startswith("topic ") for v in vertices}
        self.column = columns(vertices, list(dict.fromkeys(forward)), topics)
        self.chains = {edge: self._chain(edge) for edge in edges}
        self.items = [*self._frames(), *self._singles()]
        self.widths: dict[int, float] = {}
        self.owner = {v: item for item in self.items for v in item.offsets}

    def _chain(self, edge: Edge) -> list[str]:
        """Return the vertices that an edge passes, with a corner in each column between."""
        tail, head = edge
        step = 1 if self.column[head] >= self.column[tail] else -1
        chain = [tail]
        for column in range(self.column[tail] + step, self.column[head], step):
            corner = f"{tail}->{head}@{column}"
            self.column[corner] = column
            self.sizes[corner] = Size(0, 4)
            chain.append(corner)
        return [*chain, head]

    def _frames(self) -> Iterable[Item]:
        for name, members in self.mapping.containers.items():
            if len(members) < 2:
                continue
            inside = [*map(node_vertex, members), *self._inner_topics(set(members))]
            yield self._item(name, inside, frame=True)

    def _inner_topics(self, members: set[str]) -> list[str]:
        return [
            topic_vertex(t)
            for t, topic in self.mapping.topics.items()
            if topic.ends and all(e.node in members for e in topic.ends)
        ]

    def _singles(self) -> Iterable[Item]:
        framed = {v for item in self._frames() for v in item.offsets}
        for vertex in self.column:
            if vertex not in framed:
                yield self._item(vertex, [vertex], frame=False)

    def _item(self, name: str, members: Sequence[str], *, frame: bool) -> Item:
        rows: dict[int, list[str]] = {}
        for member in members:
            rows.setdefault(self.column[member], []).append(member)
        heights = {c: _stacked([self.sizes[m].height for m in r]) for c, r in rows.items()}
        tallest = max(heights.values())
        above = FRAME_MARGIN + FRAME_TITLE if frame else 0.0
        offsets: dict[str, float] = {}
        for column, row in rows.items():
            y = above + (tallest - heights[column]) / 2
            for member in row:
                offsets[member] = y + self.sizes[member].height / 2
                y += self.sizes[member].height + ROW_GAP
        height = tallest + above + (FRAME_MARGIN if frame else 0.0)
        return Item(name, min(rows), max(rows), height, offsets, frame)

    def layout(self) -> Layout:
        """Place everything and return it."""
        neighbours = self._neighbours()
        corners = self._corners()
        placed: set[str] = set()
        for _ in range(ROUNDS):
            taken: dict[int, list[tuple[float, float]]] = {}
            for item in self._order(neighbours, placed):
                wish = self._wish(item, neighbours, placed)
                if item.name in corners:
                    wish = self._straight_on(*corners[item.name])
                item.top = _nearest_free(item, wish, taken)
                placed.update(item.offsets)
                for column in range(item.first, item.last + 1):
                    taken.setdefault(column, []).append((item.top, item.top + item.height))
        return self._result()

    def _order(self, neighbours: Mapping[str, list[str]], placed: set[str]) -> list[Item]:
        """Frames first, then boxes by where they want to be, then corners along their lines."""
        wishes = {i.name: round(self._wish(i, neighbours, placed), 3) for i in self.items}
        along = {c: i for chain in self.chains.values() for i, c in enumerate(chain[1:-1], 1)}
        return sorted(
            self.items,
            key=lambda i: (not i.frame, along.get(i.name, 0), wishes[i.name], i.first, i.name),
        )

    def _neighbours(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for tail, head in self.edges:
            found.setdefault(tail, []).append(head)
            found.setdefault(head, []).append(tail)
        return found

    def _corners(self) -> dict[str, tuple[str, str, int]]:
        """Return what comes before each corner, where its line ends, and how many steps away."""
        return {
            corner: (chain[i], chain[-1], len(chain) - 1 - i)
            for chain in self.chains.values()
            for i, corner in enumerate(chain[1:-1])
        }

    def _straight_on(self, before: str, head: str, steps: int) -> float:
        """Return the height that leads straight from the point before to the line's end."""
        return self._y(before) + (self._y(head) - self._y(before)) / steps

    def _wish(self, item: Item, neighbours: Mapping[str, list[str]], placed: set[str]) -> float:
        """Return the top that brings the item's members level with their neighbours."""
        tops = [
            self._y(other) - offset
            for member, offset in item.offsets.items()
            for other in neighbours.get(member, [])
            if other in placed and self.owner[other] is not item
        ]
        return fmean(tops) if tops else item.top

    def _y(self, vertex: str) -> float:
        item = self.owner[vertex]
        return item.top + item.offsets[vertex]

    def _result(self) -> Layout:
        top = min((i.top for i in self.items), default=0.0)
        for item in self.items:
            item.top -= top
        xs = self._column_middles()
        layout = Layout()
        for vertex in self.vertices:
            size = self.sizes[vertex]
            layout.boxes[vertex] = Box(
                xs[self.column[vertex]], self._y(vertex), size.width, size.height
            )
        for item in self.items:
            if item.frame:
                layout.frames[item.name] = self._frame(item, layout.boxes)
        layout.lines = [self._line(edge, xs) for edge in self.edges]
        layout.width = (
            max((b.x + b.width / 2 for b in layout.boxes.values()), default=0.0) + FRAME_MARGIN
        )
        layout.height = max((i.top + i.height for i in self.items), default=0.0)
        return layout

    def _column_middles(self) -> dict[int, float]:
        xs: dict[int, float] = {}
        x = FRAME_MARGIN
        for column in range(max(self.column.values(), default=0) + 1):
            width = self.widths[column] = max(
                (self.sizes[v].width for v, c in self.column.items() if c == column), default=0.0
            )
            xs[column] = x + width / 2
            x += width + COLUMN_GAP
        return xs

    def _frame(self, item: Item, boxes: Mapping[str, Box]) -> tuple[float, float, float, float]:
        inside = [boxes[v] for v in item.offsets]
        left = min(b.x - b.width / 2 for b in inside) - FRAME_MARGIN
        right = max(b.x + b.width / 2 for b in inside) + FRAME_MARGIN
        return left, item.top, right - left, item.height

    def _line(self, edge: Edge, xs: Mapping[int, float]) -> Line:
        chain = self.chains[edge]
        tail, head = chain[0], chain[-1]
        back = self.column[head] < self.column[tail]
        side = -1 if back else 1
        corners = [p for c in chain[1:-1] for p in self._across(c, xs, side)]
        if back:
            # From and to the upper or lower rim, so that it is not taken for one of the lines
            # that leave to the right.
            nearest = corners[0][1] if corners else self._y(tail) + 1
            start = self._rim(tail, xs, nearest)
            end = self._rim(head, xs, corners[-1][1] if corners else nearest)
        else:
            start = (xs[self.column[tail]] + self.sizes[tail].width / 2, self._y(tail))
            end = (xs[self.column[head]] - self.sizes[head].width / 2, self._y(head))
        return Line(tail, head, (start, *corners, end), back)

    def _rim(self, vertex: str, xs: Mapping[int, float], towards: float) -> tuple[float, float]:
        """Return the middle of a box's upper or lower rim, whichever is nearer to a height."""
        half = self.sizes[vertex].height / 2
        y = self._y(vertex)
        return xs[self.column[vertex]], y + (half if towards > y else -half)

    def _across(
        self, corner: str, xs: Mapping[int, float], side: int
    ) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return where a line enters and leaves a column: level, so that it cuts no box there."""
        middle, half = xs[self.column[corner]], self.widths[self.column[corner]] / 2
        y = self._y(corner)
        return (middle - side * half, y), (middle + side * half, y)


def _edges(mapping: GraphMapping) -> list[Edge]:
    found: list[Edge] = []
    for topic in mapping.topics.values():
        for end in topic.ends:
            node, carried = node_vertex(end.node), topic_vertex(topic.id)
            found.append((node, carried) if end.direction == "out" else (carried, node))
    return list(dict.fromkeys(found))


def _stacked(heights: Sequence[float]) -> float:
    return sum(heights) + ROW_GAP * (len(heights) - 1)


def _nearest_free(item: Item, wish: float, taken: Mapping[int, list[tuple[float, float]]]) -> float:
    """Return the top nearest to the wish at which the item touches nothing placed before."""
    others = [span for c in range(item.first, item.last + 1) for span in taken.get(c, [])]
    candidates = [wish]
    for top, bottom in others:
        candidates += [top - item.height - ROW_GAP, bottom + ROW_GAP]
    free = [
        c
        for c in candidates
        if all(
            c + item.height + ROW_GAP <= top + 1e-6 or c >= bottom + ROW_GAP - 1e-6
            for top, bottom in others
        )
    ]
    return min(free, key=lambda c: (abs(c - wish), c))
