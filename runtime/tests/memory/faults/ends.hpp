// SPDX-License-Identifier: Apache-2.0
/// \file The two ends of a topic under test: a writer whose payloads can tell whether they are
/// whole, and a reader that checks every rule of delivery on every sample.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "faults/figures.hpp"
#include "ligament/detail/pool.hpp"

namespace ligament::pool::test {

struct TopicSpec {
  const char* name = "";
  QoS qos{8};
  std::span<const std::size_t> sizes;  ///< of payloads, in turn
  std::int64_t max_blocking_ns = 100'000'000;
  bool lossless = false;  ///< whoever is matched before the first sample loses none while it lives
};

/// By its index in `Figures`; see `Topic`.
[[nodiscard]] const TopicSpec& topic(std::size_t index);

/// Notes the first violation in words, and counts it.
void complain(Figures& figures, Count& kind, const std::string& text);

class Source {
 public:
  /// `waiter`: of the executor that publishes, if it also takes.
  Source(Domain& domain, std::size_t index, Figures& figures, Waiter* waiter = nullptr);
  void publish();
  /// A loan that is not published.
  void borrow();
  /// Writes what `WriterFigures` holds.
  void report();
  [[nodiscard]] Writer& writer() { return *writer_; }
  [[nodiscard]] explicit operator bool() const { return writer_ != nullptr; }

 private:
  const TopicSpec& topic_;
  Figures& figures_;
  WriterFigures& mine_;
  std::unique_ptr<Writer> writer_;
  std::uint64_t number_ = 0;
  std::size_t turn_ = 0;
};

class Sink {
 public:
  Sink(Domain& domain, Waiter& waiter, std::size_t index, Figures& figures);
  ~Sink() { figures_.held -= kept_.size(); }
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  /// Takes all there is; keeps some samples for a while. Returns how many it took.
  std::size_t take_all();
  void release_all();
  void report();
  /// After a sleep that timed out: nothing may have lain there for long.
  void expect_no_old_sample();
  [[nodiscard]] Reader& reader() { return *reader_; }
  [[nodiscard]] explicit operator bool() const { return reader_ != nullptr; }

 private:
  void check(const HeldSample& sample);
  void check_order(const HeldSample& sample);
  void keep(HeldSample sample);
  void release_oldest();

  struct Seen {
    std::uint64_t sequence = 0;
    std::int64_t at_ns = 0;
  };
  const TopicSpec& topic_;
  Figures& figures_;
  ReaderFigures& mine_;
  std::deque<std::pair<HeldSample, std::uint64_t>> kept_;  ///< outlives the reader
  std::unique_ptr<Reader> reader_;
  std::unordered_map<std::uint64_t, Seen> seen_;
  std::uint64_t lost_before_ = 0;
};

}  // namespace ligament::pool::test
