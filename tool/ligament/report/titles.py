# SPDX-License-Identifier: Apache-2.0
"""What the variants of a report are called where people read it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any


def told_apart(report: Mapping[str, Any]) -> dict[str, Any]:
    """The report as it is; where runs are of one variant, each name has its run's id, too."""
    counts = Counter(variant["name"] for variant in report["variants"])
    variants = [
        {**variant, "name": f"{variant['name']} ({variant['run_id']})"}
        if counts[variant["name"]] > 1
        else variant
        for variant in report["variants"]
    ]
    return {**report, "variants": variants}
