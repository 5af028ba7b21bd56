# SPDX-License-Identifier: Apache-2.0
"""What the agent of microcontrollers costs: samples from datagrams into shared memory beside a loop
that only receives the same datagrams, the way of a sample to a reader beside UDP alone, copies."""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path
from typing import Any

from ligament.bench.goals import OURS, Figures, Goal
from ligament.bench.measuring import (
    Measured,
    comparison,
    make_row,
    output_of,
    program,
    say,
    told_by,
)

BYTES = 64
SAMPLES = (1, 4)
RECEIVING, UDP = "recvmmsg alone", "UDP alone"
#: Of a sample whose copies are counted: smaller pieces are heads and names.
COPIED_BYTES = 300
COPIED_PASSES = (1, 21)
#: Datagrams of a pass (drain.cpp).
BURST = 128
#: For how long an agent looks before it sleeps: one that spins always does, at a sample per ms.
SPIN_US = {"sleeps": 0, "spins": 2000}

WHY_SEVERAL = (
    "a bare loop does not look at what is in a datagram: each sample has a submessage, a block and"
    " an entry of its own"
)
WHY_LATE = "a machine with few idle processors: agent and reader each wait to be woken, UDP's once"
FIGURES = Figures(
    goals=(
        Goal(
            "time over recvmmsg alone, {samples_per_datagram} sample(s) of {size} per datagram",
            "time per datagram", 1.5, against=RECEIVING, why=WHY_SEVERAL,
        ),
        Goal(
            "samples per second, {samples_per_datagram} of {size} per datagram",
            "samples per second", at_least=True,
        ),
        Goal(
            "one way over shm, added to UDP alone, {size} at {rate_hz} Hz, an agent that {agent}",
            "latency", 20_000, against=UDP, kind="difference", why=WHY_LATE,
        ),
        Goal("the same, an agent that {agent}, 99th percentile", "latency", value="p99"),
        Goal("copies of a sample of {size} in the agent", "copies", 1.0, exact=True),
    ),
    results={"agent": "one client over UDP, a reader in the pool"},
    floors=(RECEIVING, UDP),
)  # fmt: skip


def ask(what: str, passes: int, *words: str, samples: int = 1) -> Any:
    """One measurement of the program."""
    return told_by([*_command(what, passes, samples, BYTES), *words], timeout_s=120)


def _command(what: str, passes: int, samples: int, size: int) -> list[str]:
    words = [what, "--passes", str(passes), "--samples", str(samples), "--bytes", str(size)]
    return [str(program("ligament-bench-agent")), *words]


def measure(quick: bool) -> Measured:
    """Rate and latency, several times each."""
    result = Measured([])
    rounds = 2 if quick else 10
    for samples in SAMPLES:
        measure_rate(samples, rounds, 20 if quick else 100, result)
    # Passes differ by where the kernel puts three threads on two cores, so there are more of them.
    measure_latency(rounds if quick else 3 * rounds, 200 if quick else 2000, result)
    say("agent", "copies")
    with result.attempt("copies"):
        measure_copies(result)
    return result


def measure_rate(samples: int, rounds: int, passes: int, result: Measured) -> None:
    """Both loops alternate in one process; a pass drains one full socket."""
    params = {"samples_per_datagram": samples, "bytes": BYTES}
    pairs = []
    ours: list[float] = []
    bare: list[float] = []
    for number in range(rounds):
        say("agent", f"{samples} samples per datagram, pass {number + 1} of {rounds}")
        told = ask("drain", passes, samples=samples)
        ours += told["agent_ns"]
        bare += told["bare_ns"]
        pairs.append((statistics.median(told["agent_ns"]), statistics.median(told["bare_ns"])))
    metric = "time per datagram"
    result.rows.append(make_row("agent", params, metric, "ns", ours))
    result.rows.append(make_row("agent", params, metric, "ns", bare, RECEIVING))
    rate = 1e9 * samples / statistics.median(ours)
    result.rows.append(make_row("agent", params, "samples per second", "samples/s", rate))
    result.comparisons += comparison(params, metric, RECEIVING, pairs)


def measure_latency(rounds: int, passes: int, result: Measured) -> None:
    """A sample each millisecond, between which the reader sleeps, and of two agents one does."""
    told: dict[str, list[Any]] = {agent: [] for agent in SPIN_US}
    for number in range(rounds):
        say("agent", f"latency, pass {number + 1} of {rounds}")
        for agent, spin_us in SPIN_US.items():
            told[agent].append(ask("latency", passes, "--spin", str(spin_us)))
    for agent, all_told in told.items():
        params = {"bytes": BYTES, "rate_hz": 1000, "agent": agent}
        for key, peer in (("agent_ns", OURS), ("udp_ns", UDP)):
            late = [one for pass_ in all_told for one in pass_[key]]
            result.rows.append(make_row("agent", params, "latency", "ns", late, peer))
        pairs = [
            (statistics.median(one["agent_ns"]), statistics.median(one["udp_ns"]))
            for one in all_told
        ]
        result.comparisons += comparison(params, "latency", UDP, pairs, difference_in="ns")


def measure_copies(result: Measured) -> None:
    """What a pass more copies, by its samples: the client in the same process copies heads only."""
    few, many = (bytes_copied(passes) for passes in COPIED_PASSES)
    samples = (COPIED_PASSES[1] - COPIED_PASSES[0]) * BURST
    copies = round((many - few) / (samples * COPIED_BYTES), 2)
    result.rows.append(make_row("agent", {"bytes": COPIED_BYTES}, "copies", "1", copies))


def bytes_copied(passes: int) -> int:
    """By memcpy and memmove in pieces of 256 bytes and more (benchmarks/mcu/copies.cpp)."""
    library = program("ligament-bench-mcu-copies.so")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "copied"
        variables = {"LD_PRELOAD": str(library), "LIGAMENT_COPIES": str(path)}
        output_of(_command("drain", passes, 1, COPIED_BYTES), environment=variables, timeout_s=120)
        return int(path.read_text())
