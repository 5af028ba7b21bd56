# SPDX-License-Identifier: Apache-2.0
"""`ligament top` beside a graph that really runs."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from typing import Any

from run_chat import LIGAMENT, Chat

WATCHDOG_S = 180.0


def look(chat: Chat) -> dict[str, Any] | None:
    """One look at the running graph; None before there is one."""
    command = [*LIGAMENT, "top", str(chat.folder), "--once", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=WATCHDOG_S, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


def test_rates_and_cpu_of_a_running_graph(chat: Chat) -> None:
    chat.set("/listener", messages=1_000_000)
    process = chat.start("--quiet")
    until = time.monotonic() + WATCHDOG_S
    seen: dict[str, Any] | None = None
    while time.monotonic() < until and process.poll() is None:
        seen = look(chat)
        if seen and any(t["published_hz"] and t["taken_hz"] for t in seen["topics"]):
            break
        time.sleep(0.2)
    assert seen is not None and process.poll() is None
    (topic,) = [t for t in seen["topics"] if t["publishers"] and t["subscriptions"]]
    assert topic["published_hz"] > 0 and topic["taken_hz"] > 0
    assert topic["published"] >= topic["taken"] > 0
    assert topic["latency_p50_ns"] > 0 and topic["copies"] >= 0
    pool = topic["pool"]
    assert pool["blocks"] >= pool["blocks_used"] >= 0 and pool["memory_bytes"] > 0
    assert {c["state"] for c in seen["containers"]} == {"running"}
    assert {n for c in seen["containers"] for n in c["nodes"]} == {"/talker", "/listener"}
    assert any(c["cpu_percent"] for c in seen["containers"])
    process.send_signal(signal.SIGINT)
    process.wait(WATCHDOG_S)


def test_it_ends_with_the_run(chat: Chat) -> None:
    chat.set("/listener", messages=1_000_000)
    process = chat.start("--quiet")
    until = time.monotonic() + WATCHDOG_S
    while look(chat) is None and time.monotonic() < until:
        time.sleep(0.2)
    command = [*LIGAMENT, "top", str(chat.folder), "--json", "--interval", "0.5"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as watching:
        assert watching.stdout is not None
        assert json.loads(watching.stdout.readline())["state"] == "running"
        process.send_signal(signal.SIGINT)
        told, _ = watching.communicate(timeout=WATCHDOG_S)
    assert watching.returncode == 0
    process.wait(WATCHDOG_S)
    assert json.loads(told.splitlines()[-1])["state"] == "interrupted"
