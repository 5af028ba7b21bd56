// SPDX-License-Identifier: Apache-2.0
// A callback that a library's thread calls and that ours can take away.
#pragma once

#include <functional>
#include <mutex>
#include <utility>

namespace peer {

// Taking a listener away from a library does not wait for the call that is in progress; `close`
// does.
class Gate {
 public:
  void open(std::function<void()> callback) {
    const std::scoped_lock lock(mutex_);
    callback_ = std::move(callback);
  }
  void close() { open(nullptr); }

  void call() {
    const std::scoped_lock lock(mutex_);
    if (callback_) callback_();
  }

 private:
  std::mutex mutex_;
  std::function<void()> callback_;
};

}  // namespace peer
