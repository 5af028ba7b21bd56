# SPDX-License-Identifier: Apache-2.0
"""Texts of exported folders, from the templates beside this file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import jinja2


def render(template: str, values: Mapping[str, Any]) -> str:
    """Render a template; the same values give the same bytes."""
    return _environment().get_template(template).render(**values)


def verilog(bits: int) -> str:
    """Return a register's value as a literal of 64 bits."""
    return f"64'h{bits:016X}"


@cache
def _environment() -> jinja2.Environment:
    import jinja2  # noqa: PLC0415 - slow to import

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("ligament.export"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters["verilog"] = verilog
    return environment
