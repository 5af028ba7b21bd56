# SPDX-License-Identifier: Apache-2.0
"""Figures of the paper's tables 1 to 5: percent over native of the same device model."""

from __future__ import annotations

#: (device, workload, device model): milliseconds without ROS and their deviation (table 1).
NATIVE_MS = {
    ("TX2", "cache", "SC"): (833.0, 3.8),
    ("TX2", "cache", "ZC"): (8509.1, 131.7),
    ("TX2", "concurrent", "SC"): (1053.0, 8.2),
    ("TX2", "concurrent", "ZC"): (1316.1, 33.9),
    ("Xavier", "cache", "SC"): (207.7, 9.8),
    ("Xavier", "cache", "ZC"): (244.7, 11.0),
    ("Xavier", "concurrent", "SC"): (381.2, 8.3),
    ("Xavier", "concurrent", "ZC"): (256.9, 6.1),
}

#: (device, workload): percent by (nodes, ROS mode, device model); topics (tables 2 to 5).
OVERHEAD = {
    ("TX2", "cache"): {
        (2, "ROS-SC", "SC"): 2640,
        (2, "ROS-SHM-ZC", "SC"): 2,
        (2, "ROS-SHM-ZC", "ZC"): 11,
        (3, "ROS-SHM-ZC", "SC"): 4,
        (3, "ROS-SHM-ZC", "ZC"): 11,
    },
    ("TX2", "concurrent"): {
        (2, "ROS-SC", "SC"): 343,
        (2, "ROS-SHM-ZC", "SC"): -1,
        (2, "ROS-SHM-ZC", "ZC"): -9,
        (3, "ROS-SHM-ZC", "SC"): -5,
        (3, "ROS-SHM-ZC", "ZC"): -11,
    },
    ("Xavier", "cache"): {
        (2, "ROS-SC", "SC"): 3930,
        (2, "ROS-SHM-ZC", "SC"): 11,
        (2, "ROS-SHM-ZC", "ZC"): 3,
        (3, "ROS-SHM-ZC", "SC"): 14,
        (3, "ROS-SHM-ZC", "ZC"): 64,
    },
    ("Xavier", "concurrent"): {
        (2, "ROS-SC", "SC"): 818,
        (2, "ROS-SHM-ZC", "SC"): 6,
        (2, "ROS-SHM-ZC", "ZC"): 4,
        (3, "ROS-SHM-ZC", "SC"): 7,
        (3, "ROS-SHM-ZC", "ZC"): 76,
    },
}
DEVICES = ("TX2", "Xavier")
