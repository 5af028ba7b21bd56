# SPDX-License-Identifier: Apache-2.0
"""A graph over several hosts as one run (spec/run/deploy.md)."""
