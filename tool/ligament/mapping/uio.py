# SPDX-License-Identifier: Apache-2.0
"""What a platform may say of an FPGA that is a board, or a stand-in of one (spec/device/uio.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ligament.errors import Problem
from ligament.graph.source import Document


@dataclass(frozen=True)
class _Rule:
    """A mistake: when, what it is, at which key, and what is expected."""

    broken: Callable[[Mapping[str, Any]], bool]
    text: str
    key: str
    expected: str


def _is_board(device: Mapping[str, Any]) -> bool:
    return device.get("backend") == "uio"


def _is_emulated(device: Mapping[str, Any]) -> bool:
    return "emulation" in device


#: Of devices with `backend: uio`; the first that is broken is told.
_RULES = (
    _Rule(
        lambda d: d["kind"] != "fpga",
        "is no FPGA, and is driven as a board of one",
        "backend",
        "`backend: uio` on devices of kind fpga",
    ),
    _Rule(
        lambda d: d.get("emulation") == "sw_emu",
        "runs its cores natively (sw_emu), and is driven as a board",
        "backend",
        "`emulation: hw_emu`, which is a stand-in of the board, or none",
    ),
    _Rule(
        lambda d: bool(d.get("slots")),
        "has slots, which the driver of boards does not serve",
        "slots",
        "no slots",
    ),
    _Rule(
        lambda d: bool(d.get("addresses_pool")),
        "says that it addresses the pool; messages are copied to memory of the board's",
        "addresses_pool",
        "`addresses_pool: false`",
    ),
    _Rule(
        lambda d: _is_emulated(d) and bool(d.get("clocks")),
        "has several clocks; a stand-in has one",
        "clocks",
        "no `clocks`, or a board",
    ),
    _Rule(
        lambda d: not _is_emulated(d) and "memory" not in d.get("uio", {}),
        "is a board without memory for messages",
        "backend",
        "`uio: {memory: udmabuf0}`, or `emulation: hw_emu`",
    ),
)


def uio_problems(name: str, device: Mapping[str, Any], document: Document) -> list[Problem]:
    """Return what is wrong with a device that is driven as a board, or names the files of one."""
    rules: tuple[_Rule, ...] = _RULES
    if not _is_board(device):
        text = "names the files of a board, and is not driven as one"
        rules = (_Rule(lambda d: "uio" in d, text, "uio", "`backend: uio` beside them"),)
    return [
        Problem(
            "backend-uio",
            f"'{name}' {rule.text}",
            document.at("devices", name, rule.key),
            expected=rule.expected,
        )
        for rule in rules
        if rule.broken(device)
    ][:1]
