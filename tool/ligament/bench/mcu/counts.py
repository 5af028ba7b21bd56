# SPDX-License-Identifier: Apache-2.0
"""What is counted and not timed: instructions, copies, stack; code and memory of images.

No computer's day excuses these: they are the same in each run, but for what an interrupt adds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from ligament import resources
from ligament.bench.mcu.images import bench_images
from ligament.bench.mcu.links import Rig, stations_that_are_missing
from ligament.bench.mcu.options import Place
from ligament.bench.measuring import Measured, Row, make_row, output_of, program, say
from ligament.errors import FailureError

PLACE = Place("rpmsg", "shm")
SIZES = (16, 256, 4096)
#: Copies are told of the largest: what is not the message is little beside it.
COPIED_SIZE = SIZES[-1]
MESSAGES = 30
#: Of -icount shift=5 an instruction takes 32 ns.
_COUNTING = ("-icount", "shift=5")
_INSTRUCTION_NS = 32
#: A body has the text's length before it and a zero behind.
_BODY = 5
#: So that the agent's acknowledgement is not taken with the next text.
_PAUSE_US = 3000
#: Bytes of the stack that image/count.c watches, without an operating system.
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


@dataclass(frozen=True)
class Core:
    """One that counts its own instructions."""

    name: str
    place: Place
    image: str
    tick_ns: float

    def instructions(self, ticks: float) -> float:
        """In so many ticks of its clock."""
        return ticks * self.tick_ns / _INSTRUCTION_NS


M4, M4_FREERTOS, R5 = (
    Core("Cortex-M4F", PLACE, "count", 40),
    Core("Cortex-M4F with FreeRTOS", Place("freertos", "shm"), "count_freertos", 40),
    Core("Cortex-R5F", Place("r5f", "shm"), "count_r5", 64),
)
CORES = (M4, M4_FREERTOS, R5)
#: How the core calls it, and what it is.
EVENTS = {"trace": "recorded", "silent": "not recorded"}


@dataclass
class Told:
    """What an image says of itself."""

    #: Stage, size of the text; per message: ticks, bytes copied.
    messages: dict[tuple[str, int], list[tuple[int, int]]] = field(default_factory=dict)
    #: Ticks of one.
    events: dict[str, float] = field(default_factory=dict)
    stack: int = 0

    def hear(self, line: str) -> None:
        """A line of the console; others are passed over."""
        words = line.split()
        if len(words) != 4 or not all(word.isdecimal() for word in words[1:]):
            return
        size, ticks, copied = (int(word) for word in words[1:])
        if words[0] == "stack":
            self.stack = max(self.stack, size)
        elif words[0] in EVENTS and size > 0:
            self.events[words[0]] = ticks / size
        elif words[0] in ("take", "publish"):
            self.messages.setdefault((words[0], size - _BODY), []).append((ticks, copied))


def count_all(measured: Measured) -> None:
    """Rows of everything; what fails costs its own."""
    every: list[tuple[str, Callable[[], Iterator[Row]]]] = [
        *((f"instructions, {core.name}", partial(instructions, core)) for core in CORES),
        ("copies of the core", copies_of_core),
        ("copies of the agent", copies_of_agent),
        ("sizes", sizes),
    ]
    for name, count in every:
        say("mcu", f"counted: {name}")
        with measured.attempt(f"counted: {name}"):
            measured.rows += count()


def instructions(core: Core) -> Iterator[Row]:
    """From a message in the ring (FreeRTOS: in the inbox) to the callback; of a publish call; of an
    event of a trace. And the stack of the task that did it."""
    if stations_that_are_missing([core.place]):
        return
    told = _told(core.image, _COUNTING, core.place)
    for (stage, size), found in sorted(told.messages.items()):
        values = [core.instructions(ticks) for ticks, _ in found]
        params = {"core": core.name, "stage": stage, "bytes": size}
        yield make_row("mcu", params, "instructions", "instructions", values)
    for event, ticks in told.events.items():
        params = {"core": core.name, "event": EVENTS[event]}
        each = core.instructions(ticks)
        yield make_row("mcu", params, "event_instructions", "instructions", each)
    yield make_row("mcu", {"core": core.name}, "stack", "B", told.stack)


def copies_of_core() -> Iterator[Row]:
    """How many times a message is copied in the core."""
    told = _told("copies", ())
    for (stage, size), found in sorted(told.messages.items()):
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


def _told(image: str, more: tuple[str, ...], place: Place = PLACE) -> Told:
    """What the image says of the messages that it takes and publishes."""
    found = Told()
    with Rig(place, MESSAGES * len(SIZES), image=image, emulator=more) as rig:
        for size in SIZES:
            rig.round_trips_ns(size, MESSAGES, pause_us=_PAUSE_US)
        for line in rig.console():
            found.hear(line)
    missing = [size for size in SIZES if ("take", size) not in found.messages]
    if missing:
        raise FailureError(f"the core has not told of messages of {missing} bytes")
    return found


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
