# SPDX-License-Identifier: Apache-2.0
"""sensor_msgs/PointCloud2 as a structured array of points."""

from __future__ import annotations

from typing import Any

import numpy as np

from ligament.views.errors import MalformedMessageError
from ligament.views.wanted import require_shape

#: By the constants of sensor_msgs/PointField, INT8 = 1 and so on.
_TYPES = ("", "i1", "u1", "i2", "u2", "i4", "u4", "f4", "f8")


def point_type(cloud: Any) -> np.dtype[Any]:
    """The type of a point, with the names of its fields."""
    order = ">" if cloud.is_bigendian else "<"
    formats: list[Any] = []
    for field in cloud.fields:
        if not 0 < field.datatype < len(_TYPES):
            raise MalformedMessageError(f"points' '{field.name}' has datatype {field.datatype}")
        one = order + _TYPES[field.datatype]
        if field.offset + field.count * np.dtype(one).itemsize > cloud.point_step:
            raise MalformedMessageError(f"points' '{field.name}' lies beyond its point")
        formats.append(one if field.count <= 1 else (one, (field.count,)))
    names = [field.name for field in cloud.fields]
    offsets = [field.offset for field in cloud.fields]
    try:
        return np.dtype(
            {"names": names, "formats": formats, "offsets": offsets, "itemsize": cloud.point_step}
        )
    except ValueError as error:  # a name twice, or none
        raise MalformedMessageError(f"points' fields: {error}") from None


class Points:
    """What a view or loan of a PointCloud2 can do beside its fields."""

    __slots__ = ()

    def array(self: Any) -> Any:
        """The points, in place: height, width; `array()["x"]` is one field of all points."""
        require_shape(self, "height", "width", "point_step", "row_step")
        dtype = point_type(self)
        ends = self.width * self.point_step, self.height * self.row_step
        if ends[0] > self.row_step or ends[1] > self.data.size or not self.point_step:
            raise MalformedMessageError(
                f"no cloud of {self.width} x {self.height} points has rows of {self.row_step} and "
                f"{self.data.size} bytes"
            )
        strides = (self.row_step, self.point_step)
        return np.ndarray((self.height, self.width), dtype, buffer=self.data, strides=strides)
