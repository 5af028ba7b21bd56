# SPDX-License-Identifier: Apache-2.0
"""Benchmarks: one table of them, one form of results."""
