# SPDX-License-Identifier: Apache-2.0
"""Defaults in type descriptions: as the files say that a real ROS 2 installs beside its types."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ros2_wheels import DISTROS, WHEELS, wheels_python

from ligament.messages.cpp import described
from ligament.messages.packages import parse_message
from ligament.messages.store import load_store


def _told(path: Path) -> dict[str, str]:
    """Field -> default, where there is one."""
    data: dict[str, Any] = json.loads(path.read_text())
    fields = data["type_description_msg"]["type_description"]["fields"]
    return {f["name"]: f["default_value"] for f in fields if f["default_value"]}


@pytest.mark.each_distro  # each has its own types
@pytest.mark.parametrize("distro", DISTROS)
def test_defaults_are_written_as_ros_2_does(distro: str) -> None:
    wheels_python(distro)
    compared = 0
    for path in sorted((WHEELS / distro / "share" / "test_msgs" / "msg").glob("*.msg")):
        message = parse_message(path.read_text(encoding="utf-8"), f"test_msgs/msg/{path.stem}")
        ours = {f.name: described(f) for f in message.fields if f.default is not None}
        assert ours == _told(path.with_suffix(".json")), path.stem
        compared += len(ours)
    assert compared > 50


def test_standard_types_have_theirs() -> None:
    wheels_python("jazzy")
    store = load_store("jazzy")
    share = WHEELS / "jazzy" / "share"
    for package in ("geometry_msgs", "rcl_interfaces", "sensor_msgs", "nav_msgs", "std_msgs"):
        for path in sorted((share / package / "msg").glob("*.json")):
            name = f"{package}/msg/{path.stem}"
            if name in store:
                fields = store.message(name).fields
                ours = {f.name: described(f) for f in fields if f.default is not None}
                assert ours == _told(path), name
