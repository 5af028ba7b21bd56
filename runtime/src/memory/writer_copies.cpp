// SPDX-License-Identifier: Apache-2.0
/// Several small samples at once. A message of 64 bytes costs two locks and a clock more than its
/// copy and its exchange; who has several of them pays once.
#include <algorithm>
#include <cstring>
#include <mutex>

#include "memory/writer.hpp"

namespace ligament::pool {

namespace {

using Bytes = std::span<const std::byte>;
using Guard = std::lock_guard<OpLock>;

void copy_both(std::span<std::byte> to, Bytes head, Bytes body) {
  if (head.size() == 4) {  // an encapsulation: one store, not a call
    std::memcpy(to.data(), head.data(), 4);
  } else {
    std::copy(head.begin(), head.end(), to.begin());
  }
  if (!body.empty()) {
    std::memcpy(to.data() + head.size(), body.data(), body.size());
  }
}

}  // namespace

/// False: that takes a loan, which may make memory, or says why there is none. Only the first looks
/// for what readers have taken since (S0): their cursors are lines of other processors. Under
/// lock_.
bool WriterState::push_copy(Bytes head, Bytes body, std::int64_t now_ns, bool is_first) {
  const std::size_t size = head.size() + body.size();
  if ((options.max_bytes != 0 && size > options.max_bytes) || loans_out_ >= options.max_loans) {
    return false;
  }
  const bool has_looked = is_first && retires_taken(size);
  const auto block = blocks_.acquire(size, holds_, tag, has_looked);
  if (!block) {
    return false;
  }
  ++loans_out_;
  copy_both(place(*block, size, head.size()), head, body);
  (void)push(*block, size, {}, now_ns);
  return true;
}

bool WriterState::copy_apart(Bytes head, Bytes body) {
  const auto loan = acquire(head.size() + body.size(), head.size());
  if (loan) {
    copy_both(loan->second, head, body);
    (void)commit(loan->first, loan->second.size(), {});
  }
  return loan.has_value();
}

/// As many as go together, from the first of these on. The bells are looked at once, after the last
/// exchange: P2 of each comes before P4. One that may have to wait for readers is the first: they
/// are awake when it waits, and its stamp is of when there was room. Flat, because a sample would
/// otherwise be six calls of some nanoseconds each.
[[gnu::flatten]] std::size_t WriterState::push_copies(Bytes head, std::span<const Bytes> bodies,
                                                      std::int64_t now_ns) {
  std::size_t done = 0;
  Sleepers sleepers;
  {
    const Guard guard(lock_);
    const bool may_wait = ring_.next_sequence() > free_until_;
    const std::int64_t now = may_wait ? 0 : now_ns != 0 ? now_ns : monotonic_now_ns();
    while (done < bodies.size() && (done == 0 || ring_.next_sequence() <= free_until_) &&
           push_copy(head, bodies[done], now, done == 0)) {
      ++done;
    }
    sleepers = find_sleepers();
  }
  if (sleepers.last != nullptr) [[unlikely]] {
    wake(sleepers);
  }
  return done;
}

/// One that cannot go out is counted, and those behind it go on: it may be too long, and they not.
PublishedCopies WriterState::commit_copies(Bytes head, std::span<const Bytes> bodies,
                                           std::int64_t now_ns) {
  PublishedCopies all;
  while (!bodies.empty()) {
    std::size_t done = push_copies(head, bodies, now_ns);
    if (done == 0 && copy_apart(head, bodies.front())) {
      done = 1;
    }
    for (const Bytes body : bodies.first(done)) {
      all.bytes += body.size();
    }
    all.count += done;
    bodies = bodies.subspan(std::max<std::size_t>(done, 1));
    now_ns = 0;  // it may have waited
  }
  return all;
}

}  // namespace ligament::pool
