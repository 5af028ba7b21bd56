# SPDX-License-Identifier: Apache-2.0
"""The verb `acceleration` of colcon: an entry point of the group `colcon_core.verb`.

colcon finds it where Ligament is installed in the Python that runs colcon. Each command of colcon
imports this module, `colcon build` too: so the rest is imported when the verb runs.
"""

from __future__ import annotations

import argparse
import os
from typing import Any

from colcon_core.plugin_system import satisfies_version
from colcon_core.verb import VerbExtensionPoint

from ligament.acceleration.verbs import verb_names

_PROGRAM = "colcon acceleration"


class AccelerationVerb(VerbExtensionPoint):  # type: ignore[misc]  # colcon has no types
    """Platforms of this workspace, and what is built for them."""

    def __init__(self) -> None:
        super().__init__()
        satisfies_version(VerbExtensionPoint.EXTENSION_POINT_VERSION, "^1.0")

    def add_arguments(self, *, parser: argparse.ArgumentParser) -> None:
        """Take all words: which arguments there are is known when the verb is."""
        # colcon would make a folder for logs, also where the workspace may not be written.
        parser.set_defaults(log_base=os.devnull)
        verbs = ", ".join(verb_names())
        told = f"{verbs}; without any, each is explained in one line"
        parser.add_argument(
            "words", nargs=argparse.REMAINDER, metavar="VERB [ARGUMENTS]", help=told
        )

    def main(self, *, context: Any) -> int:
        """Run the verb; return its exit code."""
        from ligament.acceleration import frame  # noqa: PLC0415

        return frame.run(context.args.words, _PROGRAM)
