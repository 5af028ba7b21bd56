# SPDX-License-Identifier: Apache-2.0
"""What the benches of the image cores share: images as field streams, and OpenCV to judge them.

A bench drives a core as the generated wrapper does: the fields of sensor_msgs/Image go in, beat by
beat with stalls, and what comes out is read back into an image. Its pixels must be those of OpenCV,
called through golden.cpp.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import random
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import cocotb
import numpy as np
from bench import BUILD, RTL, simulate
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from numpy.typing import NDArray
from ruamel.yaml import YAML

TESTS = Path(__file__).resolve().parent
NODES = TESTS.parents[1]

VALUES, COUNT, DONE, BROKEN = range(4)
CHANNELS = {
    "mono8": 1,
    "8UC1": 1,
    "rgb8": 3,
    "bgr8": 3,
    "8UC3": 3,
    "rgba8": 4,
    "bgra8": 4,
    "8UC4": 4,
}
Pixels = NDArray[np.uint8]


# --- building -----------------------------------------------------------------------------------


def simulate_core(
    bench: str,
    node: str,
    parameters: dict[str, object] | None = None,
    package: str = "image",
) -> None:
    """Run the bench with the sources that the manifest of the node PACKAGE/NODE lists."""
    place = NODES / package / node
    manifest = YAML(typ="safe").load(place / "node.yaml")
    named = manifest["implementations"]["fpga"]["sources"]
    folder = BUILD / "tb" / bench.removeprefix("test_") / "messages"
    types = sorted({p["message"] for p in manifest["ports"].values()})
    command = [sys.executable, "-m", "ligament.messages", "hdl", "--out", str(folder), "--types"]
    subprocess.run([*command, *types], check=True, stdout=subprocess.DEVNULL)
    packages = [RTL / f"lig_{name}.sv" for name in ("stream_pkg", "fields_pkg", "fields_if")]
    packages += sorted(folder.glob("*_pkg.sv"))
    sources = [(place / source).resolve() for source in named]
    sources = [*packages, RTL / "lig_gate.sv", RTL / "lig_rest.sv", *sources]
    widths = dict.fromkeys(_wide(manifest["implementations"]["fpga"], manifest["ports"]), BITS)
    arguments = (*WARNINGS, *GATED)
    simulate(bench, f"{package}_{node}", sources, parameters, arguments=arguments, widths=widths)


#: Of a field stream, in terms of the core's parameter (lig_image_pkg::bits_of).
BITS = "PIXELS <= 2 ? 64 : 32 * PIXELS"


def _wide(core: Mapping[str, Any], ports: Mapping[str, Any]) -> Iterator[str]:
    """The streams that become wider with the pixels per cycle, as the core has them."""
    wide = core.get("pixels", {}).get("ports", ())
    for side, direction in (("s", "in"), ("m", "out")):
        every = [n for n, p in ports.items() if p["direction"] == direction]
        named = core.get(
            f"{direction}puts", [core[f"{direction}put"]] if f"{direction}put" in core else every
        )
        for port in wide:
            if ports[port]["direction"] == direction:
                several = len(named) > 1
                yield f"{side}_axis" + (f"_{port.replace('/', '_')}" if several else "")


#: Bytes of a beat of an image's field stream: `simulate` hands the parameters to the simulator.
LANES = max(8, 4 * int(os.environ.get("PIXELS", "1")))


#: As `ligament.build.verilate`: packages hold more than one core uses.
WARNINGS = ("-Wno-UNUSEDPARAM", "-Wno-UNUSEDSIGNAL", "-Wno-DECLFILENAME")
#: Clocks stop where a core says that it rests (hdl/rtl/lig_gate.sv): results show if it does not.
GATED = ("+define+LIG_GATED", "-Wno-SYNCASYNCNET")


class _Frame(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("width", ctypes.c_int),
        ("height", ctypes.c_int),
        ("channels", ctypes.c_int),
    )


#: What the image cores are judged by.
GOLDEN = (TESTS / "golden.cpp",)


def golden_library(
    sources: Sequence[Path], headers: Sequence[Path] = (), include: Sequence[Path] = ()
) -> Path:
    """The sources compiled to a library; each version of them and their headers once."""
    texts = [path.read_bytes() for path in (*sources, *headers)]
    name = hashlib.sha256(b"\0".join(texts)).hexdigest()[:16]
    library = BUILD / "golden" / f"{name}.so"
    if not library.exists():
        library.parent.mkdir(parents=True, exist_ok=True)
        made = library.with_suffix(f".{os.getpid()}")
        flags = ["pkg-config", "--cflags", "opencv4"]
        found = subprocess.run(flags, check=True, capture_output=True, text=True).stdout.split()
        command = ["c++", "-std=c++20", "-O1", "-shared", "-fPIC", *found]
        command += [*(f"-I{folder}" for folder in include), *map(str, sources)]
        libraries = ["-lopencv_core", "-lopencv_imgproc", "-lopencv_calib3d"]
        subprocess.run([*command, "-o", str(made), *libraries], check=True)
        made.replace(library)
    return library


@cache
def loaded(library: Path) -> ctypes.CDLL:
    """The library, opened once."""
    return ctypes.CDLL(str(library))


def golden(
    function: str,
    pixels: Pixels,
    shape: Sequence[int],
    *arguments: object,
    library: Path | None = None,
) -> Pixels:
    """What the library makes of the pixels; `shape`: height, width and channels of the result.

    Without a library it is OpenCV's.
    """
    pixels = np.ascontiguousarray(pixels)
    result = np.full(shape, 77, np.uint8)
    call = getattr(loaded(library or golden_library(GOLDEN)), f"golden_{function}")
    call.restype = None
    call(*(ctypes.byref(_frame(image)) for image in (pixels, result)), *arguments)
    return result


def golden_places(width: int, height: int, lens: Iterable[Sequence[float]]) -> NDArray[np.int32]:
    """Where each pixel of a rectified image comes from, in 1/32 pixel: x and y."""
    places = np.zeros((height, width, 2), np.int32)
    frame = _Frame(None, width, height, 1)
    loaded(golden_library(GOLDEN)).golden_places(
        ctypes.byref(frame), places.ctypes.data_as(ctypes.c_void_p), *map(doubles, lens)
    )
    return places


def doubles(values: Sequence[float]) -> ctypes.Array[ctypes.c_double]:
    """As an argument of `golden`."""
    return (ctypes.c_double * len(values))(*values)


def _frame(image: Pixels) -> _Frame:
    height, width, channels = image.shape
    return _Frame(image.ctypes.data, width, height, channels)


# --- images as field streams --------------------------------------------------------------------


@dataclass(frozen=True)
class Beat:
    """One beat of a field stream."""

    data: int
    keep: int
    kind: int
    field: int
    last: bool = False


@dataclass(frozen=True)
class Image:
    """The fields of sensor_msgs/Image."""

    width: int
    height: int
    encoding: str
    data: bytes
    step: int
    frame_id: str = "camera"
    stamp: tuple[int, int] = (12, 345)
    bigendian: int = 0

    @property
    def pixels(self) -> Pixels:
        """Rows without what is behind them."""
        channels = CHANNELS[self.encoding]
        rows = np.frombuffer(self.data, np.uint8)[: self.step * self.height]
        rows = rows.reshape(self.height, self.step)[:, : self.width * channels]
        return rows.reshape(self.height, self.width, channels).copy()

    @property
    def begins(self) -> int:
        """Where in the stored message the data is, encapsulation included."""
        place = -(-(8 + 5 + len(self.frame_id)) // 4) * 4 + 8
        return 4 + -(-(place + 5 + len(self.encoding) + 1) // 4) * 4 + 8

    @property
    def length(self) -> int:
        """Bytes of the stored message."""
        return self.begins + len(self.data)


def image(width: int, height: int, encoding: str, seed: int = 1, gap: int = 0) -> Image:
    """Noise, with `gap` bytes behind each row."""
    step = width * CHANNELS[encoding] + gap
    data = random.Random(seed).randbytes(step * height)
    return Image(width, height, encoding, data, step)


def with_pixels(like: Image, pixels: Pixels, encoding: str = "") -> Image:
    """The image that a core is to answer with."""
    height, width, channels = pixels.shape
    name = encoding or like.encoding
    return replace(
        like,
        width=width,
        height=height,
        encoding=name,
        step=width * channels,
        data=pixels.tobytes(),
    )


def _values(number: int, data: bytes) -> list[Beat]:
    pieces = [data[i : i + LANES] for i in range(0, len(data), LANES)]
    return [Beat(int.from_bytes(p, "little"), (1 << len(p)) - 1, VALUES, number) for p in pieces]


def _counted(number: int, data: bytes) -> list[Beat]:
    return [Beat(len(data), 0x0F, COUNT, number), *_values(number, data)]


def _word(number: int, value: int, size: int = 4) -> list[Beat]:
    return _values(number, value.to_bytes(size, "little"))


DONE_BEAT = Beat(0, 1, DONE, 0, last=True)
BROKEN_BEAT = Beat(3, 1, BROKEN, 0, last=True)


def fields(message: Image) -> list[Beat]:
    """The message as lig_unpack gives it."""
    return [
        *_word(0, message.stamp[0]),
        *_word(1, message.stamp[1]),
        *_counted(2, message.frame_id.encode()),
        *_word(3, message.height),
        *_word(4, message.width),
        *_counted(5, message.encoding.encode()),
        *_word(6, message.bigendian, 1),
        *_word(7, message.step),
        *_counted(8, message.data),
        DONE_BEAT,
    ]


@dataclass
class Answer:
    """What came out: the image, or the code of a Broken beat."""

    image: Image | None
    problem: int | None
    beats: int
    header: int
    #: Number of the field whose beats came before the Broken one; None: nothing did.
    reached: int | None = None


def read_image(beats: Sequence[Beat]) -> Image:
    """The image of a field stream; every count is checked."""
    found = dict.fromkeys(range(9), b"")
    counts: dict[int, int] = {}
    for beat in beats[:-1]:
        if beat.kind == COUNT:
            counts[beat.field] = beat.data
        else:
            assert beat.kind == VALUES
            size = beat.keep.bit_length()
            assert beat.keep == (1 << size) - 1, "holes in tkeep"
            assert beat.data < 1 << (8 * size), "a lane that is not kept is not 0"
            found[beat.field] += beat.data.to_bytes(64, "little")[:size]
    assert counts == {number: len(found[number]) for number in (2, 5, 8)}
    number = {n: int.from_bytes(found[n], "little") for n in (0, 1, 3, 4, 6, 7)}
    return Image(
        width=number[4],
        height=number[3],
        encoding=found[5].decode(),
        data=found[8],
        step=number[7],
        frame_id=found[2].decode(),
        stamp=(number[0], number[1]),
        bigendian=number[6],
    )


# --- in the simulator ---------------------------------------------------------------------------


@dataclass
class Port:
    """A field stream of the core, with random stalls."""

    dut: object
    prefix: str = "s_axis"
    stall: float = 0.0
    seed: int = 1
    rng: random.Random = field(init=False)
    header: int = 0

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)

    def signal(self, name: str):
        return getattr(getattr(self.dut, self.prefix), name)

    async def send(self, beats: Iterable[Beat]) -> None:
        """All beats; returns when the last one was taken."""
        clock = self.dut.clk_i
        for beat in beats:
            while self.rng.random() < self.stall:
                await RisingEdge(clock)
            self.signal("tdata").value = beat.data
            self.signal("tkeep").value = beat.keep
            self.signal("tuser").value = beat.kind << 12 | beat.field
            self.signal("tlast").value = int(beat.last)
            self.signal("tvalid").value = 1
            await RisingEdge(clock)
            while not self.signal("tready").value:
                await RisingEdge(clock)
            self.signal("tvalid").value = 0

    async def receive(self) -> list[Beat]:
        """Beats to the end of a message."""
        beats: list[Beat] = []
        while not beats or not beats[-1].last:
            self.signal("tready").value = int(self.rng.random() >= self.stall)
            await RisingEdge(self.dut.clk_i)
            if self.signal("tvalid").value and self.signal("tready").value:
                if not beats:
                    self.header = int(self.signal("header").value)
                user = int(self.signal("tuser").value)
                beats.append(
                    Beat(
                        int(self.signal("tdata").value),
                        int(self.signal("tkeep").value),
                        user >> 12,
                        user & 0xFFF,
                        bool(self.signal("tlast").value),
                    )
                )
        self.signal("tready").value = 0
        return beats


async def answer(port: Port) -> Answer:
    """The core's next answer; what is said of its length must be exact."""
    beats = await port.receive()
    last = beats[-1]
    if last.kind == BROKEN:
        reached = beats[-2].field if len(beats) > 1 else None
        return Answer(None, last.data, len(beats), port.header, reached)
    assert last.kind == DONE
    return Answer(read_image(beats), None, len(beats), port.header)


#: What a header says beside length and pad.
HEADER_REST = 0x0123_4567_89AB_CDEF_0022_3344 << 32


def header_of(message: Image) -> int:
    """The header of the frame that the message comes in."""
    return HEADER_REST | message.length | (-message.begins % 64) << 56


async def exchange(
    dut, beats: Sequence[Beat], stall: float = 0.0, seed: int = 1, header: int = HEADER_REST | 999
) -> Answer:
    """Send one message to a core with one input, and wait for what it answers.

    A core that makes an image of another size makes its header; one that does not needs the real.
    """
    tx, rx = Port(dut, "s_axis", stall, seed), Port(dut, "m_axis", stall, seed + 1)
    dut.s_axis.header.value = header
    sending = cocotb.start_soon(tx.send(beats))
    got = await with_timeout(answer(rx), 50, "ms")
    await with_timeout(sending, 50, "ms")
    if got.image is not None:
        check_header(got.header, got.image)
    return got


async def interrupt(
    dut, given: Mapping[str, Sequence[Beat]], cycles: int, outputs: Sequence[str] = ("m_axis",)
) -> None:
    """A reset after so many cycles of messages at each input, with all taken that comes out."""
    sending = [cocotb.start_soon(Port(dut, prefix).send(beats)) for prefix, beats in given.items()]
    for prefix in outputs:
        getattr(dut, prefix).tready.value = 1
    await ClockCycles(dut.clk_i, cycles)
    for task in sending:
        task.cancel()
    for prefix in given:
        getattr(dut, prefix).tvalid.value = 0
    dut.rst_i.value = 1
    await ClockCycles(dut.clk_i, 3)
    dut.rst_i.value = 0
    for prefix in outputs:
        getattr(dut, prefix).tready.value = 0
    await RisingEdge(dut.clk_i)


def check_header(header: int, made: Image) -> None:
    """Length and pad are those of the message, the rest is as it came."""
    assert header & 0xFFFF_FFFF == made.length
    assert header >> 56 & 63 == -made.begins % 64
    kept = ~(0xFFFF_FFFF | 63 << 56)
    assert header & kept == HEADER_REST & kept
