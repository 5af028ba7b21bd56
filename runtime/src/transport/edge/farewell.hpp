// SPDX-License-Identifier: Apache-2.0
/// \file Ends writers of DDS while nobody waits for that: the engine holds one until its readers
/// have acknowledged what it sent, for a second if one of them hangs.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "transport/dds/participant.hpp"

namespace ligament::edge {

class Farewell {
 public:
  /// The participant outlives it.
  explicit Farewell(dds::Participant& participant);
  /// What is still here has half a second in all.
  ~Farewell();
  Farewell(const Farewell&) = delete;
  Farewell& operator=(const Farewell&) = delete;

  /// Returns at once. All that are added at a time have the engine's WriterLingerDuration together.
  void add(std::unique_ptr<dds::Writer> writer);

 private:
  void run();

  dds::Participant& participant_;
  std::mutex mutex_;  ///< guards what follows
  std::condition_variable wake_;
  std::deque<std::unique_ptr<dds::Writer>> writers_;
  dds::Gid ending_{};  ///< the one that is being ended, or was last
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace ligament::edge
