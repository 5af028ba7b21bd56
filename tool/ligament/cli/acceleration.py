# SPDX-License-Identifier: Apache-2.0
"""`ligament acceleration`: what `colcon acceleration` is, where colcon runs in another Python."""

from __future__ import annotations

import typer

acceleration = typer.Typer(add_completion=False, rich_markup_mode="rich")


@acceleration.command(
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    add_help_option=False,
)
def _run(context: typer.Context) -> None:
    """Platforms of a workspace, and what is built for them: `colcon acceleration`.

    Examples:

    `ligament acceleration list`

    `ligament acceleration select kv260`
    """
    from ligament.acceleration.frame import run  # noqa: PLC0415 - --help of ligament needs none

    raise typer.Exit(run(context.args, "ligament acceleration"))
