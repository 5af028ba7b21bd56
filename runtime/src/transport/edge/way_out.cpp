// SPDX-License-Identifier: Apache-2.0
#include "transport/edge/way_out.hpp"

#include <limits>
#include <utility>

#include "memory/relayed.hpp"

namespace ligament::edge {

namespace {

constexpr unsigned most_at_once = 64;
constexpr std::size_t most_early = 64;
constexpr std::int64_t longest_block_ns = 100'000'000;

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
  figures_.refused += std::exchange(blocked_, {}).size();
  figures_.lost += std::exchange(early_, {}).size();
  figures_.lost += reader_->stats().lost;
  return figures_;
}

void WayOut::set_writers(Faces writers) {
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
    const auto result = writer.write(bytes, owner, when.timestamp_ns, when.related);
    if (result != dds::WriteResult::no_room) {
      count(result, bytes.size());
      return;
    }
    blocked_since_ns_ = pool::monotonic_now_ns();
  }
  blocked_.push_back({publisher, bytes, std::move(owner), when});
}

void WayOut::count(dds::WriteResult result, std::size_t bytes) {
  if (result == dds::WriteResult::sent) {
    ++figures_.sent;
    figures_.bytes += bytes;
  } else {
    ++figures_.refused;
  }
}

/// Under mutex_. A try in vain is not free: the engine asks all readers what they lack, and each
/// answer makes it send again what is still on its way.
dds::WriteResult WayOut::try_again(const Blocked& sample) {
  const auto writer = writers_.find(sample.publisher);
  if (writer == writers_.end()) {
    return dds::WriteResult::refused;  // nobody outside listens to it any more
  }
  dds::Writer& face = *writer->second.writer;
  return face.has_room()
             ? face.write(sample.bytes, sample.owner, sample.when.timestamp_ns, sample.when.related)
             : dds::WriteResult::no_room;
}

/// Under mutex_. False: the engine still has no room for the first of them. Each has its time from
/// when it is the first.
bool WayOut::write_blocked() {
  while (!blocked_.empty()) {
    const Blocked& first = blocked_.front();
    const std::int64_t now = pool::monotonic_now_ns();
    const auto result = try_again(first);
    if (result == dds::WriteResult::no_room && now - blocked_since_ns_ < longest_block_ns) {
      ++figures_.looks;
      return false;
    }
    count(result, first.bytes.size());
    blocked_.pop_front();
    blocked_since_ns_ = now;
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
  return !reader_->has_data() && !is_blocked();
}

bool WayOut::pump() {
  const std::lock_guard turn(turn_->mutex);
  return turn_->way != nullptr && take_and_send();
}

bool WayOut::take_and_send() {
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
