# SPDX-License-Identifier: Apache-2.0
"""Generates for nodes in Python."""
