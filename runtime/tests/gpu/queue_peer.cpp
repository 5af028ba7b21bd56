// SPDX-License-Identifier: Apache-2.0
/// \file The first of two nodes with a queue topic between them, in a process of its own.
///
///   queue_peer DOMAIN
#include <signal.h>
#include <sys/prctl.h>

#include <iostream>

#include "scale_node.hpp"

namespace ligament::gpu::test {
namespace {

int serve(const char* domain) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  auto context = Context::create({.domain = domain, .run_id = "run"});
  if (!context) {
    std::cerr << context.error().text << '\n';
    return 1;
  }
  auto node = std::make_shared<Scale>("first", crossing_options(*context, "/raw", "/between"), 3);
  for (const NodeError& error : node->errors()) {
    std::cerr << error.text << '\n';
    return 1;
  }
  executors::SingleThreadedExecutor executor({.context = *context, .wait = WaitStrategy::sleep()});
  (void)executor.add_node(node);
  return executor.spin() ? 0 : 1;
}

}  // namespace
}  // namespace ligament::gpu::test

int main(int argc, char** argv) { return argc == 2 ? ligament::gpu::test::serve(argv[1]) : 2; }
