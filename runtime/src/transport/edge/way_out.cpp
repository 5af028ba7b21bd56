// SPDX-License-Identifier: Apache-2.0
#include "transport/edge/way_out.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "memory/relayed.hpp"

namespace ligament::edge {

namespace {

constexpr unsigned most_at_once = 64;
constexpr std::size_t most_early = 64;
/// From one look for room to the next, when nobody tells that there may be some: of what is copied,
/// and of what the engine keeps for late comers.
constexpr std::int64_t shortest_pause_ns = 1'000'000;
constexpr std::int64_t longest_pause_ns = 32'000'000;
/// Samples beyond what a receive buffer holds by default are large: some of their fragments are
/// lost if their reader is busy. They are acknowledged one by one.
constexpr std::size_t large = std::size_t{128} << 10;
/// Of one keep-last publisher, unless it is one sample.
constexpr std::size_t most_on_way = std::size_t{8} << 20;
/// So long a sample waits until anything is acknowledged.
constexpr std::int64_t longest_wait_ns = 3'000'000'000;

}  // namespace

expected<std::unique_ptr<WayOut>, std::string> WayOut::open(pool::Domain& domain, Spec spec,
                                                            Faces faces) {
  std::unique_ptr<WayOut> self(new WayOut);
  self->writers_ = std::move(faces);  // before anybody can see that somebody listens
  self->turn_->waiter = spec.waiter;
  pool::ReaderOptions options;
  options.on_publish = [turn = self->turn_] { send_here(*turn); };
  auto reader = domain.create_reader(spec.wanted, *spec.waiter, options);
  if (!reader) {
    return unexpected<std::string>(reader.error().text);
  }
  self->description_ = std::move(spec.wanted);
  self->mark_of_ = std::move(spec.mark_of);
  self->reader_ = std::move(*reader);
  const std::lock_guard turn(self->turn_->mutex);
  self->turn_->way = self.get();
  return self;
}

WayOut::~WayOut() {
  const std::lock_guard turn(turn_->mutex);
  turn_->way = nullptr;
}

WayOutFigures WayOut::close() {
  const std::lock_guard turn(turn_->mutex);
  turn_->way = nullptr;
  const std::lock_guard guard(mutex_);
  writers_.clear();
  for (const auto& [publisher, backlog] : std::exchange(backlogs_, {})) {
    figures_.refused += backlog.samples.size();
  }
  figures_.lost += std::exchange(early_, {}).size();
  figures_.lost += reader_->stats().lost;
  return figures_;
}

void WayOut::set_writers(Faces writers) {
  const std::lock_guard guard(mutex_);
  writers_ = std::move(writers);
  std::erase_if(backlogs_, [this](const auto& entry) {
    const bool gone = !writers_.contains(entry.first);  // nobody outside listens to it any more
    figures_.refused += gone ? entry.second.samples.size() : 0;
    return gone;
  });
  for (Latched& sample : std::exchange(early_, {})) {
    send_latched(std::move(sample));
  }
}

void WayOut::forget(std::uint64_t publisher) {
  const std::lock_guard guard(mutex_);
  writers_.erase(publisher);
  if (const auto backlog = backlogs_.find(publisher); backlog != backlogs_.end()) {
    figures_.refused += backlog->second.samples.size();
    backlogs_.erase(backlog);
  }
}

WayOut::Sent::Sent(pool::HeldSample&& sample_in, std::shared_ptr<Outlet> outlet_in)
    : sample(std::move(sample_in)), outlet(std::move(outlet_in)) {}

/// Of a volatile publisher: all readers have acknowledged it, so there may be room.
WayOut::Sent::~Sent() {
  set_on_way(false);
  if (outlet->wants_room.exchange(false)) {
    outlet->waiter->wake();
  }
}

void WayOut::Sent::set_on_way(bool on) {
  if (on == is_on_way) {
    return;
  }
  is_on_way = on;
  const std::size_t bytes = sample.payload().size();
  const std::size_t count = bytes > large ? 1 : 0;
  if (on) {
    outlet->bytes_on_way.fetch_add(bytes);
    outlet->large_on_way.fetch_add(count);
  } else {
    outlet->bytes_on_way.fetch_sub(bytes);
    outlet->large_on_way.fetch_sub(count);
  }
}

/// Under mutex_.
WayOut::Backlog& WayOut::backlog_of(std::uint64_t publisher) {
  Backlog& backlog = backlogs_[publisher];
  if (backlog.outlet == nullptr) {
    backlog.outlet = std::make_shared<Outlet>();
    backlog.outlet->waiter = turn_->waiter;
  }
  return backlog;
}

/// Under mutex_. The engine sends from where the sample lies in the pool.
void WayOut::write_held(pool::HeldSample&& sample, const When& when) {
  const std::uint64_t publisher = sample.info().publisher;
  const std::span<const std::byte> bytes = sample.payload();
  auto owner = std::make_shared<Sent>(std::move(sample), backlog_of(publisher).outlet);
  Sent* const block = owner.get();
  write(publisher, {bytes, std::move(owner), when, block});
}

void WayOut::write(std::uint64_t publisher, Outgoing&& sample) {
  // What an RTPS sample can be, padding included.
  constexpr std::size_t largest = std::numeric_limits<std::uint32_t>::max() - 3;
  if (sample.bytes.size() > largest) {
    ++figures_.refused;
    return;
  }
  const OutFace& face = writers_.at(publisher);
  Backlog& backlog = backlog_of(publisher);
  if (backlog.samples.empty()) {
    // A keep-all writer says itself whether it has room.
    if (face.is_keep_all || has_room(face, backlog, sample.bytes.size())) {
      const auto result = hand_over(face, sample);
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
  put_off(backlog, face, std::move(sample));
}

/// Under mutex_.
dds::WriteResult WayOut::hand_over(const OutFace& face, const Outgoing& sample) {
  bool overwrites = false;
  if (sample.bytes.size() > large) {
    const auto history = static_cast<std::int64_t>(face.history);
    const std::int64_t acknowledged = face.writer->expect_ack();
    overwrites = !face.is_keep_all && face.writer->next_sequence() - history > acknowledged;
  }
  // Before: it may be acknowledged and gone when the engine returns.
  if (sample.block != nullptr) {
    sample.block->set_on_way(true);
  }
  const auto result =
      face.writer->write(sample.bytes, sample.owner, sample.when.timestamp_ns, sample.when.related);
  if (sample.block != nullptr && result != dds::WriteResult::sent) {
    sample.block->set_on_way(false);
  }
  figures_.unconfirmed += overwrites && result == dds::WriteResult::sent ? 1 : 0;
  return result;
}

/// Under mutex_. As many wait as the publisher's history holds, whatever the engine still has,
/// which is older; then the oldest of them goes. Of a keep-all publisher none: when all that may be
/// held is, nothing is taken, and the publisher waits.
void WayOut::put_off(Backlog& backlog, const OutFace& face, Outgoing&& sample) {
  backlog.samples.push_back(std::move(sample));
  if (!face.is_keep_all && backlog.samples.size() > face.history) {
    backlog.samples.pop_front();
    ++figures_.lost;
  }
}

void WayOut::count(dds::WriteResult result, std::size_t bytes) {
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
/// the way; but not for ever: a reader that acknowledges nothing holds up the others no longer.
bool WayOut::has_room(const OutFace& face, Backlog& backlog, std::size_t bytes) {
  if (face.is_keep_all) {
    return face.writer->has_room();
  }
  const std::size_t on_way = backlog.outlet->bytes_on_way.load();
  backlog.is_stalled = backlog.is_stalled && on_way != 0;
  if (on_way == 0 || backlog.is_stalled) {
    return true;
  }
  return on_way + bytes <= most_on_way && backlog.outlet->large_on_way.load() < face.history;
}

/// Under mutex_. The first that waits.
dds::WriteResult WayOut::try_again(const OutFace& face, Backlog& backlog) {
  const Outgoing& first = backlog.samples.front();
  backlog.outlet->wants_room.store(true);  // before the look: what comes after it wakes us
  if (!has_room(face, backlog, first.bytes.size())) {
    if (face.is_keep_all || pool::monotonic_now_ns() - backlog.since_ns < longest_wait_ns) {
      return dds::WriteResult::no_room;
    }
    backlog.is_stalled = true;
  }
  return hand_over(face, first);
}

/// Under mutex_. True: some of what waited has gone.
bool WayOut::send_waiting() {
  bool any = false;
  for (auto& [publisher, backlog] : backlogs_) {
    if (!backlog.samples.empty()) {
      any = send_waiting_of(publisher, backlog) || any;
    }
  }
  return any;
}

/// Of a publisher that nobody outside listens to any more, nothing waits (set_writers).
bool WayOut::send_waiting_of(std::uint64_t publisher, Backlog& backlog) {
  // Nothing was acknowledged since the last look, and that was not long ago.
  if (backlog.outlet->wants_room.load() && pool::monotonic_now_ns() < backlog.look_at_ns) {
    return false;
  }
  const OutFace& face = writers_.at(publisher);
  bool any = false;
  while (!backlog.samples.empty()) {
    const auto result = try_again(face, backlog);
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

std::int64_t WayOut::next_look_ns() const {
  const std::lock_guard guard(mutex_);
  std::int64_t next = pool::no_deadline;
  for (const auto& [publisher, backlog] : backlogs_) {
    if (!backlog.samples.empty()) {
      next = std::min(next, backlog.look_at_ns);
    }
  }
  return next;
}

void WayOut::send(pool::HeldSample&& sample) {
  const pool::SampleInfo& info = sample.info();
  const std::span<const std::byte> bytes = sample.payload();
  if (description_.qos.durability == DurabilityPolicy::transient_local) {
    if (!pool::is_relayed(info)) {
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
  write_held(std::move(sample), when);
}

/// A header goes between encapsulation and body, so such requests and replies are copied; they are
/// few and small.
void WayOut::send_marked(const OutFace& face, pool::HeldSample&& sample) {
  const auto mark = mark_of_(sample.info(), face);
  if (!mark) {
    return;
  }
  const When when{sample.info().source_timestamp_ns, mark->related};
  if (!mark->header) {
    write_held(std::move(sample), when);
    return;
  }
  auto memory =
      std::make_shared<std::vector<std::byte>>(dds::with_header(sample.payload(), *mark->header));
  const std::size_t size = memory->size();
  memory->resize(size + 3);  // the engine reads up to 3 bytes of padding
  const std::span<const std::byte> bytes(memory->data(), size);
  write(sample.info().publisher, {bytes, std::move(memory), when});
}

void WayOut::send_latched(Latched&& sample) {
  if (writers_.contains(sample.publisher)) {
    write(sample.publisher, {sample.bytes, std::move(sample.memory), {sample.timestamp_ns}});
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

/// By a publisher of this process that has just published. It does not wait: if another thread is
/// at it, that one goes on.
void WayOut::send_here(Turn& turn) {
  if (turn.asked.fetch_add(1) != 0) {
    return;  // another publisher is at it, and looks at `asked` when it has done
  }
  unsigned seen = 0;
  do {
    seen = turn.asked.load();
    const std::unique_lock lock(turn.mutex, std::try_to_lock);
    const bool closed = lock.owns_lock() && turn.way == nullptr;
    if (!closed && (!lock.owns_lock() || !turn.way->send_all())) {
      turn.waiter->wake();  // the edge's thread does the rest
    }
  } while (turn.asked.fetch_sub(seen) != seen);
}

/// False: something is left, for which the engine has no room now, or we had not enough time.
bool WayOut::send_all() {
  (void)take_and_send();
  return !reader_->has_data() && next_look_ns() == pool::no_deadline;
}

bool WayOut::pump() {
  const std::lock_guard turn(turn_->mutex);
  return turn_->way != nullptr && take_and_send();
}

bool WayOut::take_and_send() {
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
    send(std::move(**sample));
    any = true;
  }
  return any;
}

WayOutFigures WayOut::figures() const {
  const std::lock_guard guard(mutex_);
  WayOutFigures figures = figures_;
  figures.lost += reader_->stats().lost;
  return figures;
}

}  // namespace ligament::edge
