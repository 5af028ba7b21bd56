# SPDX-License-Identifier: Apache-2.0
"""What is counted and not timed: instructions, copies, stack; code and memory of images.

No computer's day excuses these: they are the same in each run, but for what an interrupt adds.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ligament import resources
from ligament.bench.mcu.images import bench_images
from ligament.bench.mcu.links import Rig
from ligament.bench.mcu.options import Place
from ligament.bench.measuring import Measured, Row, make_row, output_of, program, say
from ligament.errors import FailureError

PLACE = Place("rpmsg", "shm")
SIZES = (16, 256, 4096)
#: Copies are told of the largest: what is not the message is little beside it.
COPIED_SIZE = SIZES[-1]
MESSAGES = 30
#: Of -icount shift=5 an instruction takes 32 ns, and the core's clock ticks every 40 ns.
_COUNTING = ("-icount", "shift=5")
_INSTRUCTIONS_PER_TICK = 40 / 32
#: A body has the text's length before it and a zero behind.
_BODY = 5
#: So that the agent's acknowledgement is not taken with the next text.
_PAUSE_US = 3000
#: Bytes of the stack that image/count.c watches.
STACK_PAINTED = 16384
#: The objects of firmware/core, as the linker names those of a library.
_CLIENTS = tuple(
    f"({path.name}.obj)" for path in (resources.firmware_dir() / "core" / "src").glob("*.c")
)

IMAGES = {
    "small_publisher": "publishes",
    "small_echo": "publishes and subscribes",
    "small_echo_r5": "publishes and subscribes, Cortex-R5F",
    "small_echo_freertos": "publishes and subscribes, FreeRTOS",
}
#: Stage, size of the text; per message: ticks, bytes copied.
Told = dict[tuple[str, int], list[tuple[int, int]]]


def count_all(measured: Measured) -> None:
    """Rows of everything; what fails costs its own."""
    for name, count in (
        ("instructions", instructions),
        ("copies of the core", copies_of_core),
        ("copies of the agent", copies_of_agent),
        ("sizes", sizes),
    ):
        say("mcu", f"counted: {name}")
        with measured.attempt(f"counted: {name}"):
            measured.rows += count()


def instructions() -> Iterator[Row]:
    """Of the core: from a message in the ring to the callback, and of a publish call."""
    told, stack = _told("count", _COUNTING)
    for (stage, size), found in sorted(told.items()):
        values = [ticks * _INSTRUCTIONS_PER_TICK for ticks, _ in found]
        params = {"stage": stage, "bytes": size}
        yield make_row("mcu", params, "instructions", "instructions", values)
    yield make_row("mcu", {"image": "count"}, "stack", "B", stack)


def copies_of_core() -> Iterator[Row]:
    """How many times a message is copied in the core."""
    told, _ = _told("copies", ())
    for (stage, size), found in sorted(told.items()):
        if size == COPIED_SIZE:
            # Heads of messages are copied as well: copies are whole.
            values = [copied // size for _, copied in found]
            yield make_row("mcu", {"where": f"core, {stage}", "bytes": size}, "copies", "1", values)


def copies_of_agent() -> Iterator[Row]:
    """How many times a sample is copied in the agent: of there and back the half."""
    library = program("ligament-bench-mcu-copies.so")
    copied = _copied_by_agent(library, MESSAGES) - _copied_by_agent(library, 0)
    params = {"where": "agent", "bytes": COPIED_SIZE}
    copies = copied / (2 * MESSAGES * COPIED_SIZE)
    yield make_row("mcu", params, "copies", "1", float(int(2 * copies) / 2))


def _copied_by_agent(library: Path, messages: int) -> int:
    """Bytes, in all its life."""
    with Rig(PLACE, messages, preload=library) as rig:
        if messages:
            rig.round_trips_ns(COPIED_SIZE, messages, warmup=0)
        return rig.bytes_copied()


def _told(image: str, more: tuple[str, ...]) -> tuple[Told, int]:
    """What the image says of the messages that it takes and publishes; and its stack's use."""
    found: Told = {}
    with Rig(PLACE, MESSAGES * len(SIZES), image=image, emulator=more) as rig:
        for size in SIZES:
            rig.round_trips_ns(size, MESSAGES, pause_us=_PAUSE_US)
        lines = rig.console()
    stack = 0
    for words in map(str.split, lines):
        if len(words) != 4 or not all(word.isdecimal() for word in words[1:]):
            continue
        size, ticks, copied = (int(word) for word in words[1:])
        if words[0] == "stack":
            stack = max(stack, size)
        elif words[0] in ("take", "publish"):
            found.setdefault((words[0], size - _BODY), []).append((ticks, copied))
    missing = [size for size in SIZES if ("take", size) not in found]
    if missing:
        raise FailureError(f"the core has not told of messages of {missing} bytes")
    return found, stack


# --- sizes ---------------------------------------------------------------------------------------


def sizes() -> Iterator[Row]:
    """Code and memory of images, and of that what is the client's."""
    folder = bench_images()
    for image, does in IMAGES.items():
        params = {"image": image, "does": does}
        elf = folder / f"{image}.elf"
        if not elf.is_file():  # FreeRTOS is not here
            continue
        words = output_of(["arm-none-eabi-size", str(elf)]).splitlines()[-1].split()
        text, data, bss = (int(word) for word in words[:3])
        client = client_code((folder / f"{image}.map").read_text())
        for metric, value in (("code", text), ("client_code", client), ("memory", data + bss)):
            yield make_row("mcu", params, metric, "B", float(value))


def client_code(linker_map: str) -> int:
    """Bytes of firmware/core in an image, by the linker's map.

    A section is ` .text.name  0xADDRESS  0xSIZE  OBJECT`, its name on a line of its own if it is
    long. What was left out comes before the map of memory.
    """
    total = 0
    _, _, placed = linker_map.partition("Linker script and memory map")
    section = ""
    for line in placed.splitlines():
        words = line.split()
        if len(words) == 1 and line.startswith(" ."):
            section = words[0]
            continue
        if len(words) == 4 and words[0].startswith("."):
            section, words = words[0], words[1:]
        is_clients = len(words) == 3 and words[2].endswith(_CLIENTS)
        if is_clients and section.startswith((".text", ".rodata")):
            total += int(words[1], 16)
        section = ""
    return total
