# SPDX-License-Identifier: Apache-2.0
"""The CPU back-end: a CMake project with one shared library per node type."""
