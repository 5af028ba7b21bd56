# SPDX-License-Identifier: Apache-2.0
"""How much the parts of a step do: found once for each workload and number of nodes, so that all
lines of a table do the same work, whatever their ROS mode and device model."""

from __future__ import annotations

from dataclasses import dataclass

from ligament.bench.uma.cells import ARCHITECTURES, COPIED, SHARED, TOPIC, Cell, Line
from ligament.bench.uma.options import Options
from ligament.bench.uma.paper import LEAST_COPIED
from ligament.bench.uma.run import architecture_words, run_program

#: The line with the least work for ROS-SC: one message there, one back.
PROBE = Line(2, COPIED, TOPIC, "SC")
PROBE_STEPS = 20
#: An exchange by ROS-SC takes longer or shorter from one minute to the next.
MARGIN = 1.1


@dataclass(frozen=True)
class Work:
    """What a step does, and what that took where it was found."""

    step_us: int
    cpu_repeats: int
    gpu_repeats: int
    cpu_part_us: int
    gpu_part_us: int

    @property
    def words(self) -> list[str]:
        """For the program."""
        return [f"--cpu-repeats={self.cpu_repeats}", f"--gpu-repeats={self.gpu_repeats}"]


class Sizes:
    """The work of each workload and number of nodes, and how its steps' length was found."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._steps: dict[str, int] = {}
        self._works: dict[tuple[str, int], Work] = {}
        self.notes: list[str] = []

    def work_of(self, cell: Cell) -> Work:
        """Found when first asked for; FailureError: it could not be."""
        key = (cell.workload, cell.line.nodes)
        if key not in self._works:
            self._works[key] = self._calibrated(*key)
        return self._works[key]

    def _calibrated(self, workload: str, nodes: int) -> Work:
        """In place, so that no copy counts as the GPU's part."""
        step_us = self._step_us(workload)
        words = [
            *architecture_words(Line(nodes, SHARED, TOPIC, "ZC"), self._options.middleware),
            *("--calibrate", "--step-us", str(step_us)),
        ]
        found = run_program(workload, words, self._options)
        work = Work(
            step_us,
            found["cpu_repeats"],
            found["gpu_repeats"],
            found["cpu_part_ns"] // 1000,
            found["gpu_part_ns"] // 1000,
        )
        cpus, gpus, _ = ARCHITECTURES[nodes]
        self.notes.append(
            f"sizes: {workload}, {nodes} nodes: the part of {cpus} CPU takes {work.cpu_part_us} us "
            f"({work.cpu_repeats} repeats), that of {gpus} GPU {work.gpu_part_us} us "
            f"({work.gpu_repeats}); a step without ROS {step_us} us at most where each has a core"
        )
        return work

    def _step_us(self, workload: str) -> int:
        if self._options.step_us > 0:
            return self._options.step_us
        if workload not in self._steps:
            self._steps[workload] = self._longest_step_us(workload)
        return self._steps[workload]

    def _longest_step_us(self, workload: str) -> int:
        """A step beside which what ROS-SC adds is at least the paper's smallest overhead."""
        words = [
            *architecture_words(PROBE, self._options.middleware),
            *("--steps", str(PROBE_STEPS), "--runs", "2", "--warm-up", "1", "--launches", "1"),
        ]
        found = run_program(workload, words, self._options)
        added = min(
            ros - native for native, ros in zip(found["native_ns"], found["ros_ns"], strict=True)
        )
        added_us = added / PROBE_STEPS / 1000
        step_us = max(1, int(added_us / (LEAST_COPIED / 100 * MARGIN)))
        self.notes.append(
            f"sizes: {workload}: an exchange by ROS-SC ({PROBE.nodes} nodes, by topic) costs "
            f"{added_us:.0f} us more than without ROS, so a step may take {step_us} us for its "
            f"overhead to reach {LEAST_COPIED} %, the paper's least"
        )
        return step_us
