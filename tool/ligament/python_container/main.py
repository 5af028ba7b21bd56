# SPDX-License-Identifier: Apache-2.0
"""`main.py CONTAINER.json [--status-fd N]`: what `ligament run` starts for nodes in Python.

It is started by its path, with ROS 2's Python, and may be started so by hand.
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from pathlib import Path

_HERE = Path(__file__).resolve().parent
if __name__ == "__main__":
    # By its path: what lies here is not to be found by the nodes' imports, and the tool's own
    # folder comes last, since it may be full of packages for another Python.
    sys.path = [p for p in sys.path if Path(p).resolve() != _HERE]
    sys.path.append(str(_HERE.parents[1]))

from ligament.python_container.faults import FAILED, REFUSED, ContainerError, described  # noqa: E402
from ligament.python_container.status import StatusChannel  # noqa: E402


def main(arguments: list[str] | None = None) -> int:
    """Run a container; returns its exit status."""
    parser = argparse.ArgumentParser(description="Run rclpy nodes of a Ligament graph.")
    parser.add_argument("config", type=Path, metavar="CONTAINER.json")
    parser.add_argument("--status-fd", type=int, metavar="N", help="where status lines go")
    options = parser.parse_args(arguments)
    status = StatusChannel(options.status_fd)
    try:
        import rclpy  # noqa: F401, PLC0415 - said with a sentence where it is missing
    except ImportError as error:
        text = f"{sys.executable} cannot import rclpy: {error}; `ligament doctor` tells more"
        status.error("", text)
        return REFUSED
    from ligament.python_container.container import run_container  # noqa: PLC0415 - needs rclpy

    try:
        return run_container(options.config, status)
    except ContainerError as error:
        status.error(error.node, error.text)
        return error.status
    except Exception as error:
        traceback.print_exception(error)
        status.error("", described(error))
        return FAILED


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    if code != 0:
        os._exit(code)  # a callback that hangs in another thread must not keep a failed process
    raise SystemExit(code)
