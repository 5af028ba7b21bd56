# SPDX-License-Identifier: Apache-2.0
"""Kernels and their manifests: the GPU implementation of a node.yaml, checked and typed."""
