# SPDX-License-Identifier: Apache-2.0
"""Scripts of dev/, which have no .py at their end, as modules."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

REPO = Path(__file__).resolve().parents[2]


def dev_script(name: str) -> ModuleType:
    """dev/NAME."""
    loader = importlib.machinery.SourceFileLoader(f"dev_{name}", str(REPO / "dev" / name))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[loader.name] = module  # dataclasses look their module up
    loader.exec_module(module)
    return module
