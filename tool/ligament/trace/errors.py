# SPDX-License-Identifier: Apache-2.0
"""What can go wrong while recording or converting: sentences, with what to install or to run."""

from __future__ import annotations

from ligament.errors import FailureError


class TraceError(FailureError):
    """Recording or converting failed. Exit code 1."""


INSTALL_LTTNG = (
    "apt-get install lttng-tools liblttng-ust-dev, then build the runtime again (make setup); "
    "without --trace the graph runs as it is"
)
INSTALL_CONVERTER = "apt-get install libbabeltrace2-dev, then build the runtime again (make setup)"
