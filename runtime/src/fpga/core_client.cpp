// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>
#include <ligament/detail/core_client.hpp>
#include <ligament/detail/pool.hpp>
#include <ligament/fpga_member.hpp>
#include <span>
#include <vector>

#include "node/node_state.hpp"

namespace ligament::fpga {
namespace {

/// How often a server is looked for, and how soon an answer enters that had to wait for its turn.
constexpr std::chrono::milliseconds look_period(10);

/// This thread is in CoreClient::ask: it holds the design's turn.
thread_local bool holds_turn = false;

/// Of a frame that says there is no response: no CDR that is little-endian, so that the core sees a
/// Broken beat alone.
constexpr std::array<std::byte, 8> no_response{};

/// A beat of the widest memory port.
struct alignas(64) Beat {
  std::array<std::byte, 64> bytes{};
};

}  // namespace

CoreClient::CoreClient(Member& member, Design& design, std::size_t entry, ClientLimits limits,
                       Server server)
    : member_(member),
      design_(design),
      entry_(entry),
      limits_(limits),
      server_(std::move(server)) {}

std::shared_ptr<CoreClient> CoreClient::create(Member& member, Design& design, std::size_t entry,
                                               ClientLimits limits, Server server) {
  std::shared_ptr<CoreClient> made(
      new CoreClient(member, design, entry, limits, std::move(server)));
  made->again_ = member.create_wall_timer(look_period, [weak = std::weak_ptr(made)] {
    if (const auto client = weak.lock(); client != nullptr) {
      client->look();
    }
  });
  made->again_->cancel();
  return made;
}

bool CoreClient::is_waiting() const {
  const std::lock_guard lock(mutex_);
  return !calls_.empty() || !put_off_.empty();
}

void CoreClient::ask(std::uint16_t number, std::span<const std::byte> request) {
  const char* const problem = enter(number, request);
  if (problem != nullptr) {
    member_.refuse(problem);
  }
  const bool outer = std::exchange(holds_turn, true);
  send_waiting();
  holds_turn = outer;
}

/// What stands against a request; null: it waits to be sent.
const char* CoreClient::enter(std::uint16_t number, std::span<const std::byte> request) {
  const std::lock_guard lock(mutex_);
  const auto is_it = [number](const auto& one) { return one.number == number; };
  if (std::any_of(calls_.begin(), calls_.end(), is_it) ||
      std::any_of(put_off_.begin(), put_off_.end(), is_it)) {
    return "it asks with the number of a request that has no response yet";
  }
  if (calls_.size() + put_off_.size() >= limits_.in_flight) {
    put_off_.push_back({number, nullptr});
    again_->reset();
    return "it has more requests open than its manifest says (in_flight)";
  }
  calls_.push_back({number,
                    pool::monotonic_now_ns() + limits_.time_limit.count(),
                    {request.begin(), request.end()}});
  return nullptr;
}

/// In the order in which they were asked.
void CoreClient::send_waiting() {
  const auto waits = [](const Call& call) { return !call.is_sent; };
  const bool is_ready = server_.is_ready();
  for (;;) {
    Call next;
    {
      const std::lock_guard lock(mutex_);
      const auto found = std::find_if(calls_.begin(), calls_.end(), waits);
      if (found == calls_.end()) {
        return;
      }
      if (!is_ready) {
        again_->reset();
        return;
      }
      found->is_sent = true;
      next = {found->number, found->limit_ns, std::move(found->request), true};
    }
    send(std::move(next));
  }
}

/// The mutex is free: the response may be quicker than this thread.
void CoreClient::send(Call call) {
  const std::int64_t left = std::max<std::int64_t>(1, call.limit_ns - pool::monotonic_now_ns());
  const bool is_request =
      server_.send(call.request, std::chrono::nanoseconds(left),
                   [weak = weak_from_this(), number = call.number](Stored response) {
                     if (const auto client = weak.lock(); client != nullptr) {
                       client->answered(number, std::move(response));
                     }
                   });
  if (!is_request) {
    member_.refuse("its request breaks the layout of the message");
    answered(call.number, nullptr);
  }
}

void CoreClient::answered(std::uint16_t number, Stored response) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(calls_.begin(), calls_.end(),
                                    [number](const Call& call) { return call.number == number; });
    if (found == calls_.end()) {
      return;
    }
    calls_.erase(found);  // the core may use the number again as soon as it has this
  }
  if (holds_turn) {
    put_off({number, std::move(response)});
  } else {
    deliver({number, std::move(response)});
  }
}

void CoreClient::put_off(Answer&& answer) {
  const std::lock_guard lock(mutex_);
  put_off_.push_back(std::move(answer));
  again_->reset();
}

/// In a trace what the core makes of it goes back to the response, whose callback this is.
void CoreClient::deliver(const Answer& answer) {
  const bool is_there = answer.response != nullptr;
  const std::span<const std::byte> said = is_there ? std::span(*answer.response) : no_response;
  // A design reads whole beats, which a block of the pool has, and a response may not.
  const auto beats =
      std::make_shared<std::vector<Beat>>((said.size() + sizeof(Beat) - 1) / sizeof(Beat));
  std::memcpy(beats->data(), said.data(), said.size());
  Arrival arrival{.entry = entry_,
                  .kind = is_there ? FrameKind::response : FrameKind::no_response,
                  .message = {reinterpret_cast<const std::byte*>(beats->data()), said.size()},
                  .sequence = answer.number,
                  .time_ns = member_.now().nanoseconds(),
                  .keep = beats};
  design_.take(member_, std::move(arrival), ligament::detail::CallbackScope::running_message());
}

void CoreClient::look() {
  std::vector<Answer> due;
  std::size_t given_up = 0;
  {
    const std::lock_guard lock(mutex_);
    again_->cancel();
    due.swap(put_off_);
    const std::int64_t now = pool::monotonic_now_ns();
    given_up = std::erase_if(calls_, [&](const Call& call) {
      const bool is_late = !call.is_sent && now >= call.limit_ns;
      if (is_late) {
        due.push_back({call.number, nullptr});
      }
      return is_late;
    });
  }
  for (; given_up > 0; --given_up) {
    server_.give_up();
  }
  send_waiting();
  for (const Answer& answer : due) {
    deliver(answer);
  }
}

}  // namespace ligament::fpga
