// SPDX-License-Identifier: Apache-2.0
/// \file A board in this process that loses doorbells, hangs, refuses and lies, by chance: whatever
/// it does, messages stay with those of their set, and each is handed on or counted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "device/fpga_uio/board.hpp"
#include "fpga/registers.hpp"

namespace ligament::device {
namespace {

using fpga::detail::Place;
using fpga::detail::register_of;
using fpga_uio::Attachment;
using fpga_uio::Board;
using fpga_uio::Input;
using fpga_uio::Plan;
using namespace std::chrono_literals;

constexpr std::uint32_t first_end = 0;   ///< an input of /join, and its output
constexpr std::uint32_t second_end = 1;  ///< the input of /front, whose topic is /join's other one
/// Places in the plan.
enum Stream : std::size_t { first, second, topic_out, topic_in, out };
constexpr std::size_t message_bytes = 16;

/// A message: its bytes are its number.
std::array<std::byte, message_bytes> message_of(std::uint64_t number) {
  std::array<std::byte, message_bytes> bytes{};
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

/// /front hands on what comes to `second`; /join answers a message of `first` and one of /front.
Plan plan_of_join() {
  Plan plan;
  plan.name = "a design";
  plan.identity = 1;
  plan.settings = 1;
  plan.ends = 2;
  const auto stream = [&](const char* node, const char* port, bool input) {
    fpga_uio::Stream one;
    one.name = std::string(node + 1) + "_" + port;
    one.node = node;
    one.port = port;
    one.input = input;
    one.bytes = message_bytes;
    const auto place = [&](const std::string& name) {
      const auto at = static_cast<std::uint32_t>(0x12000 + 8 * plan.values++);
      plan.places[name] = at;
      return at;
    };
    one.messages = place(one.name + ".messages");
    one.problem = input ? 0 : place(one.name + ".problem");
    one.refusal = input ? 0 : place(one.name + ".refusal");
    if (one.port == "topic") {
      one.topic = "/topic";
      one.drops = input ? place("/topic.drops.0") : 0;
      if (input) place("/topic.frames");
    } else {
      one.end = one.node == "/front" ? second_end : first_end;
    }
    plan.streams.push_back(one);
  };
  stream("/join", "first", true);
  stream("/front", "second", true);
  stream("/front", "topic", false);
  stream("/join", "topic", true);
  stream("/join", "out", false);
  plan.nodes = {{"/front", {second}, {topic_out}}, {"/join", {first, topic_in}, {out}}};
  return plan;
}

/// How often, of 1000 times.
struct Chances {
  int lost = 0;     ///< a doorbell
  int hung = 0;     ///< /front takes a message, and does not answer it
  int refused = 0;  ///< or refuses it: the frame says so, and /join refuses its set
  int alone = 0;    ///< /join reads a message of `first` before it has the other one
  int lies = 0;     ///< what is read is something else
};

class ByChance final : public fpga_uio::RegisterSpace {
 public:
  ByChance(const Plan& plan, std::uint64_t seed, Chances chances, std::span<std::byte> memory)
      : plan_(plan), chances_(chances), memory_(memory), random_(seed) {}

  Result<std::uint64_t> read(std::uint32_t place) override {
    const std::uint64_t value = true_value(place);
    if (place >= 0x10000 && place < 0x11000 && !lies_of_itself_) return value;
    return happens(chances_.lies) ? lie(value) : value;
  }

  Result<void> write(std::uint32_t place, std::uint64_t value) override {
    if (place == 0x11000) {
      resets_ = value;
      forget();
    } else if (place < 0x200) {
      end_written(place >> 8U, static_cast<Place>(place & 0xFFU), value);
    }
    work();
    return {};
  }

  void may_lie_of_itself() { lies_of_itself_ = true; }
  /// The topic's counter of frames says so many more.
  void boast(std::uint64_t frames) { boast_ = frames; }
  void lose_next_doorbell() { loses_next_ = true; }

 private:
  struct Event {
    std::array<std::uint64_t, 2> header{};
    std::uint64_t word = 0;
  };
  struct Send {
    std::uint64_t number = 0;
    std::uint16_t tag = 0;
  };

  bool happens(int chance) { return static_cast<int>(random_() % 1000) < chance; }

  std::uint64_t lie(std::uint64_t value) {
    switch (random_() % 6) {
      case 0:
        return random_();
      case 1:
        return ~std::uint64_t{0};
      case 2:
        return value ^ std::uint64_t{1} << random_() % 64;
      case 3:
        return value + (std::uint64_t{1} << 32U);
      case 4:
        return value + 1;
      default:
        return 0;
    }
  }

  std::uint64_t true_value(std::uint32_t place) {
    switch (place) {
      case 0x10000:
        return 0x1'4C49'4742;
      case 0x10008:
        return plan_.identity;
      case 0x10010:
        return plan_.settings | plan_.values << 16U | std::uint64_t{plan_.ends} << 32U;
      case 0x11000:
        return resets_;
      case 0xFF00:
        return 0x1'4C49'4753;
      case fpga::detail::sent_ends:
        return std::uint64_t{!sent_[0].empty()} | std::uint64_t{!sent_[1].empty()} << 1U;
      case fpga::detail::stored_ends:
        return std::uint64_t{!stored_.empty()};
      default:
        if (place == plan_.places.at("/topic.frames")) return values_[place] + boast_;
        return place < 0x200 ? of_event(place) : values_[place];
    }
  }

  std::uint64_t of_event(std::uint32_t place) {
    const auto at = static_cast<Place>(place & 0xFFU);
    auto& events = at >= Place::stored_low ? stored_ : sent_[place >> 8U];
    if (events.empty() || at < Place::sent_low) return 0;
    if (at == Place::sent_low || at == Place::stored_low) return events.front().header[0];
    if (at == Place::sent_high || at == Place::stored_high) return events.front().header[1];
    const std::uint64_t word = events.front().word;
    events.pop_front();
    return word;
  }

  void end_written(std::uint32_t end, Place place, std::uint64_t value) {
    if (place == Place::send_address) send_address_ = value;
    if (place == Place::room_address) room_address_ = value;
    if (place == Place::room_doorbell) room_ = static_cast<std::uint16_t>(value);
    if (place != Place::send_doorbell || happens(chances_.lost)) return;
    if (std::exchange(loses_next_, false)) return;
    std::uint64_t number = 0;
    std::memcpy(&number, memory_.data() + send_address_, sizeof number);
    (end == first_end ? first_ : second_).push_back({number, static_cast<std::uint16_t>(value)});
  }

  void tell(std::deque<Event>& events, std::uint16_t tag, std::uint64_t length = 0) {
    events.push_back({{length, 0}, std::uint64_t{1} << 63U | tag});
  }
  void passed(Stream stream) { values_[plan_.streams[stream].messages] += std::uint64_t{1} << 32U; }
  void refuses(Stream stream) {
    std::uint64_t& value = values_[plan_.streams[stream].refusal];
    value = ((value >> 32U) + 1) << 32U | 17U;
  }

  void work() {
    while (!second_.empty()) {
      tell(sent_[second_end], second_.front().tag);
      passed(second);
      const std::uint64_t number = second_.front().number;
      second_.pop_front();
      if (happens(chances_.hung)) continue;
      passed(topic_out);
      const bool is_refused = happens(chances_.refused);
      if (is_refused) refuses(topic_out);
      topic_.push_back(is_refused ? std::nullopt : std::optional(number));
      ++values_[plan_.places.at("/topic.frames")];
    }
    if (!first_.empty() && !read_ && (!topic_.empty() || happens(chances_.alone))) {
      read_ = first_.front().number;
      tell(sent_[first_end], first_.front().tag);
      passed(first);
      first_.pop_front();
    }
    if (!read_ || topic_.empty() || !room_) return;
    passed(topic_in);
    passed(out);
    if (topic_.front()) {
      std::memcpy(memory_.data() + room_address_, &*read_, sizeof *read_);
      std::memcpy(memory_.data() + room_address_ + 8, &*topic_.front(), sizeof *read_);
      tell(stored_, *room_, message_bytes);
      room_.reset();
    } else {
      refuses(out);
    }
    read_.reset();
    topic_.pop_front();
  }

  void forget() {
    for (auto& events : sent_) events.clear();
    stored_.clear();
    values_.clear();
    first_.clear();
    second_.clear();
    topic_.clear();
    read_.reset();
    room_.reset();
  }

  const Plan& plan_;
  Chances chances_;
  std::span<std::byte> memory_;
  std::mt19937_64 random_;
  bool lies_of_itself_ = false;
  bool loses_next_ = false;
  std::uint64_t boast_ = 0;
  std::uint64_t resets_ = 0, send_address_ = 0, room_address_ = 0;
  std::array<std::deque<Event>, 2> sent_;
  std::deque<Event> stored_;
  std::map<std::uint32_t, std::uint64_t> values_;
  std::deque<Send> first_, second_;
  std::deque<std::optional<std::uint64_t>> topic_;  ///< nothing: a refusal
  std::optional<std::uint64_t> read_;
  std::optional<std::uint16_t> room_;
};

class BoardThatLies : public ::testing::Test {
 protected:
  Board board(std::uint64_t seed, Chances chances, bool lies_of_itself = false) {
    const std::size_t bytes = 3 * 4096;
    const int memory = ::memfd_create("board", MFD_CLOEXEC);
    EXPECT_EQ(::ftruncate(memory, static_cast<off_t>(bytes)), 0);
    const fpga_uio::File file(memory);
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()),
              0);
    other_end_ = fpga_uio::File(ends[1]);
    Attachment at{
        .path = "by chance", .stand_in = true, .registers = {}, .interrupt = {}, .memory = {}};
    at.memory.mapping = fpga_uio::Mapping::of(memory, bytes, 0);
    at.memory.extents = {{0, bytes}};
    memory_ = at.memory.mapping.bytes();
    auto registers = std::make_unique<ByChance>(plan_, seed, chances, memory_);
    if (lies_of_itself) registers->may_lie_of_itself();
    registers_ = registers.get();
    at.registers = std::move(registers);
    at.interrupt = fpga_uio::File(ends[0]);
    return {std::move(at), 4ms};
  }
  [[nodiscard]] bool is_in_memory(std::span<const std::byte> message) const {
    return !message.empty() && message.size() <= message_bytes &&
           message.data() >= memory_.data() &&
           message.data() + message.size() <= memory_.data() + memory_.size();
  }

  const Plan plan_ = plan_of_join();
  std::span<std::byte> memory_;
  fpga_uio::File other_end_;
  ByChance* registers_ = nullptr;  ///< of the last board
};

class BoardByChance : public BoardThatLies, public ::testing::WithParamInterface<Chances> {};

/// Messages of both inputs that come in any order, each in its own.
class Source {
 public:
  Source(std::uint64_t seed, std::uint64_t count) : random_(seed), count_(count) {}

  /// Those that may go in now, of what has come.
  std::vector<Input> next(const Board& board) {
    for (const Stream stream : {first, second}) {
      come_[stream] = std::min(count_, come_[stream] + random_() % 3);
    }
    std::vector<Input> inputs;
    for (const Stream stream : {first, second}) {
      if (sent_[stream] < come_[stream] && board.takes(stream)) {
        messages_[stream] = message_of(++sent_[stream]);
        inputs.push_back({stream, messages_[stream], sent_[stream], 1});
      }
    }
    return inputs;
  }
  [[nodiscard]] bool is_over() const { return sent_[first] == count_ && sent_[second] == count_; }

 private:
  std::mt19937_64 random_;
  std::uint64_t count_;
  std::array<std::uint64_t, 2> come_{}, sent_{};
  std::array<std::array<std::byte, message_bytes>, 2> messages_{};
};

TEST_P(BoardByChance, MessagesStayWithThoseOfTheirSetAndEachIsHandedOnOrCounted) {
  constexpr std::uint64_t count = 20;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    Board board = this->board(seed, GetParam());
    ASSERT_TRUE(board.take(plan_));
    Source source(seed, count);
    std::uint64_t answered = 0;
    std::uint64_t counted = 0;
    std::uint64_t last = 0;
    while (!source.is_over()) {
      const auto inputs = source.next(board);
      const auto outcome = board.run(inputs);
      ASSERT_TRUE(outcome) << outcome.error().text;
      for (const auto& output : outcome->outputs) {
        ASSERT_EQ(output.message.size(), message_bytes);
        std::array<std::uint64_t, 2> numbers{};
        std::memcpy(numbers.data(), output.message.data(), message_bytes);
        EXPECT_EQ(numbers[0], numbers[1]);
        EXPECT_GT(numbers[0], last);
        last = numbers[0];
        ++answered;
      }
      for (const auto& fault : outcome->faults) {
        counted += fault.node == "/join" ? fault.messages : 0;
      }
    }
    EXPECT_EQ(answered + counted, count);
    if (GetParam().lost + GetParam().hung + GetParam().refused == 0) {
      EXPECT_EQ(answered, count);
      EXPECT_EQ(board.figures().resets, 1U);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Faults, BoardByChance,
                         ::testing::Values(Chances{}, Chances{.alone = 500},
                                           Chances{.refused = 300, .alone = 500},
                                           Chances{.lost = 100, .alone = 500},
                                           Chances{.lost = 500, .alone = 100},
                                           Chances{.hung = 200, .alone = 500},
                                           Chances{.lost = 100, .hung = 50, .refused = 50}));

TEST_F(BoardThatLies, EndsOrGoesOnAndSaysNothingThatIsNotInItsMemory) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    const Chances chances{.lost = 20, .alone = 200, .lies = std::array{1, 10, 100}[seed % 3]};
    Board board = this->board(seed, chances, seed % 5 == 0);
    if (!board.take(plan_)) continue;
    Source source(seed, 10);
    std::uint64_t counted = 0;
    bool lost = false;
    for (int sets = 0; sets < 12 && !lost; ++sets) {
      const auto inputs = source.next(board);
      const auto outcome = board.run(inputs);
      lost = !outcome;
      if (lost) {
        EXPECT_EQ(outcome.error().code, ErrorCode::device_lost);
        EXPECT_FALSE(outcome.error().text.empty());
        break;
      }
      for (const auto& output : outcome->outputs) EXPECT_TRUE(is_in_memory(output.message));
      for (const auto& fault : outcome->faults) counted += fault.messages;
    }
    EXPECT_LE(counted, 400U) << "no more than went in, by whatever node";
  }
}

TEST_F(BoardThatLies, ATopicThatBoastsCostsNoMessageThatIsStillToCome) {
  Board board = this->board(1, {});
  ASSERT_TRUE(board.take(plan_));
  registers_->boast(1000);
  const auto one = message_of(1);
  const auto two = message_of(2);
  ASSERT_TRUE(board.run(std::vector<Input>{{second, one, 1, 1}}));
  registers_->lose_next_doorbell();  // behind the reset its partner on the chip is lost
  const auto lost = board.run(std::vector<Input>{{first, one, 1, 1}});
  ASSERT_TRUE(lost);
  EXPECT_EQ(board.figures().repeated, 1U);
  ASSERT_EQ(lost->faults.size(), 1U);
  EXPECT_EQ(lost->faults[0].node, "/join");
  EXPECT_EQ(lost->faults[0].messages, 1U);
  const auto whole = board.run(std::vector<Input>{{first, two, 2, 1}, {second, two, 2, 1}});
  ASSERT_TRUE(whole);
  EXPECT_TRUE(whole->faults.empty());
  ASSERT_EQ(whole->outputs.size(), 1U);
  std::array<std::uint64_t, 2> numbers{};
  std::memcpy(numbers.data(), whole->outputs[0].message.data(), message_bytes);
  EXPECT_EQ(numbers, (std::array<std::uint64_t, 2>{2, 2}));
}

}  // namespace
}  // namespace ligament::device
