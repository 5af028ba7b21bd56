# SPDX-License-Identifier: Apache-2.0
"""A drive through topics: what the robot sees goes out, the commands for it come in."""

from __future__ import annotations

import os
import time
from pathlib import Path

import rclpy
from rclpy.node import Node

from sim.drive import TIME_UP, Drive
from sim.estimate import Estimates
from sim.lockstep import LockStep
from sim.options import Options
from sim.outlets import Outlets
from sim.recorders import await_recorders


class Driving:
    """One drive of a node."""

    def __init__(self, node: Node, options: Options) -> None:
        self._node, self._options = node, options
        self._outlets = Outlets(node, options)
        self._lock_step = LockStep(node, options, self._take)
        outputs = Path(os.environ.get("LIGAMENT_OUTPUT_DIR", "."))
        self._log = Path(options.log or outputs / "drive.jsonl")
        self._drive = Drive(options, self._log)
        self._begun = False
        self._estimates = Estimates(node, self._drive.truth.write) if options.slam else None
        if self._estimates is not None:
            self._lock_step.also = lambda stamp_ns: self._estimates.stamp_ns >= stamp_ns

    def _take(self, speed: float, turn: float) -> None:
        if self._begun:
            self._drive.command(speed, turn)

    def run(self) -> bool:
        """Drive; return whether it came to the end that was asked for."""
        drive, lock_step = self._drive, self._lock_step
        self._outlets.open_animation(self._log)
        try:
            if not await_recorders(self._node, self._options):
                return False
            if not lock_step.await_others(self._outlets.takers):
                return False
            self._begun = True
            self._by_the_clock() if self._options.real_time else self._in_lock_step()
        finally:
            if self._estimates is not None:
                self._estimates.close()
            counts = {"missed": lock_step.missed, "extra": lock_step.extra}
            drive.close(**counts, late=self._outlets.late)
            self._outlets.close()
        if lock_step.extra and not self._options.real_time:
            self._node.get_logger().warning(
                f"{lock_step.extra} commands answered no image: does another node publish "
                "/cmd_vel, or was the camera silent, so that a watchdog stopped the robot?"
            )
        self._node.get_logger().info(f"{self._summary()}; log: {self._log}")
        return drive.truth.reason in ("laps done", TIME_UP)

    def _in_lock_step(self) -> None:
        drive = self._drive
        while rclpy.ok() and not drive.over:
            frame = drive.next_frame()
            reply_s = self._lock_step.send(
                lambda frame=frame: self._outlets.send(frame, drive), frame.copies
            )
            if frame.copies:
                self._lock_step.await_also(frame.stamp_ns)
            else:
                reply_s = None
            drive.advance(reply_ms=None if reply_s is None else reply_s * 1000, copies=frame.copies)

    def _by_the_clock(self) -> None:
        drive, period = self._drive, 1.0 / self._options.rate_hz
        due = time.monotonic()
        while rclpy.ok() and not drive.over:
            frame, sent = drive.next_frame(), time.monotonic()
            self._outlets.send(frame, drive)
            due += period
            self._outlets.late += time.monotonic() > due
            came = self._lock_step.spin_until(due)
            reply_ms = None if came is None or not frame.copies else (came - sent) * 1000
            drive.advance(reply_ms=reply_ms, copies=frame.copies)
            due = max(due, time.monotonic() - period)

    def _summary(self) -> str:
        drive, truth = self._drive, self._drive.truth
        return (
            f"{truth.reason or 'stopped'} after {drive.seconds:.1f} simulated s: "
            f"{truth.lap - 1} laps, {len(truth.stops)} red lights, {truth.red_lights_run} of them "
            f"run, {truth.departures} departures, {self._lock_step.missed} images without a command"
        )
