# SPDX-License-Identifier: Apache-2.0
"""The tables that people see: times and speed-ups as in the published figures 6 and 7."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from ligament.bench.gateway.design import CLOCK_HZ
from ligament.bench.gateway.goals import NAMES, PAPER
from ligament.bench.gateway.options import LATENCY
from ligament.bench.showing import plain_table

Cells = dict[tuple[Any, ...], dict[str, Any]]
KEYS = ("width", "read_latency", "software", "publisher", "bytes", "subscribers")
#: Whose figures a table shows, by peer.
OURS = {
    "ligament": "",
    "published-sources": "published design, by its sources: ",
    "published-text": "published design, by its text: ",
    "published-fitted": "published design, fitted: ",
}


def print_result(console: Console, result: dict[str, Any]) -> None:
    """A table per publisher, of one width, latency and share of software; then the sweep."""
    rows = result["rows"]
    speedups: Cells = {(*key_of(r), r["params"]["path"]): r for r in _of(rows, "speedup")}
    transfers: Cells = {
        (*key_of(r), r["params"]["path"], r["params"]["transport"]): r
        for r in _of(rows, "transfer")
    }
    efficiency: Cells = {
        key_of(r): r for r in _of(rows, "port_efficiency") if r["params"]["transport"] == "smt"
    }
    for shared in shown(efficiency):
        for publisher in ("hw", "sw"):
            head = (*shared, publisher)
            keys = sorted(key for key in efficiency if key[:5] == head)
            console.print(_table(head, keys, (speedups, transfers, efficiency)), soft_wrap=True)
            for path in ("hw", "sw"):
                text = PAPER[publisher, path]
                console.print(f"paper, {NAMES[publisher]} to {NAMES[path]}: {text}")
            console.print()
    console.print(_sweep(speedups), soft_wrap=True)


def key_of(row: dict[str, Any]) -> tuple[Any, ...]:
    """Of the experiment that a row belongs to."""
    return (row["peer"], *(row["params"][key] for key in KEYS))


def shown(cells: Cells) -> list[tuple[Any, ...]]:
    """Peer, width, latency, software of the tables: one latency; software's time or none."""
    heads = sorted({key[:4] for key in cells})
    usual = [head for head in heads if head[2] in (0, LATENCY)]
    return usual or heads[:1]


def _of(rows: list[dict[str, Any]], metric: str) -> list[dict[str, Any]]:
    return [row for row in rows if row["metric"] == metric]


def _table(head: tuple[Any, ...], keys: list[Any], cells: tuple[Cells, Cells, Cells]) -> Table:
    speedups, transfers, efficiency = cells
    peer, width, latency, software, publisher = head
    time = "software's time included" if software else "hardware alone"
    title = f"{NAMES[publisher]} publisher, {width} bits, {latency} cycles to memory, {time}"
    title = OURS[peer] + title
    headings = ("bytes", "cores", "smt ms", "gateway ms", "hw x", "smt ms", "gateway ms", "sw x")
    table = plain_table((*headings, "smt port"), title)
    for key in keys:
        words = [str(key[5]), str(key[6])]
        for path in ("hw", "sw"):
            for transport in ("smt", "gateway"):
                cycles = transfers[(*key, path, transport)]["mean"]
                words.append(f"{cycles / CLOCK_HZ * 1e3:.4f}")
            words.append(f"{speedups[(*key, path)]['p50']:.2f}")
        table.add_row(*words, f"{efficiency[key]['p50']:.3f}")
    return table


def _sweep(speedups: Cells) -> Table:
    """Least and largest speed-up over all memory latencies."""
    groups: dict[tuple[Any, ...], list[float]] = {}
    for (peer, width, _, software, publisher, size, cores, path), row in speedups.items():
        key = (peer, width, software, publisher, path, size, cores)
        groups.setdefault(key, []).append(row["p50"])
    headings = ("of", "bits", "software", "from", "to", "bytes", "cores", "least", "most", "n")
    table = plain_table(headings, "speed-up over all memory latencies")
    for key, values in sorted(groups.items()):
        peer, width, software, *rest = key
        words = map(str, (peer, width, "yes" if software else "no", *rest))
        table.add_row(*words, f"{min(values):.2f}", f"{max(values):.2f}", str(len(values)))
    return table
