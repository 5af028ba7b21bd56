# SPDX-License-Identifier: Apache-2.0
"""Runs the fuzzer from well-formed messages: run.py FUZZER WORK_DIR RUNS"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "roundtrip"))

from reference import encode  # noqa: E402 (the path is set above)
from values import Values  # noqa: E402

from ligament.messages import load_store  # noqa: E402

#: In the order of `readers` in fuzz.cpp.
TYPES = [
    "sensor_msgs/msg/Image",
    "sensor_msgs/msg/CameraInfo",
    "sensor_msgs/msg/PointCloud2",
    "sensor_msgs/msg/MultiEchoLaserScan",
    "diagnostic_msgs/msg/DiagnosticArray",
    "rcl_interfaces/msg/ParameterEvent",
    "every_feature_msgs/msg/Deep",
    "every_feature_msgs/srv/Everything_Request",
    "every_feature_msgs/srv/Everything_Response",
]


def write_seeds(folder: Path) -> None:
    """Three messages of each type."""
    store = load_store("jazzy", [HERE.parent / "every_feature_msgs"])
    folder.mkdir(parents=True, exist_ok=True)
    for index, name in enumerate(TYPES):
        for seed in range(3):
            value = Values(store, seed).message(store.message(name))
            data = bytes([index + len(TYPES) * seed]) + encode(store, name, value)
            (folder / f"{index}_{seed}").write_bytes(data)


def main(fuzzer: str, work: Path, runs: str) -> int:
    """The fuzzer's exit code; a crash leaves its input in the working folder."""
    write_seeds(work / "seeds")
    found = work / "found"
    found.mkdir(exist_ok=True)
    options = [f"-runs={runs}", "-seed=1", "-max_len=8192", "-rss_limit_mb=1024"]
    options += [f"-artifact_prefix={work}/crash-", "-print_final_stats=1"]
    command = [fuzzer, *options, str(found), str(work / "seeds")]
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2]), sys.argv[3]))
