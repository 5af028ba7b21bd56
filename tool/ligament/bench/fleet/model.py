# SPDX-License-Identifier: Apache-2.0
"""A fleet's discovery on paper: spec/run/fleet.md derives these formulas.

n: participants; e: endpoints of each, the graph's own writer included.
"""

from __future__ import annotations

#: A participant announces itself and asserts its liveliness this often, with a lease of 10 s.
INTERVAL_S = 8.0
#: Frames with their Ethernet header: an announcement, an assertion with its heartbeat, its answer.
ANNOUNCEMENT_B, ASSERTION_B, ANSWER_B = 470, 158, 106
#: An edge's own memory, measured (benchmarks/fleet): the process, each endpoint of its host, each
#: endpoint elsewhere, each participant elsewhere.
PROCESS_B, OWN_B, REMOTE_B, PARTICIPANT_B = 1_300_000, 13_000, 3_600, 60_000
#: Processor time of an edge for each endpoint elsewhere until it is matched, and at rest for each
#: participant elsewhere; measured.
REMOTE_S = 100e-6


def idle_frames(n: int) -> float:
    """Per second, of the whole fleet: one announcement, one assertion and its answers from all."""
    return n * (2 + (n - 1)) / INTERVAL_S if n > 1 else n / INTERVAL_S


def idle_bytes(n: int) -> float:
    """Per second, of the whole fleet."""
    each = ANNOUNCEMENT_B + (ASSERTION_B + (n - 1) * ANSWER_B if n > 1 else 0)
    return n * each / INTERVAL_S


def received_frames(n: int) -> float:
    """Per second, by one host: what the others multicast, and the answers to its own assertion."""
    return (2 * (n - 1) + (n - 1)) / INTERVAL_S


def join_endpoints(n: int, e: int) -> int:
    """Announcements of endpoints when one host comes: all others' to it, and its own once."""
    return n * e if n > 1 else 0


def start_endpoints(n: int, e: int) -> int:
    """The same when all come, one after the other."""
    return sum(join_endpoints(k, e) for k in range(2, n + 1))


def memory(n: int, e: int) -> float:
    """Of one edge, in bytes."""
    return PROCESS_B + OWN_B * e + (n - 1) * (PARTICIPANT_B + REMOTE_B * e)


def start_cpu_s(n: int, e: int) -> float:
    """Of one edge, until it knows all others."""
    return (n - 1) * e * REMOTE_S
