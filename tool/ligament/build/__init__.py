# SPDX-License-Identifier: Apache-2.0
"""Build a generated graph: libraries and build.json."""
