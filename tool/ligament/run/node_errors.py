# SPDX-License-Identifier: Apache-2.0
"""What nodes reported while they ran, for run.json and for the verdict."""

from __future__ import annotations

from dataclasses import replace

from ligament.run.outcome import NodeError, Verdict

# A node may say something else about every message; what is kept must not grow with the run.
MAX_DIFFERENT = 100


class NodeErrors:
    """Collects reported errors over all containers and all their lives."""

    def __init__(self) -> None:
        self.records: list[NodeError] = []

    def add(self, node: str | None, text: str, container: str) -> None:
        """Take in one report; the same sentence again is counted."""
        for record in self.records:
            if (record.node, record.text, record.container) == (node, text, container):
                record.count += 1
                return
        if len(self.records) < MAX_DIFFERENT:
            self.records.append(NodeError(node, text, container))

    def judge(self, verdict: Verdict) -> Verdict:
        """A run that ended by itself with errors of nodes did not do all that it should: exit 1.

        A run that a person stopped is left as it is: the exit code says that the stop went well.
        """
        ended_by_itself = verdict.reason in ("finished", "duration")
        if not ended_by_itself or verdict.exit_code != 0 or not self.records:
            return verdict
        who = sorted({record.node or record.container for record in self.records})
        text = f"{verdict.text}, but nodes reported errors: {', '.join(who)}"
        return replace(verdict, text=text, exit_code=1)
