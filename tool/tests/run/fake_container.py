# SPDX-License-Identifier: Apache-2.0
"""A container's outside without its inside: the status pipe, the signals, the ways to end.

    fake_container.py BEHAVIOUR NODE... --status-fd N

It lets the supervisor be tested without a compiler; `test_run_graph.py` uses real containers.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time


def say(event: str, **fields: object) -> None:
    # One unbuffered write: a signal handler says something in the midst of another line.
    status = int(sys.argv[-1])
    os.write(status, json.dumps({"event": event, **fields}).encode() + b"\n")


def start(behaviour: str, nodes: list[str]) -> None:
    def leave(*_: object) -> None:
        if behaviour == "done_then_crash":
            os.kill(os.getpid(), signal.SIGABRT)
        say("stopped")
        os._exit(0)

    print(f"{behaviour}: hello from the log", flush=True)
    if behaviour == "refuse":
        say("error", node=nodes[0], text="the parameter 'gain' is not a number")
        sys.exit(2)
    if behaviour == "hang_at_start":
        time.sleep(1000)
    if behaviour == "crash_at_start":
        os.kill(os.getpid(), signal.SIGSEGV)
    signal.signal(signal.SIGTERM, signal.SIG_IGN if behaviour == "stubborn" else leave)
    say("ready", pid=os.getpid())
    if behaviour == "garbage":
        os.write(int(sys.argv[-1]), b"this is no JSON\n[1]\n")


def misbehave(behaviour: str, nodes: list[str]) -> None:
    if behaviour == "crash_once":
        os.kill(os.getpid(), signal.SIGABRT)
    if behaviour == "complains":
        for text in ("no calibration", "no calibration", "no image"):
            say("error", node=nodes[0], text=text)
    if behaviour == "full":
        print("cannot write the map: No space left on device", flush=True)
        sys.exit(3)
    if behaviour == "too_large":
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # which Python ignores
        os.kill(os.getpid(), signal.SIGXFSZ)
    if behaviour in {"crash", "exit"}:
        time.sleep(0.2)
        print("last words", flush=True)
        os.kill(os.getpid(), signal.SIGABRT) if behaviour == "crash" else os._exit(5)
    if behaviour == "stop_self":
        os.kill(os.getpid(), signal.SIGSTOP)


def figures_of(node: str, behaviour: str, tick: int) -> dict[str, object]:
    published = 0 if "quiet" in behaviour else tick * 5
    return {
        "id": node,
        "cpu_ns": tick * 10_000_000,
        "publishers": [{"topic": "/a", "published": published, "loans_failed": 0}],
        "subscriptions": [],
        "callback_running_ns": 6_000_000_000 if behaviour == "stuck" else 0,
        "hardware": {"isolated": behaviour.startswith("isolated")},
    }


def serve_as_edge(behaviour: str) -> None:
    """It wakes to look for news, and says nothing while there is none; or it hangs for a while."""
    hangs = behaviour == "edge_hangs"
    time.sleep(0.3)
    until = time.monotonic() + 1.0
    while hangs and time.monotonic() < until:
        pass
    while True:
        time.sleep(0.1)


def main() -> None:
    behaviour, *nodes = sys.argv[1 : sys.argv.index("--status-fd")]
    start(behaviour, nodes)
    if behaviour.endswith("_once") and os.path.exists(os.environ["MARKER"]):
        behaviour = "done"
    if behaviour.endswith("_once"):
        open(os.environ["MARKER"], "w").close()
    misbehave(behaviour, nodes)
    if behaviour.startswith("edge"):
        serve_as_edge(behaviour)
    for tick in range(10_000):
        figures = [figures_of(node, behaviour, tick) for node in nodes]
        say("status", t_ns=time.clock_gettime_ns(time.CLOCK_MONOTONIC), nodes=figures)
        if behaviour.startswith("done") and tick == 2:
            for node in nodes:
                say("done", node=node)
        time.sleep(0.1)


main()
