# SPDX-License-Identifier: Apache-2.0
"""A progress bar for long builds: on a terminal a moving line, elsewhere nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from ligament.build.ninja import Progress


@contextmanager
def progress_bar(what: str = "building") -> Iterator[Progress]:
    """Yield a callback for `build`; the bar appears with the first step and goes at the end."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("[dim]{task.fields[step]}"),
    )
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=None, visible=False, step="")

        def advance(done: int, total: int, step: str) -> None:
            bar.update(task, completed=done, total=total, visible=True, step=step[-60:])

        yield advance
