# SPDX-License-Identifier: Apache-2.0
"""A running graph in a browser: images, maps, values over time, a chain's latency.

`feed` starts `ligament-bag watch` and reads what it tells (spec/wire/view.md); `shown` makes of a
message what the page draws, `state` keeps it, `chain` follows one chain, `server` serves the page.
Messages are made by any node: what cannot be read is counted, and shown as such.
"""
