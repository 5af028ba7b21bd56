# SPDX-License-Identifier: Apache-2.0
"""Stands for a file of a node; it is only read."""


class Tracker:
    """A node."""
