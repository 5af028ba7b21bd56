// SPDX-License-Identifier: Apache-2.0
#include "record/watcher.hpp"

namespace ligament::record {

namespace {

/// A message that is overwritten before this is no loss for people who look.
constexpr std::uint32_t watched_depth = 100;
/// The newest large message, which is kept, and the one after it.
constexpr std::uint32_t watched_held = 2;
constexpr unsigned most_in_a_look = 1000;

}  // namespace

expected<std::unique_ptr<Watcher>, std::string> Watcher::start(WatchOptions options) {
  std::unique_ptr<Watcher> self(new Watcher(std::move(options)));
  if (auto joined = self->join(); !joined) {
    return unexpected<std::string>(joined.error());
  }
  return self;
}

expected<void, std::string> Watcher::join() {
  auto domain = pool::Domain::join({options_.target.domain, options_.target.run_id});
  if (!domain) {
    return unexpected<std::string>(domain.error().text);
  }
  domain_ = std::move(*domain);
  auto waiter = domain_->create_waiter();
  if (!waiter) {
    return unexpected<std::string>(waiter.error().text);
  }
  waiter_ = std::move(*waiter);
  listening_ = std::make_unique<Listening>(*domain_, *waiter_,
                                           ListeningOptions{.node = viewer_node,
                                                            .selection = &options_.selection,
                                                            .depth = watched_depth,
                                                            .max_held = watched_held});
  listening_->look();
  return {};
}

Watcher::~Watcher() {
  newest_.clear();
  listening_.reset();  // the readers, before what they were made of
}

bool Watcher::look(const Sink& sink) {
  if (listening_->is_out_of_date()) {
    listening_->look();
  }
  for (auto& [name, topic] : listening_->topics()) {
    for (auto& [kind, reader] : topic.readers) {
      if (!take_from(topic, kind, *reader, sink)) {
        return false;
      }
    }
  }
  return !has_ended();
}

bool Watcher::take_from(HeardTopic& topic, ListeningKind kind, pool::Reader& reader,
                        const Sink& sink) {
  const Source source{topic.name, kind};
  for (unsigned taken = 0; taken < most_in_a_look; ++taken) {
    auto sample = reader.take();
    if (!sample || !*sample) {
      break;
    }
    if (!listening_->is_heard_by(topic, kind, (*sample)->info().publisher)) {
      continue;
    }
    const auto bytes = (*sample)->payload();
    const bool is_large = bytes.size() > small_bytes;
    const auto told = is_large ? bytes.first(head_bytes) : bytes;
    if (!sink({topic, (*sample)->info(), bytes.size(), told})) {
      return false;
    }
    if (is_large) {
      newest_.insert_or_assign(source, Large{std::move(**sample)});
    }
  }
  const auto large = newest_.find(source);
  return large == newest_.end() || tell_large(topic, large->second, sink);
}

bool Watcher::tell_large(const HeardTopic& topic, Large& large, const Sink& sink) {
  const auto bytes = large.sample.payload();
  if (large.is_told || bytes.size() > most_bytes || !wanted_.contains(topic.name)) {
    return true;
  }
  const std::int64_t now = pool::monotonic_now_ns();
  const auto [told_at, is_first] = told_at_ns_.try_emplace(topic.name, now);
  if (!is_first && now - told_at->second < options_.between_ns) {
    return true;  // in a later look
  }
  told_at->second = now;
  large.is_told = true;
  return sink({topic, large.sample.info(), bytes.size(), bytes, true});
}

}  // namespace ligament::record
