# SPDX-License-Identifier: Apache-2.0
"""A fleet's discovery on paper: spec/run/fleet.md derives these formulas.

n: participants; e: endpoints of each, the graph's own writer included.
"""

from __future__ import annotations

#: A participant announces itself and asserts its liveliness this often, with a lease of 10 s.
INTERVAL_S = 8.0
#: An edge's own memory, measured (benchmarks/fleet): the process, each endpoint of its host, each
#: endpoint elsewhere, each participant elsewhere.
PROCESS_B, OWN_B, REMOTE_B, PARTICIPANT_B = 1_300_000, 13_000, 3_600, 60_000


def idle_frames(n: int) -> float:
    """Per second, of the whole fleet: one announcement, one assertion and its answers from all."""
    return n * (2 + (n - 1)) / INTERVAL_S if n > 1 else n / INTERVAL_S


def join_endpoints(n: int, e: int) -> int:
    """Announcements of endpoints when one host comes: all others' to it, and its own once."""
    return n * e if n > 1 else 0


def start_endpoints(n: int, e: int) -> int:
    """The same when all come, one after the other."""
    return sum(join_endpoints(k, e) for k in range(2, n + 1))


def memory(n: int, e: int) -> float:
    """Of one edge, in bytes."""
    return PROCESS_B + OWN_B * e + (n - 1) * (PARTICIPANT_B + REMOTE_B * e)
