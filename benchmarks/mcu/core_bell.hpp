// SPDX-License-Identifier: Apache-2.0
/// \file The bell of a core that may still be starting.
#pragma once

#include <chrono>
#include <ligament/detail/pool.hpp>
#include <memory>
#include <thread>

#include "ends.hpp"
#include "rpmsg/bell.hpp"

namespace bench {

[[nodiscard]] inline std::unique_ptr<ligament::rpmsg::Bell> await_bell(const std::string& path) {
  const std::int64_t deadline = ligament::pool::monotonic_now_ns() + patience_ns;
  while (ligament::pool::monotonic_now_ns() < deadline) {
    if (auto connected = ligament::rpmsg::SocketBell::connect(path.c_str())) {
      return connected;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  fail("nobody listens at " + path);
}

}  // namespace bench
