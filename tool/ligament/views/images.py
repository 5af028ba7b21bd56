# SPDX-License-Identifier: Apache-2.0
"""sensor_msgs/Image as an array of rows, columns and channels."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ligament.views.errors import MalformedMessageError, UnsupportedMessageError
from ligament.views.wanted import require_shape

#: Names of sensor_msgs/image_encodings.hpp that say neither type nor channels. Depth in bits.
_CHANNELS = {"mono": 1, "bayer_": 1, "rgb": 3, "bgr": 3, "rgba": 4, "bgra": 4}
_NAMED = re.compile(r"(mono|rgb|bgr|rgba|bgra|bayer_)(?:(?<=_)[rgb]{4})?(8|16)")
_TYPED = re.compile(r"(8|16|32|64)([USF])(?:C([1-9][0-9]?))?")
_KINDS = {"U": "u", "S": "i", "F": "f"}


def pixel_type(encoding: str, is_bigendian: bool) -> tuple[np.dtype[Any], int]:
    """Type of a channel's value, and channels."""
    if named := _NAMED.fullmatch(encoding):
        bits, kind, channels = int(named[2]), "u", _CHANNELS[named[1]]
    elif typed := _TYPED.fullmatch(encoding):
        bits, kind, channels = int(typed[1]), _KINDS[typed[2]], int(typed[3] or 1)
    else:
        raise UnsupportedMessageError(f"images of encoding '{encoding}' have no array(): use data")
    if (kind == "f") != (bits >= 32) and not (kind == "i" and bits == 32):
        raise UnsupportedMessageError(f"'{encoding}' is no encoding of ROS 2")
    return np.dtype(f"{'>' if is_bigendian else '<'}{kind}{bits // 8}"), channels


class Pixels:
    """What a view or loan of an Image can do beside its fields."""

    __slots__ = ()

    def array(self: Any) -> Any:
        """The pixels, in place: height, width, channels (also where there is one channel)."""
        require_shape(self, "height", "width", "step")
        dtype, channels = pixel_type(self.encoding, bool(self.is_bigendian))
        pixel = dtype.itemsize * channels
        if self.width * pixel > self.step or self.height * self.step > self.data.size:
            raise MalformedMessageError(
                f"no image of {self.width} x {self.height} {self.encoding} has rows of {self.step} "
                f"and {self.data.size} bytes"
            )
        shape = (self.height, self.width, channels)
        strides = (self.step, pixel, dtype.itemsize)
        return np.ndarray(shape, dtype, buffer=self.data, strides=strides)
