# SPDX-License-Identifier: Apache-2.0
"""One module per verb, found by its name; `-` of a verb's name is `_` in the module's.

    HELP = "What it does, in one line."

    def add_arguments(parser: argparse.ArgumentParser) -> None: ...
    def main(arguments: argparse.Namespace, workspace: Workspace) -> int: ...

The module's docstring is the verb's explanation in --help. `arguments` has `json` and `dry_run`
beside the verb's own. What `main` returns is the exit code; errors are raised (ligament.errors).
Modules are imported for help, too: they import what is slow in functions.
"""

from __future__ import annotations

import pkgutil


def verb_names() -> list[str]:
    """Return the names of all verbs, sorted."""
    return sorted(m.name.replace("_", "-") for m in pkgutil.iter_modules(__path__))
