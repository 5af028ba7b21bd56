# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest: the converter of LIGAMENT_CONVERTER takes the place of the installed one."""

from __future__ import annotations

import importlib
import os
from pathlib import Path


def pytest_configure() -> None:
    """Let the tool find it, whatever is installed."""
    found = Path(os.environ["LIGAMENT_CONVERTER"]).resolve(strict=True)
    importlib.import_module("ligament.trace.convert").converter_path = lambda: found  # type: ignore[attr-defined]
