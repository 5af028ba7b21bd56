// SPDX-License-Identifier: Apache-2.0
/// \file Settings of the engine that large reliable samples need (spec/wire/dds.md, section 2). In
/// C: the engine's header that knows them is none in C++.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

struct ddsi_domaingv;

/// What is missing is asked for sooner; receive buffers are larger; on the loopback interface alone
/// samples go in larger fragments. What the user has set (CYCLONEDDS_URI) stays. Before anything
/// large is sent.
void ligament_set_engine(struct ddsi_domaingv* domain);

#ifdef __cplusplus
}
#endif
