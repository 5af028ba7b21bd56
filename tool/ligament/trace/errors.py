# SPDX-License-Identifier: Apache-2.0
"""What can go wrong while recording or converting: sentences, with what to install or to run."""

from __future__ import annotations

from typing import Any

from ligament.errors import FailureError


class TraceError(FailureError):
    """Recording or converting failed. Exit code 1."""


class NotKeptError(TraceError):
    """A whole recording did not fit where it belongs; `summary` is what run.json says of it."""

    def __init__(self, text: str, summary: dict[str, Any], hint: str) -> None:
        self.summary = summary
        super().__init__(text, hint=hint)


INSTALL_LTTNG = (
    "apt-get install lttng-tools liblttng-ust-dev, then build the runtime again (make setup); "
    "without --trace the graph runs as it is"
)
INSTALL_CONVERTER = "apt-get install libbabeltrace2-dev, then build the runtime again (make setup)"
