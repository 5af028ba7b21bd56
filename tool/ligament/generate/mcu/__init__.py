# SPDX-License-Identifier: Apache-2.0
"""C99 nodes: firmware images of cores, and the same code as components of containers."""
