# SPDX-License-Identifier: Apache-2.0
"""HLS C++ headers of messages: per type a struct within its bounds, take and publish.

render_hls(store, messages, read_bounds([]))      # {"sensor_msgs/msg/imu.hpp": text, ...}
hls_support()                                     # {"lig_hls.hpp": text, "native/ap_int.h": ...}
"""

from ligament.messages.hls.render import header_of, hls_support, qualified_of, render_hls

__all__ = ["header_of", "hls_support", "qualified_of", "render_hls"]
