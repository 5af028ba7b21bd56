// SPDX-License-Identifier: Apache-2.0
/// \file The back-end `fpga_uio`: what its stand-in may do wrong, and `/dev/uioN` from files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cstring>
#include <ligament/sensor_msgs/msg/image.hpp>
#include <ligament/std_msgs/msg/string.hpp>

#include "device/fpga_uio/attachment.hpp"
#include "stand_in.hpp"

namespace ligament::device {
namespace {

using conformance::changed_export;
using conformance::export_of;
using conformance::StandIn;
using namespace std::chrono_literals;
using ::testing::HasSubstr;

/// Runs until `condition`, or gives up.
template <typename Condition>
bool eventually(const Condition& condition) {
  for (int i = 0; i < 30'000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

template <typename Message>
pool::EndpointDescription endpoint(const std::string& topic) {
  pool::EndpointDescription description;
  description.topic = topic;
  description.type_name = std::string(MessageTraits<Message>::name);
  description.node = "/board_test";
  description.type_hash = MessageTraits<Message>::type_hash;
  description.qos = QoS(16).profile();
  return description;
}

/// A board with its design loaded, and a topic on each side.
template <typename Message>
struct Bench {
  Bench(const std::string& path, const std::string& artefact, const std::string& in,
        const std::string& out, int patience_ms = 10'000) {
    static int count = 0;
    domain = pool::Domain::join(
                 {.name = "uio" + std::to_string(::getpid()) + "_" + std::to_string(++count),
                  .run_id = "test"})
                 .value();
    waiter = domain->create_waiter().value();
    reader = domain->create_reader(endpoint<Message>("/out"), *waiter).value();
    writer = domain->create_writer(endpoint<Message>("/in")).value();
    begin(path, artefact, {in, out}, patience_ms);
  }
  void begin(const std::string& path, const std::string& artefact,
             const std::array<std::string, 2>& ports, int patience_ms) {
    auto opened =
        device::open("fpga_uio", {path, domain, {{"patience_ms", std::to_string(patience_ms)}}});
    if (!opened) return fail(opened.error());
    device = std::move(*opened);
    const auto loaded = device->load({artefact, "export", {}});
    if (!loaded) return fail(loaded.error());
    for (const auto& [port, topic] : {std::pair{ports[0], "/in"}, std::pair{ports[1], "/out"}}) {
      if (auto bound = device->bind(*loaded, {port, endpoint<Message>(topic), 0}); !bound) {
        return fail(bound.error());
      }
    }
    if (auto started = device->start(); !started) return fail(started.error());
    (void)eventually([&] { return writer->matched_readers() == 1; });
  }
  void fail(const Error& what) { error = what; }
  void send(const Message& message) const {
    using Traits = MessageTraits<Message>;
    const auto layout = Traits::layout_of(message).value();
    auto loan = writer->loan(layout.size, layout.chosen_offset).value();
    (void)Traits::serialize(message, loan.payload()).value();
    (void)writer->publish(std::move(loan));
  }
  /// The next answer, if one comes before an error.
  std::optional<Message> receive() {
    std::optional<Message> found;
    (void)eventually([&] {
      auto taken = reader->take();
      if (taken && taken->has_value()) {
        Message message;
        if (MessageTraits<Message>::deserialize((*taken)->payload(), message)) found = message;
        return true;
      }
      if (auto told = device->take_error()) error = told;
      return error.has_value();
    });
    return found;
  }

  std::shared_ptr<pool::Domain> domain;
  std::unique_ptr<Device> device;
  std::unique_ptr<pool::Waiter> waiter;
  std::unique_ptr<pool::Reader> reader;
  std::unique_ptr<pool::Writer> writer;
  std::optional<Error> error;
};

using std_msgs::msg::String;

String text(const std::string& data) {
  String message;
  message.data = data;
  return message;
}

class Boards : public ::testing::Test {
 protected:
  void SetUp() override {
    if (conformance::boards().empty()) {
      GTEST_SKIP() << "no stand-in was built, this machine has no such thing here: "
                      "tool/tests/export/test_fpga_uio.py builds them and runs this";
    }
  }
  static Bench<String> upper(const StandIn& board, int patience_ms = 10'000) {
    return {board.path(), export_of("upper"), "in", "out", patience_ms};
  }
};

/// Whom it is told about a board that is wrong from the beginning.
struct AtTheStart {
  const char* fault;
  ErrorCode code;
  const char* said;
};

TEST_F(Boards, WhatIsWrongAtTheStartIsRefused) {
  for (const auto& [fault, code, said] :
       {AtTheStart{"identity", ErrorCode::artefact_invalid, "holds the design 0x"},
        AtTheStart{"version", ErrorCode::artefact_invalid, "no design of Ligament is there"},
        AtTheStart{"counts", ErrorCode::device_lost, "says what cannot be"},
        AtTheStart{"refuses", ErrorCode::device_lost, "refuse 0x0ff08"},
        AtTheStart{"restless", ErrorCode::device_lost, "never rests"}}) {
    const StandIn board("upper", {"--fault", fault});
    const auto bench = upper(board);
    ASSERT_TRUE(bench.error) << fault;
    EXPECT_EQ(bench.error->code, code) << bench.error->text;
    EXPECT_THAT(bench.error->text, HasSubstr(said));
    EXPECT_THAT(bench.error->text, HasSubstr(board.path()));
  }
}

TEST_F(Boards, WhatCannotBeIsNotBelieved) {
  for (const char* const fault : {"length", "room", "send", "status", "ends"}) {
    const StandIn board("upper", {"--fault", fault});
    auto bench = upper(board);
    ASSERT_FALSE(bench.error) << bench.error->text;
    bench.send(text("hello"));
    EXPECT_FALSE(bench.receive()) << fault;
    ASSERT_TRUE(bench.error) << fault;
    EXPECT_EQ(bench.error->code, ErrorCode::device_lost) << bench.error->text;
    EXPECT_THAT(bench.error->text, HasSubstr("says what cannot be")) << fault;
    EXPECT_TRUE(eventually([&] { return bench.device->state() == State::lost; }));
  }
}

TEST_F(Boards, ABoardOffItsBusAndAProcessThatEndedAreNamed) {
  for (const auto& [fault, said] :
       {std::pair{"ones", "reads as ones"}, std::pair{"dies", "ended"}}) {
    const StandIn board("upper", {"--fault", fault});
    auto bench = upper(board);
    ASSERT_FALSE(bench.error) << bench.error->text;
    bench.send(text("first"));
    ASSERT_EQ(bench.receive(), text("FIRST")) << fault;
    bench.send(text("second"));
    EXPECT_FALSE(bench.receive()) << fault;
    ASSERT_TRUE(bench.error) << fault;
    EXPECT_EQ(bench.error->code, ErrorCode::device_lost);
    EXPECT_THAT(bench.error->text, HasSubstr(said));
    EXPECT_THAT(bench.error->text, HasSubstr(board.path()));
    EXPECT_TRUE(eventually([&] { return bench.device->state() == State::lost; }));
  }
}

TEST_F(Boards, AKilledStandInCostsThisBoardOnly) {
  StandIn killed("upper");
  const StandIn other("upper");
  auto bench = upper(killed);
  auto second = upper(other);
  ASSERT_FALSE(bench.error || second.error);
  bench.send(text("one"));
  ASSERT_EQ(bench.receive(), text("ONE"));
  killed.kill();
  bench.send(text("two"));
  EXPECT_FALSE(bench.receive());
  ASSERT_TRUE(bench.error);
  EXPECT_THAT(bench.error->text, HasSubstr(killed.path()));
  second.send(text("three"));
  EXPECT_EQ(second.receive(), text("THREE"));
}

TEST_F(Boards, LostInterruptsAreSurvived) {
  const StandIn board("upper", {"--fault", "lose-interrupts"});
  auto bench = upper(board);
  ASSERT_FALSE(bench.error) << bench.error->text;
  for (int i = 0; i < 5; ++i) {
    bench.send(text("message " + std::to_string(i)));
    EXPECT_EQ(bench.receive(), text("MESSAGE " + std::to_string(i)));
  }
}

TEST_F(Boards, ALostDoorbellIsRungAgainOnce) {
  const StandIn board("upper", {"--fault", "lose-doorbell"});
  auto bench = upper(board, 2000);
  ASSERT_FALSE(bench.error) << bench.error->text;
  for (const auto& [sent, expected] :
       {std::pair{"one", "ONE"}, std::pair{"two", "TWO"}, std::pair{"three", "THREE"}}) {
    bench.send(text(sent));
    EXPECT_EQ(bench.receive(), text(expected));
  }
}

TEST_F(Boards, WhoNeverAnswersIsNamedWithWhatIsOwed) {
  const StandIn board("upper", {"--fault", "lose-doorbells"});
  auto bench = upper(board, 200);
  ASSERT_FALSE(bench.error) << bench.error->text;
  bench.send(text("one"));
  EXPECT_FALSE(bench.receive());
  ASSERT_TRUE(bench.error);
  EXPECT_EQ(bench.error->code, ErrorCode::program_failed);
  EXPECT_THAT(bench.error->text, HasSubstr("conformance/upper"));
  EXPECT_THAT(bench.error->text, HasSubstr("input in was not read from memory"));
  EXPECT_EQ(bench.device->state(), State::started);
}

TEST_F(Boards, WhoSaysWhatIsNoMessageWithoutEndIsNamed) {
  const StandIn board("upper", {"--fault", "babbles"});
  auto bench = upper(board);
  ASSERT_FALSE(bench.error) << bench.error->text;
  bench.send(text("one"));
  EXPECT_FALSE(bench.receive());
  ASSERT_TRUE(bench.error);
  EXPECT_EQ(bench.error->code, ErrorCode::program_failed) << bench.error->text;
  EXPECT_THAT(bench.error->text, HasSubstr("its output out gives what is no message, without end"));
  EXPECT_EQ(bench.device->state(), State::started);
}

TEST_F(Boards, WhoseCountersNeverRestIsNamed) {
  const StandIn board("upper", {"--fault", "floods"});
  auto bench = upper(board);
  ASSERT_FALSE(bench.error) << bench.error->text;
  bench.send(text("one"));
  (void)bench.receive();
  ASSERT_TRUE(eventually([&] {
    auto told = bench.device->take_error();
    if (told) bench.error = told;
    return bench.error.has_value();
  }));
  EXPECT_EQ(bench.error->code, ErrorCode::program_failed) << bench.error->text;
  EXPECT_THAT(bench.error->text, HasSubstr("its output out gives messages that nobody asked for"));
  EXPECT_EQ(bench.device->state(), State::started);
}

TEST_F(Boards, TooLittleMemoryIsRefused) {
  const StandIn little("upper", {"--memory", "8192"});
  const auto small = upper(little);
  ASSERT_TRUE(small.error);
  EXPECT_EQ(small.error->code, ErrorCode::memory_refused);
  EXPECT_THAT(small.error->text, HasSubstr("for its longest messages"));
  const StandIn scattered("upper", {"--scattered", "--memory", "1048576"});
  const auto pieces = upper(scattered);
  ASSERT_TRUE(pieces.error);
  EXPECT_THAT(pieces.error->text, HasSubstr("is scattered"));
}

TEST_F(Boards, ATableOfPagesGathersWhatIsScattered) {
  const StandIn board("pages", {"--scattered", "--memory", "1048576"});
  Bench<String> bench(board.path(), export_of("pages"), "in", "out");
  ASSERT_FALSE(bench.error) << bench.error->text;
  for (const std::size_t size : {1U, 4000U, 8000U}) {
    bench.send(text(std::string(size, 'a')));
    EXPECT_EQ(bench.receive(), text(std::string(size, 'A')));
  }
  const StandIn again("pages", {"--scattered", "--memory", "1048576"});
  const std::string few = changed_export("pages", "\"count\": 16384", "\"count\": 5");
  const Bench<String> small(again.path(), few, "in", "out");
  ASSERT_TRUE(small.error);
  EXPECT_EQ(small.error->code, ErrorCode::memory_refused);
  EXPECT_THAT(small.error->text, HasSubstr("has 5 entries"));
}

TEST_F(Boards, ImagesComeBackAsSoftwareMakesThem) {
  using sensor_msgs::msg::Image;
  const StandIn board("threshold");
  Bench<Image> bench(board.path(), export_of("threshold"), "image", "thresholded");
  ASSERT_FALSE(bench.error) << bench.error->text;
  Image image;
  image.header.frame_id = "camera";
  image.encoding = "mono8";
  for (const std::uint32_t width : {1U, 7U, 64U, 333U}) {
    image.width = image.step = width;
    image.height = 48;
    image.data.resize(std::size_t{48} * width);
    for (std::size_t i = 0; i < image.data.size(); ++i) {
      image.data[i] = static_cast<std::uint8_t>(i * 31 + width);
    }
    Image expected = image;
    for (auto& byte : expected.data) byte = byte >= 128 ? 255 : 0;
    bench.send(image);
    EXPECT_EQ(bench.receive(), expected);
  }
}

// --- files in place of a board -------------------------------------------------------------------

class Files : public ::testing::Test {
 protected:
  Files() {
    static int count = 0;
    root_ = std::filesystem::temp_directory_path() /
            ("ligament-uio-" + std::to_string(::getpid()) + "-" + std::to_string(++count));
    places_ = {root_ / "dev", root_ / "uio", root_ / "buffers"};
    write(places_.devices / "uio0", std::string(0x20000, '\0'));
    write(places_.devices / "udmabuf0", std::string(8192, '\0'));
    write(places_.uio / "uio0" / "maps" / "map0" / "size", "0x20000\n");
    write(places_.buffers / "udmabuf0" / "phys_addr", "0x0000000012340000\n");
    write(places_.buffers / "udmabuf0" / "size", "8192\n");
  }
  ~Files() override {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  static void write(const std::filesystem::path& path, const std::string& text) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  [[nodiscard]] Result<fpga_uio::Attachment> attach(const std::string& buffer = "udmabuf0") const {
    return fpga_uio::attach((places_.devices / "uio0").string(), buffer, places_);
  }

  std::filesystem::path root_;
  fpga_uio::Places places_;
};

TEST_F(Files, RegistersAndMemoryAreMapped) {
  for (const char* const other : {"uio10", "uio9"}) {
    write(places_.uio / other / "name", "ligament\n");
  }
  EXPECT_EQ(fpga_uio::first_uio(places_), (places_.devices / "uio0").string());
  std::filesystem::remove_all(places_.uio / "uio0");
  EXPECT_EQ(fpga_uio::first_uio(places_), (places_.devices / "uio9").string());
  write(places_.uio / "uio0" / "maps" / "map0" / "size", "0x20000\n");
  auto board = attach();
  ASSERT_TRUE(board) << board.error().text;
  ASSERT_TRUE(board->registers->write(0x11000, 0x0123'4567'89AB'CDEF));
  EXPECT_EQ(board->registers->read(0x11000).value(), 0x0123'4567'89AB'CDEFU);
  std::ifstream in(places_.devices / "uio0", std::ios::binary);
  in.seekg(0x11000);
  std::uint64_t stored = 0;
  in.read(reinterpret_cast<char*>(&stored), sizeof stored);
  EXPECT_EQ(stored, 0x0123'4567'89AB'CDEFU);
  EXPECT_EQ(board->memory.address_of(0), 0x12340000U);
  EXPECT_EQ(board->memory.address_of(8191), 0x12341FFFU);
}

TEST_F(Files, WhatIsMissingIsNamed) {
  const auto without = attach("");
  ASSERT_FALSE(without);
  EXPECT_THAT(without.error().text, HasSubstr("the setting 'memory'"));
  const auto other = attach("udmabuf7");
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().text, HasSubstr("there is no u-dma-buf 'udmabuf7'"));
  write(places_.uio / "uio0" / "maps" / "map0" / "size", "0x10000\n");
  const auto small = attach();
  ASSERT_FALSE(small);
  EXPECT_THAT(small.error().text, HasSubstr("65536 bytes"));
  const auto none = fpga_uio::attach((root_ / "none").string(), "", places_);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::unavailable);
}

/// Sends what it is told to whoever connects.
TEST_F(Files, AStrangersSocketIsNoStandIn) {
  const std::string path = (root_ / "socket").string();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, path.size());
  const fpga_uio::File listener(::socket(AF_UNIX, SOCK_SEQPACKET, 0));
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  std::thread server([&] {
    const fpga_uio::File client(::accept(listener.get(), nullptr, nullptr));
    const std::array<std::uint64_t, 4> wrong{0x31'4B4E'494C'4749'4CU, 1, 0, 4096};
    (void)!::send(client.get(), wrong.data(), sizeof wrong, MSG_NOSIGNAL);
  });
  const auto board = fpga_uio::attach(path, "", places_);
  server.join();
  ASSERT_FALSE(board);
  EXPECT_THAT(board.error().text, HasSubstr("is no stand-in of this version"));
}

}  // namespace
}  // namespace ligament::device
