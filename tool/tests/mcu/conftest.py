# SPDX-License-Identifier: Apache-2.0
"""What tests of nodes on cores have from others."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "run"))  # ros2_wheels, dds_domain
