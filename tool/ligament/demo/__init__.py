# SPDX-License-Identifier: Apache-2.0
"""The demo: one graph in all its variants on real camera frames, traced, proven equal, compared."""
