# SPDX-License-Identifier: Apache-2.0
"""Messages in hardware (spec/wire/fields.md): bounds, layout programs, SystemVerilog.

bounds = read_bounds([])                          # what ships, for every standard type
program = layout_of(store, store.message("sensor_msgs/msg/Image"), bounds)
render_all(store, [message], bounds)              # {"lig_sensor_msgs_msg_image_pkg.sv": text, ...}
"""

from ligament.messages.hdl.bounds import Bounds, read_bounds
from ligament.messages.hdl.layout import Layout, layout_of
from ligament.messages.hdl.render import MADE, render_all, render_vhdl

__all__ = ["MADE", "Bounds", "Layout", "layout_of", "read_bounds", "render_all", "render_vhdl"]
