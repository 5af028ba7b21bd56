// SPDX-License-Identifier: Apache-2.0
#include "faults/ends.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "memory/blocks.hpp"
#include "stamped_payload.hpp"

namespace ligament::pool::test {

namespace {

EndpointDescription describe(const TopicSpec& topic) {
  return {topic.name, "test/msg/Bytes", "/faults", {}, topic.qos.profile()};
}

constexpr std::int64_t long_ago_ns = 1'000'000'000;
constexpr std::int64_t forget_after_ns = 20'000'000'000;

}  // namespace

void complain(Figures& figures, Count& kind, const std::string& text) {
  ++kind;
  if (figures.complaint[0] == '\0') {
    std::strncpy(figures.complaint.data(), text.c_str(), figures.complaint.size() - 1);
  }
}

// --- writing -------------------------------------------------------------------------------------

Source::Source(Domain& domain, std::size_t index, Figures& figures, Waiter* waiter)
    : topic_(topic(index)), figures_(figures), mine_(figures.writer[index]) {
  WriterOptions options;
  options.max_blocking_ns = topic_.max_blocking_ns;
  options.waiter = waiter;
  auto writer = domain.create_writer(describe(topic_), options);
  if (!writer) {
    complain(figures_, figures_.violations.refused, writer.error().text);
    return;
  }
  writer_ = std::move(*writer);
  mine_.published = 0;
}

void Source::publish() {
  auto loan = writer_->loan(topic_.sizes[turn_++ % topic_.sizes.size()]);
  if (!loan) {
    complain(figures_, figures_.violations.refused,
             fmt::format("{}: loan: {}", topic_.name, to_string(loan.error())));
    return;
  }
  stamp(loan->payload(), ++number_);
  if (auto published = writer_->publish(std::move(*loan)); !published) {
    complain(figures_, figures_.violations.refused,
             fmt::format("{}: publish: {}", topic_.name, to_string(published.error())));
  }
  mine_.published = number_;
}

void Source::borrow() { (void)writer_->loan(topic_.sizes[0]); }

void Source::report() {
  const WriterStats stats = writer_->stats();
  mine_.ring = stats.in_ring;
  mine_.blocks_free = stats.blocks_free;
  mine_.readers = writer_->matched_readers();
  mine_.blocks = stats.blocks;
}

// --- reading -------------------------------------------------------------------------------------

Sink::Sink(Domain& domain, Waiter& waiter, std::size_t index, Figures& figures)
    : topic_(topic(index)), figures_(figures), mine_(figures.reader[index]) {
  auto reader = domain.create_reader(describe(topic_), waiter);
  if (!reader) {
    complain(figures_, figures_.violations.refused, reader.error().text);
    return;
  }
  reader_ = std::move(*reader);
  lost_before_ = mine_.lost;
}

std::size_t Sink::take_all() {
  std::size_t count = 0;
  for (;;) {
    auto sample = reader_->take();
    if (!sample) {
      if (kept_.empty()) {
        complain(figures_, figures_.violations.refused,
                 fmt::format("{}: take: {}", topic_.name, to_string(sample.error())));
        return count;
      }
      release_oldest();
      continue;
    }
    if (!*sample) {
      break;
    }
    ++count;
    ++mine_.taken;
    check(**sample);
    check_order(**sample);
    keep(std::move(**sample));
  }
  if (count != 0) {
    report();
  }
  return count;
}

void Sink::check(const HeldSample& sample) {
  const std::uint64_t number = number_of(sample.payload());
  if (number != sample.info().sequence || sample.payload().size() < 16) {
    complain(figures_, figures_.violations.torn,
             fmt::format("{}: sample {} of {:x} reads {}", topic_.name, sample.info().sequence,
                         sample.info().publisher, number));
  }
}

void Sink::check_order(const HeldSample& sample) {
  const std::uint64_t sequence = sample.info().sequence;
  const auto [place, is_new] = seen_.try_emplace(sample.info().publisher);
  Seen& seen = place->second;
  if (!is_new && sequence <= seen.sequence) {
    complain(figures_, figures_.violations.twice,
             fmt::format("{}: sample {} after {} of {:x}", topic_.name, sequence, seen.sequence,
                         sample.info().publisher));
  } else if (!is_new && sequence > seen.sequence + 1) {
    mine_.gaps += sequence - seen.sequence - 1;
    if (topic_.lossless) {
      complain(figures_, figures_.violations.lost,
               fmt::format("{}: {} follows {} of {:x}", topic_.name, sequence, seen.sequence,
                           sample.info().publisher));
    }
  }
  seen = {sequence, monotonic_now_ns()};
  mine_.newest = sequence;
  if (seen_.size() > 64) {  // writers that died long ago
    std::erase_if(seen_, [now = seen.at_ns](const auto& entry) {
      return now - entry.second.at_ns > forget_after_ns;
    });
  }
}

void Sink::keep(HeldSample sample) {
  const std::uint64_t number = sample.info().sequence;
  if (number % 3 != 0) {
    return;  // released here
  }
  kept_.emplace_back(std::move(sample), number);
  ++figures_.held;
  if (kept_.size() >= topic_.qos.profile().max_held) {
    release_oldest();
  }
}

void Sink::release_oldest() {
  const auto& [sample, number] = kept_.front();
  if (number_of(sample.payload()) != number) {
    complain(figures_, figures_.violations.changed,
             fmt::format("{}: sample {} changed while it was held", topic_.name, number));
  }
  kept_.pop_front();
  --figures_.held;
}

void Sink::release_all() {
  while (!kept_.empty()) {
    release_oldest();
  }
}

void Sink::report() {
  const ReaderStats stats = reader_->stats();
  mine_.lost = lost_before_ + stats.lost;
  mine_.corrupt = stats.corrupt;
}

void Sink::expect_no_old_sample() {
  auto sample = reader_->take();
  if (!sample || !*sample) {
    return;
  }
  ++mine_.taken;
  check(**sample);
  check_order(**sample);
  const std::int64_t age = monotonic_now_ns() - (*sample)->info().monotonic_ns;
  if (age > long_ago_ns) {
    complain(figures_, figures_.violations.overslept,
             fmt::format("{}: sample {} lay there for {} ms while its executor slept", topic_.name,
                         (*sample)->info().sequence, age / 1'000'000));
  }
}

}  // namespace ligament::pool::test
