# SPDX-License-Identifier: Apache-2.0
"""C99 headers of messages for microcontrollers: per type a struct within its bounds, put and get.

render_c99(store, messages, read_bounds([]))      # {"sensor_msgs/msg/imu.h": text, ...}
"""

from ligament.messages.c99.render import header_of, render_c99, struct_of

__all__ = ["header_of", "render_c99", "struct_of"]
