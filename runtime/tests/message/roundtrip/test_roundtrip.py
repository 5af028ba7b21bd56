# SPDX-License-Identifier: Apache-2.0
"""Every type, both directions: bytes of rosbags against bytes of the generated C++.

LIGAMENT_ROUNDTRIP names the program that CMake built, LIGAMENT_DISTRO its distribution (default
jazzy), LIGAMENT_ROUNDTRIP_VALUES how many random values each type gets (default 12).
"""

from __future__ import annotations

import os
import struct
import subprocess
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from reference import encode
from rosbags.typesys import Stores, get_typestore
from rosbags.typesys.store import Typestore
from values import Values, register, to_rosbags, uses_wide_text

from ligament.messages import load_store

PROGRAM = os.environ.get("LIGAMENT_ROUNDTRIP", "")
COUNT = int(os.environ.get("LIGAMENT_ROUNDTRIP_VALUES", "12"))
DISTRO = os.environ.get("LIGAMENT_DISTRO", "jazzy")
CARRIED = Stores[f"ROS2_{DISTRO.upper()}"]
STORE = load_store(DISTRO, [Path(__file__).parent.parent / "every_feature_msgs"])
NAMES = [m.name for m in STORE]

pytestmark = pytest.mark.skipif(not PROGRAM, reason="LIGAMENT_ROUNDTRIP names no program: run ctest")


class Driver:
    """The C++ program at the other end of two pipes."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process

    def ask(self, verb: bytes, name: str, data: bytes) -> tuple[str, bytes, bytes]:
        assert self.process.stdin and self.process.stdout
        request = verb
        for block in (name.encode(), data):
            request += struct.pack("<I", len(block)) + block
        self.process.stdin.write(request)
        self.process.stdin.flush()
        problem, first, second = self._block(), self._block(), self._block()
        return problem.decode(), first, second

    def _block(self) -> bytes:
        assert self.process.stdout
        (size,) = struct.unpack("<I", self.process.stdout.read(4))
        return self.process.stdout.read(size)


@pytest.fixture(scope="session")
def driver() -> Iterator[Driver]:
    with subprocess.Popen([PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield Driver(process)
        assert process.stdin
        process.stdin.close()
        assert process.wait() == 0


@pytest.fixture(scope="session")
def types() -> Typestore:
    store = get_typestore(CARRIED)
    register(store, STORE, [m for m in STORE if not uses_wide_text(STORE, m)])
    return store


def test_all_standard_types_are_here() -> None:
    standard = set(get_typestore(CARRIED).fielddefs)
    assert len(standard) == 162 or DISTRO != "jazzy"
    assert standard <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_bytes_agree(name: str, driver: Driver, types: Typestore) -> None:
    message = STORE.message(name)
    values = Values(STORE, seed=zlib.crc32(name.encode()))
    for _ in range(COUNT):
        value = values.message(message)
        stored = encode(STORE, name, value)
        if not uses_wide_text(STORE, message):
            carried = to_rosbags(types, STORE, name, value)
            assert bytes(types.serialize_cdr(carried, name)) == stored
        problem, from_struct, from_builder = driver.ask(b"r", name, stored)
        assert problem == ""
        assert from_struct == stored
        assert from_builder == stored
        if not uses_wide_text(STORE, message):
            read_back = types.deserialize_cdr(from_builder, name)
            assert bytes(types.serialize_cdr(read_back, name)) == stored


@pytest.mark.parametrize("name", NAMES)
def test_big_endian_is_refused_and_converted(name: str, driver: Driver) -> None:
    value = Values(STORE, seed=zlib.crc32(name.encode())).message(STORE.message(name))
    problem, swapped, _ = driver.ask(b"s", name, encode(STORE, name, value, little=False))
    assert problem == ""
    assert swapped == encode(STORE, name, value)


def test_driver_can_fail(driver: Driver) -> None:
    """The harness notices bytes that are wrong."""
    good = encode(STORE, "std_msgs/msg/String", {"data": "abc"})
    assert driver.ask(b"r", "std_msgs/msg/String", good)[0] == ""
    assert "terminating" in driver.ask(b"r", "std_msgs/msg/String", good[:-1] + b"x")[0]
    assert "no such type" in driver.ask(b"r", "std_msgs/msg/Nothing", good)[0]
