# SPDX-License-Identifier: Apache-2.0
"""What is between the world and the picture: noise, exposure, blur, a low sun."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]


@dataclass(frozen=True)
class Weather:
    """What is between the world and the picture."""

    noise: float = 0.0
    """Standard deviation of each pixel, in grey levels."""
    exposure: float = 1.0
    """Factor of the brightness; 1.0 is right."""
    blur: int = 0
    """Pixels that a picture is smeared over."""
    glare: float = 0.0
    """Brightness that a low sun adds, 0 to 1."""


class Spoiler:
    """Makes pictures as bad as the weather is, the same for the same seed."""

    def __init__(self, weather: Weather, width: int, height: int, seed: int) -> None:
        self._weather = weather
        rng = np.random.default_rng([seed, 2])
        # A bank of noise: a million numbers for each picture would take longer than to render it.
        bank = weather.noise * rng.standard_normal((8, height, width, 3))
        self._noise = bank.astype(np.int16) if weather.noise > 0 else None
        self._rng = rng
        self._sun = _sun(width, height) * 255.0 * weather.glare if weather.glare > 0 else None

    def spoil(self, picture: Picture) -> Picture:
        """Return the picture as the camera gives it."""
        weather = self._weather
        if weather.blur > 1:
            picture = _smeared(picture, weather.blur)
        if weather.exposure == 1.0 and self._sun is None and self._noise is None:
            return picture
        values = picture.astype(np.float32)
        values *= weather.exposure
        if self._sun is not None:
            values += self._sun
        if self._noise is not None:
            which, shift = self._rng.integers(0, len(self._noise)), self._rng.integers(0, 1 << 16)
            values += np.roll(self._noise[which], shift, axis=0)
        return np.clip(values, 0, 255).astype(np.uint8)


def _smeared(picture: Picture, pixels: int) -> Picture:
    """Return the mean of as many pictures, each a pixel further to the side and down."""
    padded = np.pad(picture, ((0, pixels), (0, pixels), (0, 0)), mode="edge").astype(np.uint16)
    height, width, _ = picture.shape
    total = sum(padded[i : i + height, i : i + width] for i in range(pixels))
    return (total // pixels).astype(np.uint8)


def _sun(width: int, height: int) -> NDArray[np.float32]:
    """Return how bright a low sun makes each pixel: most at the upper left."""
    y, x = np.mgrid[:height, :width].astype(np.float32)
    away = np.hypot(x / width - 0.35, (y / height - 0.25) * 0.8)
    return np.exp(-((away / 0.28) ** 2))[..., None].astype(np.float32)
