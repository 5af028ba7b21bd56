# SPDX-License-Identifier: Apache-2.0
"""The demo of microcontrollers: firmware built, run by an emulated core, and seen as ROS 2 sees it.

What is shown is what a user does by hand (docs/how-to/microcontrollers.md): two images of
firmware/examples, one after the other, each with an agent.
"""

from __future__ import annotations

import json
import struct
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ligament import resources
from ligament.bench.children import Child, Children
from ligament.bench.mcu.goals import paper_ms
from ligament.bench.mcu.images import CORTEX_M4F, built, core_command, link_words, require_programs
from ligament.bench.mcu.links import TYPE, Rounds, agent_command, hash_of, ping_command
from ligament.bench.mcu.options import PAPER_SIZES
from ligament.bench.measuring import OURS, output_of, program
from ligament.bench.rmw.contestants import domain_of
from ligament.bench.values import time_text
from ligament.errors import FailureError
from ligament.report.statistics import summarise

IMU = "sensor_msgs/msg/Imu"
#: Of the image's service: the agent refuses what it does not know.
SERVICE_TYPES = ("std_srvs/srv/SetBool_Request", "std_srvs/srv/SetBool_Response")
SHOWN = 5
LISTENED = 100
ROUND_TRIPS = 1000
_WATCHDOG_S = 300.0

Say = Callable[[str], None]


@dataclass(frozen=True)
class ImuSample:
    """What the demo shows of a sensor_msgs/Imu."""

    seconds: float
    turn_rate: float
    acceleration: float


def imu_of(stored: bytes) -> ImuSample:
    """Read one from its CDR, little-endian; FailureError where it is none."""
    try:
        second, nanosecond, length = struct.unpack_from("<iII", stored, 4)
        # Numbers of eight bytes lie at multiples of eight, counted from behind the encapsulation.
        begin = 4 + (12 + length + 7) // 8 * 8
        values = struct.unpack_from("<37d", stored, begin)
    except struct.error as error:
        raise FailureError(f"{len(stored)} bytes are no {IMU}") from error
    # A quaternion, angular velocity and linear acceleration, each with nine covariances.
    return ImuSample(second + nanosecond * 1e-9, values[4 + 9 + 2], values[4 + 9 + 3 + 9 + 2])


def show(out: Path, say: Say) -> None:
    """All of it; FailureError says what is missing, or what ended."""
    require_programs()
    program("ligament-bench-mcu")
    began = time.monotonic()
    say("1. Firmware for a Cortex-M4F: the images of firmware/examples (arm-none-eabi-gcc)")
    images = built(resources.firmware_dir() / "examples", out / "demo-mcu")
    for name in ("imu", "ping_pong"):
        say(f"   {name}.elf: {size_text_of(images / f'{name}.elf')}")
    say("2. An emulated core runs imu.elf; the agent makes its node one of ROS 2's")
    with _core(images / "imu.elf", [IMU, *SERVICE_TYPES]) as (children, core, domain_id):
        say(f"   the core says: {', '.join(core.lines)}")
        say(f"3. /imu arrives at a node of this computer, in ROS domain {domain_id}")
        _show_imu(children, domain_id, say)
    say(f"   first messages after {time.monotonic() - began:.1f} s")
    say("4. ping_pong.elf: a text there and back, measured at a node behind the agent")
    with _core(images / "ping_pong.elf", [TYPE]) as (children, _, domain_id):
        for line in _ping_pong(children, domain_id):
            say(f"   {line}")
    say("All links and sizes: `ligament bench mcu`. Your own node: docs/how-to/microcontrollers.md")


def size_text_of(image: Path) -> str:
    """Its code and memory, as the compiler's own tool counts them."""
    words = output_of(["arm-none-eabi-size", str(image)]).splitlines()[-1].split()
    text, data, bss = (int(word) for word in words[:3])
    return f"{text / 1000:.1f} kB of code, {(data + bss) / 1000:.1f} kB of memory"


@contextmanager
def _core(image: Path, types: list[str]) -> Iterator[tuple[Children, Child, int]]:
    """The core and its agent, until the end of the context; the core is ready."""
    domain_id = domain_of(OURS)
    with tempfile.TemporaryDirectory() as folder, Children(_WATCHDOG_S) as children:
        where = Path(folder)
        core = children.start("the emulated core", core_command(CORTEX_M4F, image, where))
        link = link_words(CORTEX_M4F, where)
        children.start("the agent", agent_command(link, where, domain_id, types))
        children.await_ready([core])
        yield children, core, domain_id


def _show_imu(children: Children, domain_id: int, say: Say) -> None:
    words = [str(program("ligament-bench-mcu")), "watch", "--domain", f"ros.{domain_id}"]
    words += ["--topic", "/imu", "--type", IMU, "--type-hash", hash_of(IMU)]
    watch = children.start("the node", [*words, "--messages", str(LISTENED)])
    children.await_end([watch])
    samples = [imu_of(bytes.fromhex(line)) for line in watch.lines]
    for sample in samples[:SHOWN]:
        moment = time.strftime("%H:%M:%S", time.localtime(sample.seconds))
        say(
            f"   {moment}.{int(sample.seconds % 1 * 1000):03d}  angular_velocity.z "
            f"{sample.turn_rate:+.3f} rad/s  linear_acceleration.z {sample.acceleration:.2f} m/s2"
        )
    rate = (len(samples) - 1) / (samples[-1].seconds - samples[0].seconds)
    say(f"   {len(samples)} messages, {rate:.0f} per second by the core's clock")


def _ping_pong(children: Children, domain_id: int) -> Iterator[str]:
    """A table: ours, and what was published for a board."""
    yield f"{'text':>6} {'p50':>9} {'p99':>9} {'per byte':>10} {'published (board)':>19}"
    for size in PAPER_SIZES:
        child = children.start("the node", ping_command(domain_id, Rounds(size, ROUND_TRIPS)))
        children.await_end([child])
        found = summarise(json.loads(child.lines[-1])["round_trip_ns"])
        cells = (time_text(found["p50"]), time_text(found["p99"]), time_text(found["mean"] / size))
        published = f"{paper_ms('rpmsg', size):.2f} ms"
        yield f"{size:>4} B {cells[0]:>9} {cells[1]:>9} {cells[2]:>10} {published:>19}"
