# SPDX-License-Identifier: Apache-2.0
"""One colour per kind of device, per transport and per share of time, the same everywhere.

Colours alone must not carry the meaning: kinds are also written, transports have dash patterns,
shares stand in a fixed order, and the figures of every chart stand in a table beside it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Ink:
    """A colour for light and for dark background, one for terminals, and a dash pattern."""

    light: str
    dark: str
    terminal: str
    dash: str = ""


KINDS: dict[str, Ink] = {
    "cpu": Ink("#2563c9", "#7fb0ff", "blue"),
    "gpu": Ink("#2b8a3e", "#7ddc90", "green"),
    "fpga": Ink("#c2570c", "#ffab66", "yellow"),
    "mcu": Ink("#8a3ab9", "#d4a1f5", "magenta"),
}
OUTSIDE = Ink("#6b7280", "#b6bec9", "white")
"""Programs of other packages."""

TRANSPORTS: dict[str, Ink] = {
    "shm": Ink("#4b5a70", "#a9b8cf", "white"),
    "dds": Ink("#b3261e", "#ff8f86", "red", "7 4"),
    "hmt": Ink("#c2570c", "#ffab66", "yellow"),
    "gateway": Ink("#0b7285", "#66d9e8", "cyan", "12 3 3 3"),
    "queue": Ink("#2b8a3e", "#7ddc90", "green"),
    "xrce": Ink("#8a3ab9", "#d4a1f5", "magenta", "2 4"),
}

SHARES: dict[str, Ink] = {
    "compute": Ink("#2563c9", "#7fb0ff", "blue"),
    "copy": Ink("#b3261e", "#ff8f86", "red"),
    "serialise": Ink("#d9730d", "#ffab66", "yellow"),
    "transport": Ink("#7b8aa1", "#8b9bb3", "white"),
    "queue_wait": Ink("#8a3ab9", "#d4a1f5", "magenta"),
    "executor_wait": Ink("#0b8a83", "#5fd8cf", "cyan"),
}

# Lines of variants in one chart: told apart by the common forms of colour blindness, and dashed.
VARIANTS: tuple[Ink, ...] = (
    Ink("#2563c9", "#7fb0ff", "blue"),
    Ink("#c2570c", "#ffab66", "yellow", "7 3"),
    Ink("#0b8a83", "#5fd8cf", "cyan", "2 3"),
    Ink("#8a3ab9", "#d4a1f5", "magenta", "9 3 2 3"),
    Ink("#b3261e", "#ff8f86", "red", "5 2 1 2"),
    Ink("#5b6777", "#c3ccd8", "white", "1 2"),
)


def main_transport(transports: tuple[str, ...]) -> str:
    """Return the transport that a topic is coloured by: the farthest-reaching one."""
    order = ("gateway", "dds", "xrce", "hmt", "queue", "shm")
    return next((t for t in order if t in transports), "shm")
