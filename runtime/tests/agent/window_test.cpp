// SPDX-License-Identifier: Apache-2.0
/// The client's reliable streams, message by message: what is sent again, what is given up.
#include <gtest/gtest.h>

#include <cstring>

#include "fake_wire.hpp"
#include "requests.hpp"

namespace ligament::xrce::test {
namespace {

constexpr const char* string_type = "std_msgs::msg::dds_::String_";

/// A port that counts how often each number of the reliable stream is sent.
struct Counted : FakeWire::Port {
  std::map<std::uint16_t, int> times;

  explicit Counted(const FakeWire::Port& port) : FakeWire::Port(port) {}
  [[nodiscard]] ligament_port_t counting() {
    ligament_port_t port = FakeWire::port(*this);
    port.send = [](void* context, const std::uint8_t* message, std::size_t size) {
      auto& self = static_cast<Counted&>(*static_cast<FakeWire::Port*>(context));
      if (message[1] == first_reliable) {
        ++self.times[static_cast<std::uint16_t>(message[2] | message[3] << 8)];
      }
      return FakeWire::port(self).send(context, message, size);
    };
    return port;
  }
};

TEST(Window, OnlyWhatIsMissingIsSentAgain) {
  FakeWire wire;
  Board board(wire);
  ASSERT_EQ(board.open(), 0);
  ligament_publisher_t publisher;
  ASSERT_EQ(ligament_publisher_create(&publisher, &board.node, "/chatter", string_type,
                                      ligament_qos_reliable(10)),
            0);
  ASSERT_EQ(ligament_session_flush(&board.session, 1000), 0);
  Counted counted(board.port);
  board.session.options.port = counted.counting();
  const std::uint16_t first = board.session.out.next;
  constexpr unsigned count = 8;  // the window
  const auto is_lost = [](unsigned number) { return number == 2 || number == 5; };
  for (unsigned i = 0; i < count; ++i) {
    wire.is_cut = is_lost(i);
    ASSERT_EQ(ligament_publish(&publisher, &i, sizeof i), 0);
  }
  ASSERT_EQ(ligament_session_flush(&board.session, 20'000), 0);
  ASSERT_EQ(wire.bus.published["/chatter"].size(), count);
  for (unsigned i = 0; i < count; ++i) {
    const int times = counted.times[static_cast<std::uint16_t>(first + i)];
    EXPECT_EQ(times == 1, !is_lost(i)) << i << " was sent " << times << " times";
  }
}

/// An agent that says what it sends, to a client that is up to date.
struct Sending {
  FakeWire wire;
  Board board{wire};
  ligament_subscription_t subscription{};
  std::vector<std::vector<std::uint8_t>> got;
  std::uint16_t next = 0;

  void open() {
    ASSERT_EQ(board.open(), 0);
    const auto take = [](void* self, ligament_cdr_t* body) {
      static_cast<Sending*>(self)->got.emplace_back(body->bytes, body->bytes + body->size);
    };
    ASSERT_EQ(ligament_subscription_create(&subscription, &board.node, "/in", string_type,
                                           ligament_qos_reliable(10), {take, this}),
              0);
    ASSERT_EQ(ligament_session_flush(&board.session, 1000), 0);
    next = board.session.in.next;
  }
  void tell(std::uint8_t stream, std::uint16_t sequence, const Message& submessages) {
    const Message message = with_header({board.session.id, stream, sequence, {}}, submessages);
    const Bytes piece(message);
    wire.send(board.port.address, std::span(&piece, 1));
    for (int i = 0; i < 10; ++i) {
      ASSERT_EQ(ligament_session_run(&board.session, 1), 0);
    }
  }
  void fragment(const Message& piece, bool is_last) {
    Message part;
    write_subheader(part, Submessage::fragment, is_last ? flag::last_fragment : std::uint8_t{0},
                    piece.size());
    part.insert(part.end(), piece.begin(), piece.end());
    tell(first_reliable, next++, part);
  }
  /// A sample for the subscription.
  [[nodiscard]] Message sample(std::size_t size, int value) const {
    const auto number = static_cast<unsigned>(subscription.entity.number);
    Message whole;
    PartWriter part(whole, Submessage::data);
    write_request(part.payload(), {1, object(number, Kind::reader)});
    part.payload().bytes(Message(size, static_cast<std::byte>(value)));
    part.finish();
    return whole;
  }
};

TEST(Window, FragmentsWhoseEndIsForgottenDoNotSpoilTheNext) {
  Sending sending;
  ASSERT_NO_FATAL_FAILURE(sending.open());
  const auto in_two = [&](const Message& whole) {
    const auto middle = whole.begin() + 160;
    sending.fragment(Message(whole.begin(), middle), false);
    sending.fragment(Message(middle, whole.end()), true);
  };
  in_two(sending.sample(300, 7));
  ASSERT_EQ(sending.got, std::vector(1, std::vector<std::uint8_t>(300, 7)));
  sending.fragment(Message(100, std::byte{0x55}), false);
  ++sending.next;  // the agent has it no more: its heartbeat begins behind it
  Message heartbeat;
  write_heartbeat(heartbeat,
                  {sending.next, static_cast<std::uint16_t>(sending.next - 1), first_reliable});
  sending.tell(no_stream, 0, heartbeat);
  in_two(sending.sample(280, 9));
  ASSERT_EQ(sending.got.size(), 2U);
  EXPECT_EQ(sending.got[1], std::vector<std::uint8_t>(280, 9));
}

}  // namespace
}  // namespace ligament::xrce::test
