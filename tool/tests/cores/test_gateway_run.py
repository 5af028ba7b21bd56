# SPDX-License-Identifier: Apache-2.0
"""Topics with ends on both sides: what software gives, once each, in the same cycles each time.

Two gateways of one design share a memory port. Processes: the loop, and the design's.

    loop -> /image  => first -> /middle => left  -> /left  -> join -> /result -> loop
                    => right -> /right  ------------------->        (=>: also through a gateway)
                                /middle => loop (side)
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from cases import as_software, build, case, run

LOOP = case(
    "case_gateway",
    """
  loop: {{type: case/loop, parameters: {{file: {file}, side: true}}, remap: {{side: middle}}}}
  first: {{type: case/xor, parameters: {{key: 90}}, remap: {{in: image, out: middle}}}}
  left: {{type: case/xor, parameters: {{key: 15}}, remap: {{in: middle, out: left}}}}
  right: {{type: case/xor, parameters: {{key: 240}}, remap: {{in: image, out: right}}}}
  join: {{type: case/join, remap: {{joined: result}}, on_failure: continue}}
variants:
  # In one process: nodes in processes of their own may miss what is said before they are all there.
  software: {{containers: one}}
  hardware:
    containers: separate
    devices: &devices {{first: fpga0, left: fpga0, right: fpga0, join: fpga0}}
    bound_bytes: &bounds {{image: 4000, middle: 4000, result: 4000}}
    transports: &transports {{image: [gateway, shm], middle: [gateway, shm]}}
  dataflow:
    containers: separate
    devices: *devices
    bound_bytes: *bounds
    transports: *transports
    fpga: {{in_flight: 4}}
    parameters: {{loop: {{ahead: 4, count: 12}}}}
  stuck:
    containers: separate
    devices: *devices
    bound_bytes: *bounds
    transports: *transports
    parameters: {{join: {{answers: 0}}, loop: {{result: false}}}}
""",
)

# Two processes and a core publish on one topic, two cores and two processes hear it.
BOTH = case(
    "case_both",
    """
  one: {{type: case/say, parameters: {{mark: 1}}, remap: {{out: image}}}}
  two: {{type: case/say, parameters: {{mark: 2}}, remap: {{out: image}}}}
  three: {{type: case/say, parameters: {{mark: 3}}, remap: {{out: asked}}}}
  core:
    type: case/xor
    parameters: {{key: 0}}
    remap: {{in: asked, out: image}}
    on_failure: continue
  left:
    type: case/xor
    parameters: {{key: 15}}
    remap: {{in: image, out: left}}
    on_failure: continue
  right:
    type: case/xor
    parameters: {{key: 240}}
    remap: {{in: image, out: right}}
    on_failure: continue
  of_image:
    type: case/record
    parameters: {{file: {file}.image, count: 60}}
    remap: {{in: image}}
  of_left:
    type: case/record
    parameters: {{file: {file}.left, count: 60}}
    remap: {{in: left}}
  of_right:
    type: case/record
    parameters: {{file: {file}.right, count: 60}}
    remap: {{in: right}}
  thief:
    type: case/record
    parameters: {{file: {file}.thief, dies_after: 7}}
    remap: {{in: image}}
    on_failure: continue
topics:
  # Who joins late gets what was said before, and nobody has to wait: nothing may be lost.
  image:
    bound_bytes: 4000
    transports: [gateway, shm]
    qos: {{history: keep_all, depth: 64, durability: transient_local}}
  asked: {{bound_bytes: 4000, qos: &last {{depth: 64, durability: transient_local}}}}
  left: {{bound_bytes: 4000, qos: *last}}
  right: {{bound_bytes: 4000, qos: *last}}
variants:
  hardware:
    containers: separate
    devices: &devices {{core: fpga0, left: fpga0, right: fpga0}}
  # It dies in the process of the design, which holds buffers of all the others then.
  killed:
    containers: {{chip: [core, left, right, thief]}}
    devices: *devices
    parameters: {{of_image: {{count: 40, greatest: 2}}}}
""",
)
#: More than any run needs, so that one that hangs ends.
AT_MOST = ("--duration", "1200")


@pytest.fixture(scope="module")
def loop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("loop"), LOOP, "software", "hardware", "dataflow", "stuck")


def test_both_sides_get_what_software_gives_in_the_same_cycles_each_time(loop: Path) -> None:
    first, second = as_software(loop)
    cycles = first.values("cycles")
    assert len(cycles) == 5
    assert cycles == second.values("cycles")
    # A crossing each way at a beat per cycle, the latency at both ends, and what others take.
    assert all(1000 / 8 + 100 <= number <= 2 * 1028 / 8 + 700 + 10 * 16 for number in cycles)
    assert first.values("/image sent") == [1] * 5
    assert first.values("/middle stored") == [1] * 5


def test_each_message_crosses_memory_once_per_direction(loop: Path) -> None:
    done = run(loop / "hardware")
    told = done.hardware("/first")
    counts = {gateway["topic"]: gateway for gateway in told["gateways"]}
    # Two cores hear an image, and it is read once; what came from software does not go back.
    assert counts["/image"] == {
        "topic": "/image", "sent": 5, "stored": 0, "filtered": 5, "failed": 0,
    }  # fmt: skip
    assert counts["/middle"] == {
        "topic": "/middle", "sent": 0, "stored": 5, "filtered": 0, "failed": 0,
    }  # fmt: skip
    payload = sum(1000 + 7 * number for number in range(5))
    # What is read is the images; what is written, besides /middle, is the results at their exit.
    for beats, times in ((told["port"]["reads"], 1), (told["port"]["writes"], 2)):
        assert payload / 8 <= beats / times <= (payload + 5 * 128) / 8
    assert told["port"]["busy"] >= told["port"]["reads"]


def test_messages_in_flight_share_the_port(loop: Path) -> None:
    done = run(loop / "dataflow")
    assert len(done.results) == len(done.side) == 12
    assert all(count == 1 for count in Counter(done.results).values())
    stored = {g["topic"]: g["stored"] for g in done.hardware("/first")["gateways"]}
    assert stored["/middle"] == 12


def test_a_core_that_never_takes_is_named_and_nothing_comes_twice(loop: Path) -> None:
    expected = run(loop / "software").side
    done = run(loop / "stuck", status=1)  # of a run whose nodes told errors
    assert (done.results, done.side) == ([], expected)
    assert {error["node"] for error in done.record["errors"]} == {"/join"}
    assert "gets no further one" in done.record["errors"][-1]["text"]


def bytes_of(path: Path) -> list[list[int]]:
    """The payload of each message: what is behind its header, whose length differs."""
    return [[int(word) for word in line.split()] for line in path.read_text().splitlines()]


def pattern(number: int) -> list[int]:
    return [(i * 29 + number) % 256 for i in range(2, 40 + 37 * number)]


def said(messages: list[list[int]], key: int) -> dict[int, list[int]]:
    """By mark, the numbers of the messages that came, each checked byte by byte."""
    found: dict[int, list[int]] = {}
    for message in messages:
        # The payload is at the end, and its length is in front of it.
        for number in range(20):
            size = 40 + 37 * number
            payload = [byte ^ key for byte in message[-size:]]
            length = message[-size - 4 : -size]
            if length == list(size.to_bytes(4, "little")) and payload[2:] == pattern(number):
                assert payload[1] == number
                found.setdefault(payload[0], []).append(number)
                break
        else:
            pytest.fail(f"a message that nobody has sent: {message[:80]}")
    return found


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("both")
    build(folder, BOTH, "hardware", "killed")
    return folder


def test_publishers_and_subscriptions_on_both_sides_lose_and_double_nothing(both: Path) -> None:
    words = [word for name in ("image", "left", "right") for word in ("--until", f"/of_{name}")]
    done = run(both / "build" / "case_both" / "hardware", *words, *AT_MOST)
    for name, key in (("image", 0), ("left", 15), ("right", 240)):
        found = said(bytes_of(both / f"results.txt.{name}"), key)
        # Each publisher's messages in their order, each once, though a process died with a sample.
        assert found == {mark: list(range(20)) for mark in (1, 2, 3)}, name
    (counts,) = done.hardware("/core")["gateways"]
    assert (counts["sent"], counts["stored"], counts["filtered"], counts["failed"]) == (
        40,
        20,
        40,
        0,
    )


def test_a_design_that_is_killed_with_their_buffers_costs_the_others_nothing(both: Path) -> None:
    run(both / "build" / "case_both" / "killed", "--until", "/of_image", *AT_MOST)
    found = said(bytes_of(both / "results.txt.image"), 0)
    assert found[1] == found[2] == list(range(20))
    # Of what the core said some may not have left it; what has is whole, and in order.
    numbers = found.get(3, [])
    assert numbers == list(range(len(numbers)))
