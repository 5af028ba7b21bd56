# SPDX-License-Identifier: Apache-2.0
"""Checks of capabilities: each module has `CHECKS`, by capability (`capabilities.py`)."""
