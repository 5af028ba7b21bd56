# SPDX-License-Identifier: Apache-2.0
"""What the agent of microcontrollers costs: samples from datagrams into shared memory beside a loop
that only receives the same datagrams, and the way of a sample to a reader beside UDP alone."""

from __future__ import annotations

import statistics
from typing import Any

from ligament.bench.measuring import Measured, comparison, make_row, program, say, told_by

BYTES = 64
SAMPLES = (1, 4)
RECEIVING, UDP = "recvmmsg alone", "UDP alone"


def ask(what: str, passes: int, samples: int = 1) -> Any:
    """One measurement of the program."""
    words = [what, "--passes", str(passes), "--samples", str(samples), "--bytes", str(BYTES)]
    return told_by([str(program("ligament-bench-agent")), *words], timeout_s=120)


def measure(quick: bool) -> Measured:
    """Rate and latency, several times each."""
    result = Measured([])
    rounds = 2 if quick else 10
    for samples in SAMPLES:
        measure_rate(samples, rounds, 20 if quick else 100, result)
    measure_latency(rounds, 200 if quick else 2000, result)
    return result


def measure_rate(samples: int, rounds: int, passes: int, result: Measured) -> None:
    """Both loops alternate in one process; a pass drains one full socket."""
    params = {"samples_per_datagram": samples, "bytes": BYTES}
    pairs = []
    ours: list[float] = []
    bare: list[float] = []
    for number in range(rounds):
        say("agent", f"{samples} samples per datagram, pass {number + 1} of {rounds}")
        told = ask("drain", passes, samples)
        ours += told["agent_ns"]
        bare += told["bare_ns"]
        pairs.append((statistics.median(told["agent_ns"]), statistics.median(told["bare_ns"])))
    metric = "time per datagram"
    result.rows.append(make_row("agent", params, metric, "ns", ours))
    result.rows.append(make_row("agent", params, metric, "ns", bare, RECEIVING))
    rate = 1e9 * samples / statistics.median(ours)
    result.rows.append(make_row("agent", params, "samples per second", "1/s", rate))
    result.comparisons += comparison(params, metric, RECEIVING, pairs)


def measure_latency(rounds: int, passes: int, result: Measured) -> None:
    """A sample each millisecond; agent and reader sleep in between."""
    params = {"bytes": BYTES, "rate_hz": 1000}
    pairs = []
    ours: list[int] = []
    bare: list[int] = []
    for number in range(rounds):
        say("agent", f"latency, pass {number + 1} of {rounds}")
        told = ask("latency", passes)
        ours += told["agent_ns"]
        bare += told["udp_ns"]
        pairs.append((statistics.median(told["agent_ns"]), statistics.median(told["udp_ns"])))
    result.rows.append(make_row("agent", params, "latency", "ns", ours))
    result.rows.append(make_row("agent", params, "latency", "ns", bare, UDP))
    result.comparisons += comparison(params, "latency", UDP, pairs, difference_in="ns")
