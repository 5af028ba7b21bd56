# SPDX-License-Identifier: Apache-2.0
"""A running graph for people: a live row per node on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from ligament.run.status import ExecutableFigures, NodeFigures, StatusBoard

_COLOURS = {
    "running": "green",
    "done": "cyan",
    "stuck": "bold yellow",
    "silent": "bold yellow",
    "failed": "bold red",
}


class Display:
    """The observer of `ligament run`. Everything goes to stderr; stdout is left to --json."""

    def __init__(self, title: str, interval_s: float = 5.0) -> None:
        self._console = Console(stderr=True, soft_wrap=True)
        self._title = title
        self._interval_s = interval_s
        self._printed = time.monotonic()
        self._live: Live | None = None
        self._board: StatusBoard | None = None

    def __enter__(self) -> Display:
        if self._console.is_terminal:
            # Refreshed by us: rich's own refresh thread would be there when containers are forked.
            self._live = Live(console=self._console, auto_refresh=False, transient=False)
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()
        elif self._board is not None:
            self._print_lines(self._board)

    def note(self, text: str) -> None:
        """Print it once, above the live lines."""
        self._console.print(Text(text))

    def progress(self, text: str) -> None:
        """As a note: who looks on wants to know."""
        self.note(text)

    def figures(self, board: StatusBoard) -> None:
        """Show the board: at once on a terminal; elsewhere every few seconds and at the end."""
        if self._live is not None:
            self._live.update(figures_table(board, self._title), refresh=True)
        elif time.monotonic() - self._printed >= self._interval_s:
            self._printed = time.monotonic()
            self._print_lines(board)
        self._board = board

    def _print_lines(self, board: StatusBoard) -> None:
        for node in board.nodes.values():
            self._console.print(Text(plain_line(node)))
        for program in board.executables.values():
            self._console.print(Text(executable_line(program)))


class Quiet:
    """The observer of `--quiet`: errors and warnings, which a person must see."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, soft_wrap=True)

    def note(self, text: str) -> None:
        """Print it: a node's error must not be lost with the figures."""
        self._console.print(Text(text))

    def progress(self, text: str) -> None:
        """Nothing."""

    def figures(self, board: StatusBoard) -> None:
        """Nothing."""


def figures_table(board: StatusBoard, title: str) -> Table:
    """One row per node."""
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    table.add_column("node")
    for name in ("rate", "p50", "p99", "drops", "waits", "late", "CPU"):
        table.add_column(name, justify="right")
    table.add_column("state")
    for node in board.nodes.values():
        state = Text(node.state, style=_COLOURS.get(node.state, "dim"))
        table.add_row(Text(node.id), *_cells(node), state)
    for program in board.executables.values():
        state = Text(program.state, style=_COLOURS.get(program.state, "dim"))
        drops = "" if program.drops is None else str(program.drops)
        rate = "" if program.rate.hz is None else _hz(program.rate.hz)
        cells = (rate, "", "", drops, "", "", _percent(program.cpu_percent))
        table.add_row(Text(program.name), *cells, state)
    return table


def executable_line(program: ExecutableFigures) -> str:
    """The row of a program of another package as a line of text."""
    counted = "" if program.drops is None else f"{_hz(program.rate.hz)}, drops {program.drops}, "
    cpu = f"CPU {_percent(program.cpu_percent)}"
    return f"{program.name} (executable): {counted}{cpu}, {program.state}"


def plain_line(node: NodeFigures) -> str:
    """The same row as a line of text."""
    rate, p50, p99, drops, waits, late, cpu = _cells(node)
    seldom = f", waits {waits}" * (node.waits != 0) + f", late {late}" * (node.late != 0)
    return (
        f"{node.id}: {rate}, p50 {p50}, p99 {p99}, drops {drops}{seldom}, CPU {cpu}, {node.state}"
    )


def _cells(node: NodeFigures) -> tuple[str, str, str, str, str, str, str]:
    return (
        _hz(node.rate_hz),
        duration_text(node.latency_p50_ns),
        duration_text(node.latency_p99_ns),
        str(node.drops),
        str(node.waits),
        str(node.late),
        _percent(node.cpu_percent),
    )


def _hz(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f} Hz"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f} %"


def duration_text(value_ns: int | None) -> str:
    """Nanoseconds in the unit that a person would use."""
    if value_ns is None:
        return "-"
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if value_ns >= size:
            return f"{value_ns / size:.3g} {unit}"
    return f"{value_ns} ns"
