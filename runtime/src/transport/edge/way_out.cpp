// SPDX-License-Identifier: Apache-2.0
#include "transport/edge/way_out.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "memory/relayed.hpp"

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
constexpr std::size_t most_on_way = std::size_t{24} << 20;
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
  self->turn_->way = spec.idle ? nullptr : self.get();
  return self;
}

WayOut::~WayOut() {
  const std::lock_guard turn(turn_->mutex);
  turn_->way = nullptr;
}

WayOutFigures WayOut::close() {
  std::unique_ptr<pool::Reader> ended;  // after the locks
  const std::lock_guard turn(turn_->mutex);
  turn_->way = nullptr;
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

void WayOut::set_writers(Faces writers) {
  const std::lock_guard guard(mutex_);
  writers_ = std::move(writers);
  std::erase_if(backlogs_, [this](const auto& entry) {
    const auto face = writers_.find(entry.first);
    const bool gone = face == writers_.end() || face->second.writer == nullptr;
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

/// With the turn. Not for ever: others may publish on.
void WayOut::take_what_is_there() {
  constexpr unsigned most_rounds = 64;
  for (unsigned round = 0; round < most_rounds && take_and_send(); ++round) {
  }
}

bool WayOut::take_over(WayOut& before) {
  const std::scoped_lock turns(turn_->mutex, before.turn_->mutex);
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
  before.turn_->way = nullptr;
  turn_->way = this;
  take_what_is_there();
  const std::lock_guard guard(mutex_);
  lost_before_ = reader_->stats().lost;
  return true;
}

/// Under mutex_.
bool WayOut::is_passed(const pool::SampleInfo& info) {
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

void WayOut::forget(std::uint64_t publisher) {
  const std::lock_guard turn(turn_->mutex);
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

void WayOut::write(const OutFace& face, std::uint64_t publisher, Outgoing&& sample) {
  // What an RTPS sample can be, padding included.
  constexpr std::size_t largest = std::numeric_limits<std::uint32_t>::max() - 3;
  if (sample.bytes.size() > largest) {
    ++figures_.refused;
    return;
  }
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
  if (sample.when.note) {
    sample.when.note(face.writer->next_sequence());
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

/// Under mutex_. The engine sends from where the sample lies in the pool, but for copies.
void WayOut::send(pool::HeldSample&& sample) {
  const pool::SampleInfo& info = sample.info();
  const std::span<const std::byte> bytes = sample.payload();
  const auto face = writers_.find(info.publisher);
  const bool is_known = face != writers_.end();
  if (pool::is_relayed(info) || (is_known && face->second.writer == nullptr)) {
    return;  // another edge, or our own way in, has brought it; or it goes another way
  }
  if (!is_known || description_.qos.durability == DurabilityPolicy::transient_local) {
    ++figures_.copied;
    send_copied({info, padded_copy(bytes), bytes.size()});
    return;
  }
  auto owner = std::make_shared<Sent>(std::move(sample), backlog_of(face->first).outlet);
  Sent* const block = owner.get();
  send_marked(face->second, block->sample.info(),
              {bytes, std::move(owner), {block->sample.info().source_timestamp_ns}, block});
}

/// Under mutex_. A publisher may say what it has to say, once and for all, before its writer in DDS
/// exists.
void WayOut::send_copied(Copied&& sample) {
  const auto face = writers_.find(sample.info.publisher);
  if (face == writers_.end()) {
    keep_for_later(std::move(sample));
  } else if (face->second.writer != nullptr) {
    const std::span<const std::byte> bytes(sample.memory->data(), sample.size);
    send_marked(face->second, sample.info,
                {bytes, std::move(sample.memory), {sample.info.source_timestamp_ns}});
  }
}

/// Under mutex_. Of a service's requests and replies: which it is. A header goes between
/// encapsulation and body, so such are copied; they are few and small.
void WayOut::send_marked(const OutFace& face, const pool::SampleInfo& info, Outgoing&& sample) {
  const std::uint64_t publisher = info.publisher;
  if (mark_of_) {
    const auto mark = mark_of_(info, face);
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
  write(face, publisher, std::move(sample));
}

/// Under mutex_.
void WayOut::keep_for_later(Copied&& sample) {
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

WayOutFigures WayOut::figures() const {
  const std::lock_guard guard(mutex_);
  WayOutFigures figures = figures_;
  figures.lost += reader_ == nullptr ? 0 : reader_->stats().lost - lost_before_;
  return figures;
}

}  // namespace ligament::edge
