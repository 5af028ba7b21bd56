# SPDX-License-Identifier: Apache-2.0
"""What the benches of the driving nodes' pixel cores share: the CPU nodes' kernels, and scenes."""

from __future__ import annotations

import ctypes
import os
import random
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import image_bench
import numpy as np
from image_bench import Image, Pixels

DRIVING = Path(__file__).resolve().parents[1]
RUNTIME = DRIVING.parents[1] / "runtime" / "include"


@cache
def library() -> Path:
    """drive_golden.cpp and the kernels."""
    kernels = DRIVING / "kernels"
    sources = sorted((DRIVING / "tests").glob("drive_golden*.cpp"))
    sources += [kernels / f"{name}.cpp" for name in ("ground_view", "road_scene")]
    headers = sorted(kernels.glob("*.hpp"))
    return image_bench.golden_library(sources, headers, [DRIVING, RUNTIME])


def golden(function: str, pixels: Pixels, shape: Sequence[int], *arguments: object) -> Pixels:
    """What a kernel makes of the pixels; `shape`: height, width and channels of the result."""
    return image_bench.golden(function, pixels, shape, *arguments, library=library())


def simulate_core(bench: str, node: str, parameters: dict[str, object] | None = None) -> None:
    """Run the bench with the sources that the node's manifest lists."""
    image_bench.simulate_core(bench, node, parameters, package="driving")


def sweep(
    usual: Sequence[object], rest: Sequence[object], more: Sequence[object] = ()
) -> list[object]:
    """Parameters of a bench: with LIGAMENT_HDL_FULL=1 all, which takes many minutes of a core.

    `more` also run with LIGAMENT_TEST_FULL=1: widths that tool/tests/cores/ runs as a whole design,
    bit by bit as the CPU.
    """
    everything = os.environ.get("LIGAMENT_HDL_FULL") == "1"
    widths = everything or os.environ.get("LIGAMENT_TEST_FULL") == "1"
    return [*usual, *(more if widths else ()), *(rest if everything else ())]


def road(width: int, height: int, encoding: str, distance: float, lamp: int = 0) -> Image:
    """A still scene, of kernels/road_scene."""
    nothing = np.zeros((1, 1, 3), np.uint8)
    pixels = golden("road", nothing, (height, width, 3), ctypes.c_double(distance), lamp)
    if encoding != "rgb8":
        pixels = pixels[:, :, ::-1]
    return image_bench.with_pixels(image_bench.image(width, height, encoding), pixels)


def grained(source: Image, seed: int, most: int = 12) -> Image:
    """The image with a camera's noise, and darker towards the corners."""
    dice = np.random.default_rng(seed)
    rows, columns = np.ogrid[: source.height, : source.width]
    far = (rows / source.height - 0.5) ** 2 + (columns / source.width - 0.5) ** 2
    noise = dice.integers(-most, most + 1, (source.height, source.width, 3))
    pixels = source.pixels * (1 - 0.6 * far[:, :, None]) + noise
    return image_bench.with_pixels(source, np.clip(pixels, 0, 255).astype(np.uint8))


def coloured(width: int, height: int, encoding: str, levels: Sequence[int], seed: int) -> Image:
    """An image of these levels alone, some much more often than others."""
    dice = random.Random(seed)
    weights = [dice.random() ** 4 + 1e-3 for _ in levels]
    data = bytes(dice.choices(levels, weights, k=3 * width * height))
    like = image_bench.image(width, height, encoding)
    return image_bench.with_pixels(
        like, np.frombuffer(data, np.uint8).reshape(height, width, 3), encoding
    )
