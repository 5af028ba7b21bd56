# SPDX-License-Identifier: Apache-2.0
"""Planted faults: where one can be planted (sites), and whether the tests notice (trial)."""
