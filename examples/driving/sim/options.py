# SPDX-License-Identifier: Apache-2.0
"""What a drive can be told: the parameters of the simulator's node, each with its meaning."""

from __future__ import annotations

from dataclasses import Field, dataclass, field, fields
from typing import Any

from sim.pictures import Wear
from sim.shape import STEPS_PER_S, Look
from sim.weather import Weather


class OptionError(ValueError):
    """What was asked for cannot be; says what can."""


def _range(
    meaning: str, default: Any, least: float | None = None, most: float | None = None
) -> Any:
    return field(default=default, metadata={"meaning": meaning, "least": least, "most": most})


def _list(meaning: str, *default: Any) -> Any:
    about = {"meaning": meaning, "least": None, "most": None}
    return field(default_factory=lambda: list(default), metadata=about)


@dataclass(frozen=True)
class Options:
    """All of them. The defaults are three laps in good weather, in lock step."""

    # fmt: off
    laps: int = _range("laps after which the drive ends", 3, 1, 1000)
    seconds: float = _range(
        "simulated seconds after which the drive ends; 0: after its laps", 0.0, 0.0)
    seed: int = _range("of noise, worn spots, walls and faults", 1, 0)
    rate_hz: int = _range("pictures in a simulated second", 30, 1, 120)
    width: int = _range("columns of a picture", 640, 16, 4096)
    height: int = _range("rows of a picture", 480, 16, 4096)
    real_time: bool = _range("go by the clock, do not wait for the command to each frame", False)
    reply_timeout_s: float = _range(
        "real seconds that a frame waits for its command; then it is counted as missed", 5.0, 0.001)
    start_timeout_s: float = _range(
        "real seconds to wait for who takes images and who sends commands", 120.0, 0.0)
    takers: int = _range("subscriptions to images that are waited for before the first", 1, 1)
    slam: bool = _range(
        "a SLAM tells poses on /slam/pose: the log has them, and each frame waits for its pose",
        False)
    recorders: int = _range("recorders of the drive that are waited for", 0, 0)
    replay: str = _range("a recorded drive that is sent instead", "")
    log: str = _range("file of what really happened; else drive.jsonl in the run's outputs", "")
    animation: int = _range("every n-th frame is kept, small, for the report; 0: none", 15, 0)
    red_laps: list[int] = _list("laps in which the traffic light is red", 1, 2, 3)  # noqa: RUF009
    hold_s: float = _range("simulated seconds of standing after which it turns green", 2.0, 0.1)
    command_delay_ms: float = _range(
        "simulated time from a frame to the effect of its command", 0.0, 0.0, 2000.0)
    command_jitter_ms: float = _range("up to so much is added to that delay", 0.0, 0.0, 2000.0)
    noise: float = _range("weather: standard deviation of a pixel, in grey levels", 0.0, 0.0, 100.0)
    exposure: float = _range("weather: factor of the brightness", 1.0, 0.05, 8.0)
    blur: int = _range("weather: pixels that a picture is smeared over", 0, 0, 64)
    glare: float = _range("weather: brightness that a low sun adds", 0.0, 0.0, 1.0)
    shadows: float = _range("weather: part of the light that shadows take", 0.0, 0.0, 1.0)
    worn: float = _range("weather: part of the markings that is gone", 0.0, 0.0, 1.0)
    other_robot: bool = _range("weather: another robot drives 0.7 m ahead", False)
    missing: list[float] = _list("fault: one stripe is missing, from and to", 0.0, 0.0)  # noqa: RUF009
    missing_side: str = _range("fault: which stripe: left or right", "left")
    stall_at: int = _range(
        "fault: number of the frame from which the camera sends nothing; -1: never", -1, -1)
    stall_frames: int = _range("fault: for so many frames", 30, 0)
    drop: float = _range("fault: part of the frames that is not sent", 0.0, 0.0, 1.0)
    duplicate: float = _range("fault: part of the frames that is sent twice", 0.0, 0.0, 1.0)
    flicker_hz: float = _range("fault: the traffic light goes off and on so often", 0.0, 0.0, 100.0)
    # fmt: on

    def __post_init__(self) -> None:
        for one in fields(self):
            _require_range(one, getattr(self, one.name))
        if STEPS_PER_S % self.rate_hz:
            possible = [rate for rate in range(1, 121) if STEPS_PER_S % rate == 0]
            raise OptionError(f"rate_hz is {self.rate_hz}; possible are {possible}")
        if len(self.missing) != 2:
            raise OptionError(f"missing is {self.missing}; it has two numbers, from and to")
        if self.missing_side not in ("left", "right"):
            raise OptionError(f"missing_side is '{self.missing_side}'; possible are left and right")

    @property
    def look(self) -> Look:
        """What the world looks like."""
        wear = Wear(self.worn, self.shadows, (self.missing[0], self.missing[1]), self.missing_side)
        return Look(wear, self.other_robot, self.width, self.height)

    @property
    def weather(self) -> Weather:
        """What the camera makes of it."""
        return Weather(self.noise, self.exposure, self.blur, self.glare)


def help_text() -> str:
    """A line per option, as `--ros-args -p NAME:=VALUE` takes it."""
    defaults = Options()
    lines = (
        f"  {one.name} ({getattr(defaults, one.name)!r}): {one.metadata['meaning']}"
        for one in fields(Options)
    )
    return "\n".join(["parameters, with their defaults (--ros-args -p NAME:=VALUE):", *lines])


def _require_range(one: Field[Any], value: Any) -> None:
    least, most = one.metadata["least"], one.metadata["most"]
    if (least is not None and not value >= least) or (most is not None and not value <= most):
        possible = f"at least {least}" if most is None else f"{least} to {most}"
        raise OptionError(f"{one.name} is {value}; possible is {possible}")
