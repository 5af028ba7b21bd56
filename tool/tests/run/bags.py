# SPDX-License-Identifier: Apache-2.0
"""Bags in tests: read by `rosbags`, which shares no line with what wrote them."""

from __future__ import annotations

import subprocess
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rosbags.rosbag2 import Reader
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from run_chat import LIGAMENT

from ligament import resources

#: More than anything here needs, so that what hangs ends.
WATCHDOG_S = 120.0


def require_program() -> None:
    """Skip where the program is not installed."""
    if not (resources.prefix() / "lib" / "ligament" / "ligament-bag").is_file():
        pytest.skip("ligament-bag is not installed: make setup")


def await_that(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Wait while the process runs."""
    end = time.monotonic() + WATCHDOG_S
    while not condition():
        if time.monotonic() > end or process.poll() is not None:
            process.kill()
            raise AssertionError(f"it did not come to that: {process.communicate()}")
        time.sleep(0.02)


def started(*words: object) -> subprocess.Popen[str]:
    """Start a verb."""
    return subprocess.Popen(
        [*LIGAMENT, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def recording_into(folder: Path, *words: object) -> subprocess.Popen[str]:
    """Start a recorder, and wait until some messages are in its file."""
    process = started("record", "--out", folder, *words)
    file = folder / f"{folder.name}_0.mcap"
    await_that(lambda: file.is_file() and file.stat().st_size > 1000, process)
    return process


def run_verb(*words: object) -> subprocess.CompletedProcess[str]:
    """Run a verb to its end."""
    return subprocess.run(
        [*LIGAMENT, *map(str, words)],
        capture_output=True,
        text=True,
        timeout=WATCHDOG_S,
        check=False,
    )


def payloads(folder: Path) -> dict[str, list[bytes]]:
    """Each topic's messages, as they lie, in their order."""
    found: dict[str, list[bytes]] = defaultdict(list)
    with Reader(folder) as reader:
        times = []
        for connection, at, raw in reader.messages():
            found[connection.topic].append(bytes(raw))
            times.append(at)
        assert times == sorted(times)
        counts = {c.topic: c.msgcount for c in reader.connections}
    assert counts == {topic: len(messages) for topic, messages in found.items()}
    return dict(found)


def messages(folder: Path, topic: str) -> list[Any]:
    """A topic's messages, read with the definitions that the file itself brings."""
    with Reader(folder) as reader:
        (connection,) = (c for c in reader.connections if c.topic == topic)
        definition = connection.msgdef.data
        store = get_typestore(Stores.EMPTY)
        store.register(get_types_from_msg(definition, connection.msgtype))
        assert f"{store.hash_rihs01(connection.msgtype)}" == connection.digest
        return [
            store.deserialize_cdr(raw, connection.msgtype)
            for _, _, raw in reader.messages(connections=[connection])
        ]
