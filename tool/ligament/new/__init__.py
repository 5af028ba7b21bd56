# SPDX-License-Identifier: Apache-2.0
"""Folders to begin with (`ligament new`).

A template is a graph that works as it stands, with the node that is to be written under a name that
is in no other word of it. To add one: a folder in `templates`, and its line in `TEMPLATES`.
"""

from ligament.new.template import TEMPLATES, Template, write_new

__all__ = ["TEMPLATES", "Template", "write_new"]
