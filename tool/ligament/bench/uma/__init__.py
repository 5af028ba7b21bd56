# SPDX-License-Identifier: Apache-2.0
"""CPU and GPU nodes: what ROS between the two costs over the same work without it.

The two workloads, the run counts and the tables are those of the paper on ROS-compliant CPU-iGPU
communication; benchmarks/uma/README.md says what is alike and what is not.
"""

from ligament.bench.uma.goals import FIGURES
from ligament.bench.uma.measure import measure
from ligament.bench.uma.options import Options
from ligament.bench.uma.table import print_result

__all__ = ["FIGURES", "Options", "measure", "print_result"]
