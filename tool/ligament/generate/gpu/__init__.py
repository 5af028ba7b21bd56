# SPDX-License-Identifier: Apache-2.0
"""GPU nodes: a C++ component per node type that launches the author's kernels."""
