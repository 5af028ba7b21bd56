# SPDX-License-Identifier: Apache-2.0
"""Images as bitmap files, which a browser shows and which cost no compression."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

#: Columns of a shown image, at most.
MOST_COLUMNS = 400
_CHANNELS = {"rgb8": 3, "bgr8": 3, "mono8": 1}


def bitmap_of(image: Any) -> bytes | None:
    """Return a smaller image as a file; None where its encoding or size is not one of ours."""
    channels = _CHANNELS.get(image.encoding, 0)
    height, width, row = image.height, image.width, image.width * channels
    if not row or not height or image.step < row or len(image.data) < image.step * height:
        return None
    data = np.frombuffer(image.data, np.uint8, image.step * height)
    pixels = data.reshape(height, image.step)[:, :row].reshape(height, width, channels)
    step = -(-width // MOST_COLUMNS)
    small = pixels[::step, ::step]
    if channels == 1:
        small = small.repeat(3, axis=2)
    elif image.encoding == "rgb8":
        small = small[..., ::-1]
    return bitmap(small)


def bitmap(pixels: np.ndarray[Any, Any]) -> bytes:
    """Return a file of blue, green, red; rows begin at the top, and are padded to four bytes."""
    height, width, _ = pixels.shape
    padded = np.zeros((height, -(-width * 3 // 4) * 4), np.uint8)
    padded[:, : width * 3] = pixels.reshape(height, width * 3)
    head = struct.pack("<IiiHHIIiiII", 40, width, -height, 1, 24, 0, padded.size, 2835, 2835, 0, 0)
    return struct.pack("<2sIHHI", b"BM", 54 + padded.size, 0, 0, 54) + head + padded.tobytes()
