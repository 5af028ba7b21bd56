// SPDX-License-Identifier: Apache-2.0
#include "transport/edge/way_out.hpp"

#include <cstring>
#include <limits>
#include <utility>

#include "memory/layout.hpp"

namespace ligament::edge {

namespace {

constexpr unsigned most_at_once = 64;
constexpr std::size_t most_early = 64;
constexpr std::int64_t longest_block_ns = 100'000'000;

/// Whether its gid is that of another publisher than the one that put it into the pool: then an
/// edge did, for somebody outside (spec/wire/pool.md, section 2).
bool is_relayed(const pool::SampleInfo& info) {
  std::uint64_t nonce = 0;
  std::uint32_t counter = 0;
  std::memcpy(&nonce, info.gid.data(), sizeof nonce);
  std::memcpy(&counter, info.gid.data() + sizeof nonce, sizeof counter);
  return pool::layout::endpoint_id(nonce, counter) != info.publisher;
}

}  // namespace

expected<std::unique_ptr<WayOut>, std::string> WayOut::open(pool::Domain& domain,
                                                            pool::Waiter& waiter,
                                                            const pool::EndpointDescription& wanted,
                                                            MarkOf mark_of) {
  auto reader = domain.create_reader(wanted, waiter);
  if (!reader) {
    return unexpected<std::string>(reader.error().text);
  }
  std::unique_ptr<WayOut> self(new WayOut);
  self->description_ = wanted;
  self->mark_of_ = std::move(mark_of);
  self->reader_ = std::move(*reader);
  return self;
}

void WayOut::set_writers(std::map<std::uint64_t, OutFace> writers) {
  const std::lock_guard guard(mutex_);
  writers_ = std::move(writers);
  for (Latched& sample : std::exchange(early_, {})) {
    send_latched(std::move(sample));
  }
}

void WayOut::forget(std::uint64_t publisher) {
  const std::lock_guard guard(mutex_);
  writers_.erase(publisher);
}

void WayOut::write(std::uint64_t publisher, std::span<const std::byte> bytes,
                   std::shared_ptr<const void> owner, const When& when) {
  // What an RTPS sample can be, padding included.
  constexpr std::size_t largest = std::numeric_limits<std::uint32_t>::max() - 3;
  if (bytes.size() > largest) {
    ++figures_.refused;
    return;
  }
  if (blocked_.empty()) {
    dds::Writer& writer = *writers_.at(publisher).writer;
    if (writer.write(bytes, owner, when.timestamp_ns, when.related)) {
      count(bytes.size());
      return;
    }
  }
  blocked_.push_back({publisher, bytes, std::move(owner), when, pool::monotonic_now_ns()});
}

void WayOut::count(std::size_t sent_bytes) {
  ++figures_.sent;
  figures_.bytes += sent_bytes;
}

/// Under mutex_. False: the engine still has no room for the first of them.
bool WayOut::write_blocked() {
  while (!blocked_.empty()) {
    const Blocked& first = blocked_.front();
    const auto writer = writers_.find(first.publisher);
    if (writer == writers_.end()) {
      ++figures_.refused;  // nobody outside listens to it any more
    } else if (writer->second.writer->write(first.bytes, first.owner, first.when.timestamp_ns,
                                            first.when.related)) {
      count(first.bytes.size());
    } else if (pool::monotonic_now_ns() - first.since_ns < longest_block_ns) {
      return false;
    } else {
      ++figures_.refused;
    }
    blocked_.pop_front();
  }
  return true;
}

bool WayOut::is_blocked() const {
  const std::lock_guard guard(mutex_);
  return !blocked_.empty();
}

void WayOut::send(pool::HeldSample&& sample) {
  const pool::SampleInfo& info = sample.info();
  const std::span<const std::byte> bytes = sample.payload();
  if (description_.qos.durability == DurabilityPolicy::transient_local) {
    if (!is_relayed(info)) {
      auto memory = std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end());
      memory->resize(bytes.size() + 3);  // the engine reads up to 3 bytes of padding
      const std::span<const std::byte> copy(memory->data(), bytes.size());
      send_latched({info.publisher, std::move(memory), copy, info.source_timestamp_ns});
    }
    return;
  }
  const auto writer = writers_.find(info.publisher);
  if (writer == writers_.end()) {
    return;  // nobody outside listens to it; or another edge, or our own way in, has brought it
  }
  if (mark_of_) {
    send_marked(writer->second, std::move(sample));
    return;
  }
  const When when{info.source_timestamp_ns};
  const std::uint64_t publisher = info.publisher;
  write(publisher, bytes, std::make_shared<pool::HeldSample>(std::move(sample)), when);
}

/// A header goes between encapsulation and body, so such requests and replies are copied; they are
/// few and small.
void WayOut::send_marked(const OutFace& face, pool::HeldSample&& sample) {
  const auto mark = mark_of_(sample.info(), face);
  if (!mark) {
    return;
  }
  const When when{sample.info().source_timestamp_ns, mark->related};
  const std::uint64_t publisher = sample.info().publisher;
  if (!mark->header) {
    const std::span<const std::byte> bytes = sample.payload();
    write(publisher, bytes, std::make_shared<pool::HeldSample>(std::move(sample)), when);
    return;
  }
  auto memory =
      std::make_shared<std::vector<std::byte>>(dds::with_header(sample.payload(), *mark->header));
  const std::size_t size = memory->size();
  memory->resize(size + 3);  // the engine reads up to 3 bytes of padding
  const std::span<const std::byte> bytes(memory->data(), size);
  write(publisher, bytes, std::move(memory), when);
}

void WayOut::send_latched(Latched&& sample) {
  if (writers_.contains(sample.publisher)) {
    write(sample.publisher, sample.bytes, std::move(sample.memory), {sample.timestamp_ns});
  } else {
    keep_for_later(std::move(sample));
  }
}

/// A publisher may say what it has to say, once and for all, before its writer in DDS exists.
void WayOut::keep_for_later(Latched&& sample) {
  early_.push_back(std::move(sample));
  if (early_.size() > most_early) {
    early_.pop_front();
    ++figures_.lost;
  }
}

bool WayOut::pump() {
  for (unsigned taken = 0; taken < most_at_once; ++taken) {
    {
      const std::lock_guard guard(mutex_);
      if (!write_blocked()) {
        return taken != 0;
      }
    }
    auto sample = reader_->take();
    const std::lock_guard guard(mutex_);
    if (!sample) {
      ++figures_.held_back;
      return taken != 0;  // the next release wakes us
    }
    if (!*sample) {
      return taken != 0;
    }
    send(std::move(**sample));
  }
  return true;
}

WayOutFigures WayOut::figures() const {
  const std::lock_guard guard(mutex_);
  WayOutFigures figures = figures_;
  figures.lost += reader_->stats().lost;
  return figures;
}

}  // namespace ligament::edge
