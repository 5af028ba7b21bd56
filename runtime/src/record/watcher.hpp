// SPDX-License-Identifier: Apache-2.0
/// \file Shows a running graph to another program, as it is now: `ligament view`
/// (spec/wire/view.md).
///
///   auto watcher = Watcher::start({.target = *find_target("perception"), .selection = {}});
///   while ((*watcher)->look(sink)) sleep_until_the_next_look();
///
/// It looks some times a second, and sleeps meanwhile without being woken: messages cost their
/// publishers nothing more. Small ones are told all, and whole; of large ones (images) the
/// beginnings. The newest large one of a topic is kept, and told whole once somebody wants it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ligament/detail/pool.hpp"
#include "record/listening.hpp"
#include "record/running.hpp"

namespace ligament::record {

struct WatchOptions {
  Target target;
  Selection selection;
  std::int64_t between_ns = 100'000'000;  ///< whole large messages of a topic
};

/// One message: what is told of it, and so many of its bytes as are told.
struct Told {
  const HeardTopic& topic;
  const pool::SampleInfo& info;
  std::size_t size;
  std::span<const std::byte> bytes;
  bool is_again = false;  ///< its beginning was told before
};

class Watcher {
 public:
  /// Messages up to here are always told whole; of larger ones so many bytes, with the stamp.
  static constexpr std::size_t small_bytes = 4096;
  static constexpr std::size_t head_bytes = 64;
  /// Nobody looks at one message that is larger.
  static constexpr std::size_t most_bytes = std::size_t{64} << 20;

  /// False: who listens is gone.
  using Sink = std::function<bool(const Told&)>;

  [[nodiscard]] static expected<std::unique_ptr<Watcher>, std::string> start(WatchOptions options);
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  /// Tells what came since the last look, topic by topic. False: the graph or the listener is gone.
  [[nodiscard]] bool look(const Sink& sink);
  /// Topics of which large messages are told whole, from now on.
  void want(std::set<std::string, std::less<>> topics) { wanted_ = std::move(topics); }
  [[nodiscard]] bool has_ended() const { return listening_->has_ended(); }
  [[nodiscard]] const std::map<std::string, HeardTopic>& topics() const {
    return std::as_const(*listening_).topics();
  }
  [[nodiscard]] std::vector<std::string> take_notes() { return listening_->take_notes(); }

 private:
  explicit Watcher(WatchOptions options) : options_(std::move(options)) {}
  [[nodiscard]] expected<void, std::string> join();
  struct Large {
    pool::HeldSample sample;
    bool is_told = false;
  };
  using Source = std::pair<std::string, ListeningKind>;

  [[nodiscard]] bool take_from(HeardTopic& topic, ListeningKind kind, pool::Reader& reader,
                               const Sink& sink);
  [[nodiscard]] bool tell_large(const HeardTopic& topic, Large& large, const Sink& sink);

  const WatchOptions options_;
  std::shared_ptr<pool::Domain> domain_;
  std::shared_ptr<pool::Waiter> waiter_;
  std::unique_ptr<Listening> listening_;
  std::map<Source, Large> newest_;  ///< of a topic's large messages
  std::set<std::string, std::less<>> wanted_;
  std::map<std::string, std::int64_t> told_at_ns_;  ///< a whole large message, by topic
};

}  // namespace ligament::record
