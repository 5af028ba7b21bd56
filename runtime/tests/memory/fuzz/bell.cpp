// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: a waiter on a page whose every word others write, before it sleeps, while it
// makes ready to and while it sleeps. It costs lateness of at most one longest sleep, and no wait
// outlives its deadline by more.
#include <algorithm>
#include <memory>
#include <string_view>

#include "ends.hpp"
#include "memory/crash_point.hpp"
#include "memory/waiter.hpp"
#include "scribbler.hpp"

namespace ligament::pool::fuzz {
namespace {

/// What other processes do to the bell page, and what other threads of ours do meanwhile.
class Others : public Scribbler {
 public:
  Others(Input& input_in, Bells& bells, WriterState& writer_in)
      : input(input_in),
        page(static_cast<std::uint32_t>(bells.page().fd.get())),
        writer(writer_in) {}

  void publish() {
    if (auto loan = writer.acquire(8, 0)) {
      (void)writer.commit(loan->first, 8, {});
      ++published;
      note();
    }
  }
  void wake() {
    waiter->wake();
    ++wakes;
    note();
  }
  /// From now on the wait must end.
  void note() { since_ns = since_ns == 0 ? Machine::get().now_ns : since_ns; }

  /// Between the waiter's steps; never within what an act itself does.
  void at_step(const char* label) override {
    if (std::string_view(label).starts_with("wait.")) {
      act();
    }
  }
  void asleep(std::int64_t until_ns) override {
    Machine& machine = Machine::get();
    for (int i = 0; i < 4 && !machine.woken && !input.at_end(); ++i) {
      machine.now_ns = std::min(until_ns, machine.now_ns + (std::int64_t{input.next()} << 20));
      if (machine.now_ns == until_ns) {
        return;
      }
      act();
    }
  }

  void act() {
    if (input.at_end()) {
      return;
    }
    const std::uint8_t what = input.next();
    switch (what % 8) {
      case 0:
        return publish();
      case 1:
        return wake();
      case 2:  // a needless wake-up
        Machine::get().woken = true;
        return;
      case 3:
      case 4:
        return plan(input);
      default:
        return;
    }
  }

  Input& input;
  const std::uint32_t page;
  WriterState& writer;
  WaiterState* waiter = nullptr;
  std::uint64_t published = 0;
  std::uint64_t wakes = 0;
  std::int64_t since_ns = 0;

 private:
  void perform(const Action& action) override {
    Machine& machine = Machine::get();
    constexpr std::size_t asleep = offsetof(layout::BellHeader, asleep);
    switch (action.kind % 6) {
      case 0:  // takes bit 0, as if it had woken somebody
        return machine.poke(page, 64, action.value & ~1ULL, 4);
      case 1:
        return machine.poke(page, 64, action.value, 4);
      case 2:
        return machine.poke(page, 64 + (action.a & 3U), action.value, 1);
      case 3:  // "nobody sleeps here"
        return machine.poke(page, asleep, 0, 8);
      case 4:
        return machine.poke(page, asleep, action.value, 8);
      default:
        return machine.poke(page, std::size_t{action.b} * 16 + action.a % 16U, action.value, 8);
    }
  }
};

class Run {
 public:
  explicit Run(Input& input) : input_(input) {
    expect(bells_->open(own_nonce).has_value(), "bells");
    waiter_ = std::make_shared<WaiterState>(bells_, bells_->acquire());
    reader_.waiter = waiter_;
    expect(reader_.open(own_nonce, 2).has_value(), "a reader opens");
    expect(writer_.open(own_nonce, 1).has_value(), "a writer opens");
    link_honest(writer_, reader_, bells_.get());
    waiter_->attach(&reader_);
    others_ = std::make_unique<Others>(input, *bells_, writer_);
    others_->waiter = waiter_.get();
    Machine::get().peer = others_.get();
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() { waiter_->detach(&reader_); }

  void execute() {
    for (int step = 0; step < 40 && !input_.at_end(); ++step) {
      Machine::get().begin_call();
      const std::uint8_t operation = input_.next();
      switch (operation % 4) {
        case 0:
          others_->act();
          break;
        case 1:
          take_all();
          break;
        default:
          wait(operation >> 2);
      }
    }
    Machine::get().peer = nullptr;
  }

 private:
  static WriterOptions options() {
    WriterOptions options;
    options.max_bytes = 8;
    return options;
  }

  void wait(std::uint8_t how) {
    Machine& machine = Machine::get();
    const WaitStrategy strategies[] = {WaitStrategy::sleep(), WaitStrategy::spin_then_sleep(3'000),
                                       WaitStrategy::poll()};
    const std::size_t strategy = how % 4U == 3U ? 0 : how % 4U;
    const std::int64_t begin = machine.now_ns;
    // Polling looks at the clock every 32 rounds only: a short deadline.
    const std::int64_t deadline =
        begin + (strategy == 2 ? 3'000 : (std::int64_t{how / 4U} << 27) + 1000);
    others_->since_ns = reader_.has_data() ? begin : 0;
    const unsigned waits = machine.waits;
    const WaitResult result = waiter_->wait(strategies[strategy], deadline);
    const std::int64_t end = machine.now_ns;
    constexpr std::int64_t slack = 2'000'000;
    expect(end <= deadline + slack, "a wait ends at its deadline");
    expect(machine.waits - waits <= 200, "a wait sleeps, it does not spin in the kernel");
    if (others_->since_ns != 0) {
      // In vain for longer: in a process, the housekeeping thread would look for who sleeps.
      const bool has_looked = others_->since_ns - begin + slack >= longest_sleep_ns;
      const std::int64_t longest_ns = has_looked ? longest_idle_sleep_ns : longest_sleep_ns;
      expect(end <= others_->since_ns + longest_ns + slack, "late by one sleep at most");
    }
    if (result == WaitResult::timeout) {
      expect(end >= deadline, "a wait does not give up early");
    } else if (result == WaitResult::woken) {
      expect(++woken_ <= others_->wakes, "nobody else says that we were woken");
    } else {
      expect(reader_.has_data(), "data that is announced is there");
    }
  }

  void take_all() {
    while (reader_.has_data()) {
      const auto taken = reader_.take();
      expect(taken.has_value() && *taken != nullptr, "what is there can be taken");
      reader_.release(**taken);
    }
  }

  Input& input_;
  std::shared_ptr<Bells> bells_ = std::make_shared<Bells>();
  std::shared_ptr<WaiterState> waiter_;
  ReaderState reader_{describe(4, 1)};
  WriterState writer_{describe(4, 1), options()};
  std::unique_ptr<Others> others_;
  std::uint64_t woken_ = 0;
};

}  // namespace

void execute(Input& input) { Run(input).execute(); }

}  // namespace ligament::pool::fuzz
