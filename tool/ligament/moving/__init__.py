# SPDX-License-Identifier: Apache-2.0
"""What a node shall be on another device, for a graph that runs: mapped and built beside it."""

from ligament.moving.target import Running, Target, target_of

__all__ = ["Running", "Target", "target_of"]
