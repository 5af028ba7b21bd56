# SPDX-License-Identifier: Apache-2.0
"""Trace stage: record events with LTTng, convert the recording once into the event table."""
