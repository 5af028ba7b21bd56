// SPDX-License-Identifier: Apache-2.0
#include "transport/edge/outbound_route.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "ligament/detail/relayed.hpp"

namespace ligament::edge {

namespace {

constexpr unsigned most_at_once = 64;
/// What waits for its publisher's writer, which is made within 100 ms.
constexpr std::size_t most_early = 64;
constexpr std::size_t most_early_bytes = std::size_t{64} << 20;
/// From one look for room to the next, when nobody tells that there may be some: of what is copied,
/// and of what the engine keeps for late comers.
constexpr std::int64_t shortest_pause_ns = 1'000'000;
constexpr std::int64_t longest_pause_ns = 32'000'000;
/// Samples beyond what a receive buffer holds by default are large: some of their fragments are
/// lost if their reader is busy. They are acknowledged one by one.
constexpr std::size_t large = std::size_t{128} << 10;
/// Of one keep-last publisher, unless it is one sample.
constexpr std::size_t most_in_flight = std::size_t{24} << 20;
/// So long a sample waits until anything is acknowledged.
constexpr std::int64_t longest_wait_ns = 3'000'000'000;

/// With the up to 3 bytes of padding that the engine reads.
std::shared_ptr<const std::vector<std::byte>> padded_copy(std::span<const std::byte> bytes) {
  std::vector<std::byte> copy;
  copy.reserve(bytes.size() + 3);
  copy.assign(bytes.begin(), bytes.end());
  copy.resize(bytes.size() + 3);
  return std::make_shared<const std::vector<std::byte>>(std::move(copy));
}

}  // namespace

expected<std::unique_ptr<OutboundRoute>, std::string> OutboundRoute::open(pool::Domain& domain,
                                                                          Spec spec,
                                                                          ProxyWriters proxies) {
  std::unique_ptr<OutboundRoute> self(new OutboundRoute);
  self->writers_ = std::move(proxies);  // before anybody can see that somebody listens
  self->sending_->waiter = spec.waiter;
  pool::ReaderOptions options;
  options.on_publish = [sending = self->sending_] { send_here(*sending); };
  auto reader = domain.create_reader(spec.wanted, *spec.waiter, options);
  if (!reader) {
    return unexpected<std::string>(reader.error().text);
  }
  self->description_ = std::move(spec.wanted);
  self->mark_of_ = std::move(spec.mark_of);
  self->reader_ = std::move(*reader);
  const std::lock_guard lock(self->sending_->mutex);
  self->sending_->route = spec.idle ? nullptr : self.get();
  return self;
}

OutboundRoute::~OutboundRoute() {
  const std::lock_guard lock(sending_->mutex);
  sending_->route = nullptr;
}

OutboundFigures OutboundRoute::close() {
  std::unique_ptr<pool::Reader> ended;  // after the locks
  const std::lock_guard lock(sending_->mutex);
  sending_->route = nullptr;
  const std::lock_guard guard(mutex_);
  writers_.clear();
  for (const auto& [publisher, backlog] : std::exchange(backlogs_, {})) {
    figures_.refused += backlog.samples.size();
  }
  figures_.lost += std::exchange(early_, {}).size();
  figures_.lost += reader_->stats().lost - lost_before_;
  // Threads that pump may have this object for a while yet: meanwhile a publisher would take it for
  // somebody who listens.
  ended = std::exchange(reader_, nullptr);
  return figures_;
}

void OutboundRoute::set_writers(ProxyWriters writers) {
  const std::lock_guard guard(mutex_);
  writers_ = std::move(writers);
  std::erase_if(backlogs_, [this](const auto& entry) {
    const auto proxy = writers_.find(entry.first);
    const bool gone = proxy == writers_.end() || proxy->second.writer == nullptr;
    figures_.refused += gone ? entry.second.samples.size() : 0;
    return gone;
  });
  early_bytes_ = 0;
  for (Copied& sample : std::exchange(early_, {})) {
    send_copied(std::move(sample));
  }
  std::erase_if(taken_, [this](const auto& entry) {
    return !writers_.contains(entry.first) &&
           std::none_of(early_.begin(), early_.end(), [&entry](const Copied& sample) {
             return sample.info.publisher == entry.first;
           });
  });
}

/// Under the lock of sending_. Ends after a while: others may publish on.
void OutboundRoute::take_what_is_there() {
  constexpr unsigned most_rounds = 64;
  for (unsigned round = 0; round < most_rounds && take_and_send(); ++round) {
  }
}

bool OutboundRoute::take_over(OutboundRoute& before) {
  const std::scoped_lock both(sending_->mutex, before.sending_->mutex);
  before.take_what_is_there();
  if (before.reader_->has_data()) {
    return false;  // some of it may be from before this one was heard of
  }
  {
    const std::scoped_lock guards(mutex_, before.mutex_);
    taken_ = passed_ = std::exchange(before.taken_, {});
    early_ = std::exchange(before.early_, {});
    early_bytes_ = before.early_bytes_;
    backlogs_ = std::exchange(before.backlogs_, {});
  }
  before.sending_->route = nullptr;
  sending_->route = this;
  take_what_is_there();
  const std::lock_guard guard(mutex_);
  lost_before_ = reader_->stats().lost;
  return true;
}

/// Under mutex_.
bool OutboundRoute::is_passed(const pool::SampleInfo& info) {
  const auto passed = passed_.find(info.publisher);
  if (passed == passed_.end()) {
    return false;
  }
  if (info.sequence <= passed->second) {
    return true;
  }
  passed_.erase(passed);
  return false;
}

void OutboundRoute::forget(std::uint64_t publisher) {
  const std::lock_guard lock(sending_->mutex);
  take_what_is_there();
  const std::lock_guard guard(mutex_);
  writers_.erase(publisher);
  taken_.erase(publisher);
  passed_.erase(publisher);
  if (const auto backlog = backlogs_.find(publisher); backlog != backlogs_.end()) {
    figures_.refused += backlog->second.samples.size();
    backlogs_.erase(backlog);
  }
}

OutboundRoute::Sent::Sent(pool::HeldSample&& sample_in, std::shared_ptr<Outlet> outlet_in)
    : sample(std::move(sample_in)), outlet(std::move(outlet_in)) {}

/// Of a volatile publisher: all readers have acknowledged it, so there may be room.
OutboundRoute::Sent::~Sent() {
  set_in_flight(false);
  if (outlet->wants_room.exchange(false)) {
    outlet->waiter->wake();
  }
}

void OutboundRoute::Sent::set_in_flight(bool on) {
  if (on == is_in_flight) {
    return;
  }
  is_in_flight = on;
  const std::size_t bytes = sample.payload().size();
  const std::size_t count = bytes > large ? 1 : 0;
  if (on) {
    outlet->bytes_in_flight.fetch_add(bytes);
    outlet->large_in_flight.fetch_add(count);
  } else {
    outlet->bytes_in_flight.fetch_sub(bytes);
    outlet->large_in_flight.fetch_sub(count);
  }
}

/// Under mutex_.
OutboundRoute::Backlog& OutboundRoute::backlog_of(std::uint64_t publisher) {
  Backlog& backlog = backlogs_[publisher];
  if (backlog.outlet == nullptr) {
    backlog.outlet = std::make_shared<Outlet>();
    backlog.outlet->waiter = sending_->waiter;
  }
  return backlog;
}

void OutboundRoute::write(const ProxyWriter& proxy, std::uint64_t publisher, Outgoing&& sample) {
  // What an RTPS sample can be, padding included.
  constexpr std::size_t largest = std::numeric_limits<std::uint32_t>::max() - 3;
  if (sample.bytes.size() > largest) {
    ++figures_.refused;
    return;
  }
  Backlog& backlog = backlog_of(publisher);
  if (backlog.samples.empty()) {
    // A keep-all writer says itself whether it has room.
    if (proxy.is_keep_all || has_room(proxy, backlog, sample.bytes.size())) {
      const auto result = hand_over(proxy, sample);
      if (result != dds::WriteResult::no_room) {
        count(result, sample.bytes.size());
        return;
      }
    }
    backlog.since_ns = pool::monotonic_now_ns();
    backlog.pause_ns = shortest_pause_ns;
    backlog.look_at_ns = backlog.since_ns + backlog.pause_ns;
    backlog.outlet->wants_room.store(true);
  }
  put_off(backlog, proxy, std::move(sample));
}

/// Under mutex_.
dds::WriteResult OutboundRoute::hand_over(const ProxyWriter& proxy, const Outgoing& sample) {
  bool overwrites = false;
  if (sample.bytes.size() > large) {
    const auto history = static_cast<std::int64_t>(proxy.history);
    const std::int64_t acknowledged = proxy.writer->expect_ack();
    overwrites = !proxy.is_keep_all && proxy.writer->next_sequence() - history > acknowledged;
  }
  // Before: it may be acknowledged and gone when the engine returns.
  if (sample.block != nullptr) {
    sample.block->set_in_flight(true);
  }
  if (sample.when.note) {
    sample.when.note(proxy.writer->next_sequence());
  }
  const auto result = proxy.writer->write(sample.bytes, sample.owner, sample.when.timestamp_ns,
                                          sample.when.related);
  if (sample.block != nullptr && result != dds::WriteResult::sent) {
    sample.block->set_in_flight(false);
  }
  figures_.unconfirmed += overwrites && result == dds::WriteResult::sent ? 1 : 0;
  return result;
}

/// Under mutex_. As many wait as the publisher's history holds, whatever the engine still has,
/// which is older; then the oldest of them goes. Of a keep-all publisher none: when all that may be
/// held is, nothing is taken, and the publisher waits.
void OutboundRoute::put_off(Backlog& backlog, const ProxyWriter& proxy, Outgoing&& sample) {
  backlog.samples.push_back(std::move(sample));
  if (!proxy.is_keep_all && backlog.samples.size() > proxy.history) {
    backlog.samples.pop_front();
    ++figures_.lost;
  }
}

void OutboundRoute::count(dds::WriteResult result, std::size_t bytes) {
  if (result == dds::WriteResult::sent) {
    ++figures_.sent;
    figures_.bytes += bytes;
  } else {
    ++figures_.refused;
  }
}

/// Under mutex_. Whether it is worth a try. A keep-last writer of the engine never says no: it
/// sends beside what it repairs, which takes longer then, and overwrites what is not acknowledged.
/// So of large samples the next one goes when there is room in its history, and not much else on
/// the route; but only for a time: a reader that acknowledges nothing holds up the others no
/// longer.
bool OutboundRoute::has_room(const ProxyWriter& proxy, Backlog& backlog, std::size_t bytes) {
  if (proxy.is_keep_all) {
    return proxy.writer->has_room();
  }
  const std::size_t in_flight = backlog.outlet->bytes_in_flight.load();
  backlog.is_stalled = backlog.is_stalled && in_flight != 0;
  if (in_flight == 0 || backlog.is_stalled) {
    return true;
  }
  return in_flight + bytes <= most_in_flight &&
         backlog.outlet->large_in_flight.load() < proxy.history;
}

/// Under mutex_. The first that waits.
dds::WriteResult OutboundRoute::try_again(const ProxyWriter& proxy, Backlog& backlog) {
  const Outgoing& first = backlog.samples.front();
  backlog.outlet->wants_room.store(true);  // before the look: what comes after it wakes us
  if (!has_room(proxy, backlog, first.bytes.size())) {
    if (proxy.is_keep_all || pool::monotonic_now_ns() - backlog.since_ns < longest_wait_ns) {
      return dds::WriteResult::no_room;
    }
    backlog.is_stalled = true;
  }
  return hand_over(proxy, first);
}

/// Under mutex_. True: some of what waited has gone.
bool OutboundRoute::send_waiting() {
  bool any = false;
  for (auto& [publisher, backlog] : backlogs_) {
    if (!backlog.samples.empty()) {
      any = send_waiting_of(publisher, backlog) || any;
    }
  }
  return any;
}

/// Of a publisher that nobody outside listens to any more, nothing waits (set_writers).
bool OutboundRoute::send_waiting_of(std::uint64_t publisher, Backlog& backlog) {
  // Nothing was acknowledged since the last look, and that was not long ago.
  if (backlog.outlet->wants_room.load() && pool::monotonic_now_ns() < backlog.look_at_ns) {
    return false;
  }
  const ProxyWriter& proxy = writers_.at(publisher);
  bool any = false;
  while (!backlog.samples.empty()) {
    const auto result = try_again(proxy, backlog);
    if (result == dds::WriteResult::no_room) {
      ++figures_.looks;
      backlog.pause_ns = any ? shortest_pause_ns : std::min(2 * backlog.pause_ns, longest_pause_ns);
      backlog.look_at_ns = pool::monotonic_now_ns() + backlog.pause_ns;
      return any;
    }
    count(result, backlog.samples.front().bytes.size());
    backlog.samples.pop_front();
    backlog.since_ns = pool::monotonic_now_ns();
    any = true;
  }
  backlog.outlet->wants_room.store(false);
  return any;
}

std::int64_t OutboundRoute::next_look_ns() const {
  const std::lock_guard guard(mutex_);
  std::int64_t next = pool::no_deadline;
  for (const auto& [publisher, backlog] : backlogs_) {
    if (!backlog.samples.empty()) {
      next = std::min(next, backlog.look_at_ns);
    }
  }
  return next;
}

/// Under mutex_. The engine sends from where the sample lies in the pool, but for copies.
void OutboundRoute::send(pool::HeldSample&& sample) {
  const pool::SampleInfo& info = sample.info();
  const std::span<const std::byte> bytes = sample.payload();
  const auto proxy = writers_.find(info.publisher);
  const bool is_known = proxy != writers_.end();
  if (pool::is_relayed(info) || (is_known && proxy->second.writer == nullptr)) {
    return;  // another edge, or our own inbound route, has brought it; or it takes another route
  }
  if (!is_known || description_.qos.durability == DurabilityPolicy::transient_local) {
    ++figures_.copied;
    send_copied({info, padded_copy(bytes), bytes.size()});
    return;
  }
  auto owner = std::make_shared<Sent>(std::move(sample), backlog_of(proxy->first).outlet);
  Sent* const block = owner.get();
  send_marked(proxy->second, block->sample.info(),
              {bytes, std::move(owner), {block->sample.info().source_timestamp_ns}, block});
}

/// Under mutex_. A publisher may say what it has to say, once and for all, before its writer in DDS
/// exists.
void OutboundRoute::send_copied(Copied&& sample) {
  const auto proxy = writers_.find(sample.info.publisher);
  if (proxy == writers_.end()) {
    keep_for_later(std::move(sample));
  } else if (proxy->second.writer != nullptr) {
    const std::span<const std::byte> bytes(sample.memory->data(), sample.size);
    send_marked(proxy->second, sample.info,
                {bytes, std::move(sample.memory), {sample.info.source_timestamp_ns}});
  }
}

/// Under mutex_. Of a service's requests and replies: which it is. A header goes between
/// encapsulation and body, so such are copied; they are few and small.
void OutboundRoute::send_marked(const ProxyWriter& proxy, const pool::SampleInfo& info,
                                Outgoing&& sample) {
  const std::uint64_t publisher = info.publisher;
  if (mark_of_) {
    const auto mark = mark_of_(info, proxy);
    if (!mark) {
      return;
    }
    sample.when.related = mark->related;
    sample.when.note = mark->note;
    if (mark->header) {
      const auto marked = dds::with_header(sample.bytes, *mark->header);
      auto memory = padded_copy(marked);
      ++figures_.copied;
      const std::span<const std::byte> bytes(memory->data(), marked.size());
      sample = {bytes, std::move(memory), sample.when};
    }
  }
  write(proxy, publisher, std::move(sample));
}

/// Under mutex_.
void OutboundRoute::keep_for_later(Copied&& sample) {
  early_bytes_ += sample.size;
  early_.push_back(std::move(sample));
  while (early_.size() > most_early || early_bytes_ > most_early_bytes) {
    early_bytes_ -= early_.front().size;
    early_.pop_front();
    ++figures_.lost;
  }
}

/// By a publisher of this process that has just published. It does not wait: if another thread is
/// at it, that one goes on.
void OutboundRoute::send_here(Sending& sending) {
  if (sending.asked.fetch_add(1) != 0) {
    return;  // another publisher is at it, and looks at `asked` when it has done
  }
  unsigned seen = 0;
  do {
    seen = sending.asked.load();
    const std::unique_lock lock(sending.mutex, std::try_to_lock);
    const bool closed = lock.owns_lock() && sending.route == nullptr;
    if (!closed && (!lock.owns_lock() || !sending.route->send_all())) {
      sending.waiter->wake();  // the edge's thread does the rest
    }
  } while (sending.asked.fetch_sub(seen) != seen);
}

/// False: something is left, for which the engine has no room now, or we had not enough time.
bool OutboundRoute::send_all() {
  (void)take_and_send();
  return !reader_->has_data() && next_look_ns() == pool::no_deadline;
}

bool OutboundRoute::pump() {
  const std::lock_guard lock(sending_->mutex);
  return sending_->route != nullptr && take_and_send();
}

bool OutboundRoute::take_and_send() {
  bool any = false;
  {
    const std::lock_guard guard(mutex_);
    any = send_waiting();
  }
  for (unsigned taken = 0; taken < most_at_once; ++taken) {
    auto sample = reader_->take();
    const std::lock_guard guard(mutex_);
    if (!sample) {
      ++figures_.held_back;
      return any;  // the next release wakes us
    }
    if (!*sample) {
      return any;
    }
    any = true;
    const pool::SampleInfo& info = (*sample)->info();
    if (is_passed(info)) {
      continue;
    }
    taken_[info.publisher] = info.sequence;
    send(std::move(**sample));
  }
  return any;
}

OutboundFigures OutboundRoute::figures() const {
  const std::lock_guard guard(mutex_);
  OutboundFigures figures = figures_;
  figures.lost += reader_ == nullptr ? 0 : reader_->stats().lost - lost_before_;
  return figures;
}

}  // namespace ligament::edge
