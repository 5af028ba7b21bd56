# SPDX-License-Identifier: Apache-2.0
"""Beside the node's own file."""


def numbers(count):
    """As many as are asked for."""
    yield from map(float, range(count))
