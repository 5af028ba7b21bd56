# SPDX-License-Identifier: Apache-2.0
"""Workspaces of the tests of disk images."""

from __future__ import annotations

import pytest
from image_workspaces import image_of, make
from workspaces import call


@pytest.fixture
def root(tmp_path):
    """A workspace with the toy platform."""
    return make(tmp_path / "ws")


@pytest.fixture
def with_image(root, capsys):
    """A workspace with an image; its bytes."""
    assert call(root, "linux") == 0
    capsys.readouterr()
    return root, image_of(root).read_bytes()
