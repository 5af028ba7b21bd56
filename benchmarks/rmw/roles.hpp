// SPDX-License-Identifier: Apache-2.0
/// \file What this program can be. Each prints `ready` when others can be started against it, and
/// at its end a line of JSON with what it measured.
#pragma once

#include "options.hpp"

namespace bench {

void publish(const Options& options);    ///< stamps messages and sends them, paced
void subscribe(const Options& options);  ///< takes them until the last, or until silence
void serve(const Options& options);      ///< answers calls, until SIGTERM
void call(const Options& options);       ///< calls a service, paced
void watch(const Options& options);      ///< tells when it saw nodes that appear, until SIGTERM
void appear(const Options& options);     ///< makes nodes, one after another
void member(const Options& options);     ///< a process of a large graph, until SIGTERM
void copies(const Options& options);     ///< the floor: copies a message twice, paced

}  // namespace bench
