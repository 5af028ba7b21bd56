# SPDX-License-Identifier: Apache-2.0
"""Images and grids as files that a browser shows: bitmaps, which cost no compression."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

#: Columns of a shown image, at most; rows too.
MOST_COLUMNS = 480
_CHANNELS = {"rgb8": 3, "bgr8": 3, "8UC3": 3, "rgba8": 4, "bgra8": 4, "mono8": 1, "8UC1": 1}
_WIDE = {"mono16": "u2", "16UC1": "u2", "32FC1": "f4"}
_COMPRESSED = {b"\xff\xd8\xff": "image/jpeg", b"\x89PNG\r\n": "image/png"}
File = tuple[str, bytes]
"""Its content type, and what is in it."""
Pixels = np.ndarray[Any, np.dtype[np.uint8]]


def file_of_image(image: Any) -> File | None:
    """Return an image as a file, small enough to look at; None where it cannot be read."""
    wide = _WIDE.get(image.encoding)
    channels = 1 if wide else _CHANNELS.get(image.encoding, 0)
    width_bytes = np.dtype(wide).itemsize if wide else 1
    height, width, row = image.height, image.width, image.width * channels * width_bytes
    if not row or not height or image.step < row or len(image.data) < image.step * height:
        return None
    data = np.frombuffer(image.data, np.uint8, image.step * height).reshape(height, image.step)
    step = max(-(-width // MOST_COLUMNS), -(-height // MOST_COLUMNS))
    rows = np.ascontiguousarray(data[::step, :row])
    if wide:
        order = ">" if image.is_bigendian else "<"
        return "image/bmp", bitmap(_grey(_spread(rows.view(order + wide)[:, ::step])))
    pixels = rows.reshape(len(rows), width, channels)[:, ::step]
    if channels == 1:
        return "image/bmp", bitmap(_grey(pixels[..., 0]))
    colours = pixels[..., :3]
    return "image/bmp", bitmap(colours[..., ::-1] if image.encoding.startswith("rgb") else colours)


def file_of_compressed(image: Any) -> File | None:
    """Return a JPEG or PNG as it is; None for anything else."""
    data = bytes(image.data)
    for start, kind in _COMPRESSED.items():
        if data.startswith(start):
            return kind, data
    return None


def file_of_grid(grid: Any) -> File | None:
    """Return an occupancy grid, its first row at the bottom: free is white, unknown is grey."""
    width, height = grid.info.width, grid.info.height
    if not width or not height or len(grid.data) != width * height:
        return None
    cells = np.frombuffer(np.asarray(grid.data, np.int8), np.int8).reshape(height, width)
    step = max(-(-width // 1000), -(-height // 1000))
    cells = cells[::step, ::step][::-1].astype(np.int16)
    levels = np.where(cells < 0, 190, 255 - np.clip(cells, 0, 100) * 255 // 100).astype(np.uint8)
    return "image/bmp", bitmap(_grey(levels))


def _spread(values: np.ndarray[Any, Any]) -> Pixels:
    """Return values of any range as levels: the least is black, the largest white."""
    known = values[np.isfinite(values)].astype(np.float64)
    if not known.size:
        return np.zeros(values.shape, np.uint8)
    low, high = float(known.min()), float(known.max())
    filled = np.nan_to_num(values.astype(np.float64), nan=low, posinf=high, neginf=low)
    return np.asarray((filled - low) * (255.0 / max(high - low, 1e-12))).astype(np.uint8)


def _grey(levels: Pixels) -> Pixels:
    return np.repeat(levels[..., None], 3, axis=2)


def bitmap(pixels: Pixels) -> bytes:
    """Return a file of blue, green, red; rows begin at the top, and are padded to four bytes."""
    height, width, _ = pixels.shape
    padded = np.zeros((height, -(-width * 3 // 4) * 4), np.uint8)
    padded[:, : width * 3] = pixels.reshape(height, width * 3)
    head = struct.pack("<IiiHHIIiiII", 40, width, -height, 1, 24, 0, padded.size, 2835, 2835, 0, 0)
    return struct.pack("<2sIHHI", b"BM", 54 + padded.size, 0, 0, 54) + head + padded.tobytes()
