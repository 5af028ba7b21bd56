# SPDX-License-Identifier: Apache-2.0
"""What ends a container, with the exit status that says who has to act (spec/run/container.md)."""

from __future__ import annotations

import traceback

FAILED = 1
REFUSED = 2


class ContainerError(Exception):
    """Something that ends the container: of a node, or (empty) of the container itself."""

    def __init__(self, text: str, *, node: str = "", status: int = FAILED) -> None:
        super().__init__(text)
        self.text, self.node, self.status = text, node, status


class Refused(ContainerError):  # noqa: N818 - it is one
    """The graph, a manifest or the installation is wrong, not what the node did."""

    def __init__(self, text: str, *, node: str = "") -> None:
        super().__init__(text, node=node, status=REFUSED)


def described(error: BaseException) -> str:
    """An exception in one line, with the place where it was raised."""
    words = "".join(traceback.format_exception_only(error)).strip().splitlines()
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
    return f"{words[-1] if words else type(error).__name__}{where}"
