// SPDX-License-Identifier: Apache-2.0
/// The firmware's client, with an agent that says anything.
///
/// The client has no heap, so all that it is lies in one struct. Without sanitizers it connects
/// once, and each input begins with a copy of that: several times as many executions. With them its
/// memory is on the heap, made anew for each input: what is written behind it is seen.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "pieces.hpp"

extern "C" {
#include "ligament/xrce.h"
}

namespace {

constexpr std::size_t mtu = 128;
constexpr std::uint8_t slots = 4;
constexpr std::size_t assembly_size = 600;
#if defined(__has_feature) && __has_feature(address_sanitizer)
constexpr bool is_sanitized = true;
#else
constexpr bool is_sanitized = false;
#endif

/// First answers as an agent does, then what the input says.
struct FakeAgent {
  std::span<const std::uint8_t> input;
  std::int64_t now = 0;
  bool is_polite = true;
  /// What it has not said yet, while it is polite; one after the other.
  std::array<std::array<std::uint8_t, 14>, 32> answers{};
  std::size_t count = 0;

  void say(const std::array<std::uint8_t, 14>& answer) {
    if (count == answers.size()) {
      __builtin_trap();
    }
    answers[count++] = answer;
  }

  static int send(void* context, const std::uint8_t* message, std::size_t size) {
    auto& self = *static_cast<FakeAgent*>(context);
    if (size > mtu) {
      __builtin_trap();
    }
    if (self.is_polite && message[4] == 0) {  // CREATE_CLIENT: its session id is at 20
      self.say({message[20], 0, 0, 0, 4, 1, 2, 0, 0, 0});
    } else if (self.is_polite && message[4] == 1) {  // CREATE: STATUS ok for its request
      const auto number = static_cast<std::uint8_t>(self.statuses++);
      self.say({message[0], 0x80, number, 0, 5, 1, 6, 0, message[8], message[9], message[10],
                message[11], 0, 0});
    }
    if (self.is_polite && message[1] == 0x80) {  // ACKNACK
      const auto next = static_cast<std::uint8_t>(message[2] + 1);
      self.say({message[0], 0, 0, 0, 10, 1, 5, 0, next, 0, 0, 0, 0x80});
    }
    return 0;
  }
  static int receive(void* context, std::uint8_t* message, std::size_t capacity,
                     std::uint32_t wait_ms) {
    auto& self = *static_cast<FakeAgent*>(context);
    self.now += 500 + wait_ms * 1000;
    std::span<const std::uint8_t> piece;
    std::array<std::uint8_t, 14> answer{};
    if (self.count != 0) {
      answer = self.answers[0];
      std::copy(self.answers.begin() + 1, self.answers.end(), self.answers.begin());
      --self.count;
      piece = std::span(answer).first(8U + answer[6]);  // header, subheader, body
    } else if (!self.is_polite) {
      piece = ligament::xrce::test::next_piece(self.input);
    }
    if (piece.size() > capacity) {
      return 0;
    }
    if (!piece.empty()) {
      std::memcpy(message, piece.data(), piece.size());
    }
    return static_cast<int>(piece.size());
  }
  static std::int64_t clock(void* context) { return ++static_cast<FakeAgent*>(context)->now; }
  unsigned statuses = 0;
};

struct User {
  ligament_server_t server{};
  ligament_publisher_t publisher{};
  std::uint64_t sum = 0;
};

void on_message(void* context, ligament_cdr_t* body) {
  auto& user = *static_cast<User*>(context);
  char text[40];
  ligament_cdr_get_text(body, text, sizeof text);
  std::uint32_t values[8];
  ligament_cdr_get_values(body, values, ligament_cdr_get_count(body, 8), 4);
  for (std::size_t i = 0; i < body->size; ++i) {
    user.sum += body->bytes[i];
  }
  (void)ligament_publish(&user.publisher, body->bytes, body->size);
}
void on_request(void* context, const ligament_request_id_t* id, ligament_cdr_t* request) {
  auto& user = *static_cast<User*>(context);
  (void)ligament_server_reply(&user.server, id, request->bytes, request->size);
}
void on_reply(void* context, std::uint16_t, ligament_cdr_t* reply) { on_message(context, reply); }

/// A client that is connected and has one of each, but for its memory.
struct World {
  FakeAgent agent;
  ligament_session_t session{};
  User user;
  ligament_node_t node{};
  ligament_subscription_t subscription{};
  ligament_client_t client{};

  void connect(std::uint8_t* memory, std::uint8_t* assembly) {
    auto options = ligament_session_defaults(
        {&agent, &FakeAgent::send, &FakeAgent::receive, &FakeAgent::clock}, 7);
    options.memory = memory;
    options.mtu = mtu;
    options.out_slots = slots;
    options.in_slots = slots;
    options.assembly = assembly;
    options.assembly_size = assembly_size;
    options.block_ms = 3;
    options.lost_after_ms = 0;
    const ligament_service_types_t types{"q", "r"};
    const auto qos = ligament_qos_reliable(1);
    const bool is_made =
        ligament_session_open(&session, &options) == 0 &&
        ligament_node_create(&node, &session, "/n") == 0 &&
        ligament_publisher_create(&user.publisher, &node, "/p", "t", qos) == 0 &&
        ligament_subscription_create(&subscription, &node, "/s", "t", qos, {&on_message, &user}) ==
            0 &&
        ligament_server_create(&user.server, &node, "/v", types, {&on_request, &user}) == 0 &&
        ligament_client_create(&client, &node, "/c", types, {&on_reply, &user}) == 0;
    if (!is_made) {
      __builtin_trap();
    }
    agent.is_polite = false;
  }
  void hear(std::span<const std::uint8_t> input) {
    agent.input = input;
    while (agent.input.size() >= 2) {
      (void)ligament_session_run(&session, 1);
    }
    (void)ligament_client_call(&client, "x", 1);
    (void)ligament_session_run(&session, 1);
  }
};

/// With its memory.
struct Whole {
  World world;
  std::array<std::uint8_t, LIGAMENT_MEMORY_SIZE(mtu, slots, slots)> memory;
  std::array<std::uint8_t, assembly_size> assembly;
};
static_assert(std::is_trivially_copyable_v<Whole>);

/// At one place: its parts point to each other.
void hear_from_a_copy(std::span<const std::uint8_t> input) {
  static Whole whole{};
  static const Whole connected = [] {
    whole.world.connect(whole.memory.data(), whole.assembly.data());
    return whole;
  }();
  std::memcpy(&whole, &connected, sizeof whole);
  whole.world.hear(input);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if constexpr (is_sanitized) {
    std::vector<std::uint8_t> memory(LIGAMENT_MEMORY_SIZE(mtu, slots, slots));
    std::vector<std::uint8_t> assembly(assembly_size);
    World world;
    world.connect(memory.data(), assembly.data());
    world.hear({data, size});
  } else {
    hear_from_a_copy({data, size});
  }
  return 0;
}
