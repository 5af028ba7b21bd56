// SPDX-License-Identifier: Apache-2.0
#include "container/move_channel.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ligament/detail/pool.hpp>
#include <utility>
#include <vector>

namespace ligament::container {
namespace {

constexpr std::uint32_t most_bytes = std::uint32_t{1} << 28;
/// For what is there already.
constexpr std::int64_t answer_at_once_ns = 1'000'000;
/// How often a wait looks whether the container shall stop.
constexpr std::int64_t look_ns = 50'000'000;

unexpected<std::string> failed(std::string text) {
  return unexpected<std::string>(std::move(text));
}

std::string system_text(const char* what) {
  return std::string(what) + ": " + std::strerror(errno);
}

}  // namespace

MoveChannel::MoveChannel(int descriptor, std::function<bool()> is_asked_to_stop)
    : descriptor_(descriptor), is_asked_to_stop_(std::move(is_asked_to_stop)) {}

MoveChannel::~MoveChannel() { ::close(descriptor_); }

expected<void, std::string> MoveChannel::send(const nlohmann::json& message) {
  const std::vector<std::uint8_t> body = nlohmann::json::to_cbor(message);
  if (body.size() > most_bytes) {
    return failed("what the node hands over has " + std::to_string(body.size()) +
                  " bytes; at most " + std::to_string(most_bytes) + " can be");
  }
  const auto length = static_cast<std::uint32_t>(body.size());
  std::vector<std::uint8_t> bytes(sizeof length);
  std::memcpy(bytes.data(), &length, sizeof length);
  bytes.insert(bytes.end(), body.begin(), body.end());
  for (std::size_t done = 0; done < bytes.size();) {
    const auto sent = ::send(descriptor_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR) {
      const std::string why = system_text("the other container cannot be told");
      const auto last = receive(answer_at_once_ns);  // it may have said no, and gone
      return failed(last ? why : last.error());
    }
    done += sent < 0 ? 0 : static_cast<std::size_t>(sent);
  }
  return {};
}

expected<void, std::string> MoveChannel::read_all(void* to, std::size_t bytes,
                                                  std::int64_t deadline_ns) {
  auto* const at = static_cast<std::uint8_t*>(to);
  for (std::size_t done = 0; done < bytes;) {
    const std::int64_t left = deadline_ns - pool::monotonic_now_ns();
    if (left <= 0) {
      return failed("the other container did not answer in time");
    }
    if (is_asked_to_stop_()) {
      return failed("this container was asked to stop meanwhile");
    }
    pollfd event{descriptor_, POLLIN, 0};
    if (::poll(&event, 1, static_cast<int>(std::min(left, look_ns) / 1'000'000 + 1)) == 0) {
      continue;
    }
    const auto got = ::recv(descriptor_, at + done, bytes - done, MSG_DONTWAIT);
    if (got == 0) {
      return failed("the other container has ended the move, or has ended");
    }
    if (got < 0 && errno != EINTR && errno != EAGAIN) {
      return failed(system_text("the other container cannot be heard"));
    }
    done += got < 0 ? 0 : static_cast<std::size_t>(got);
  }
  return {};
}

expected<nlohmann::json, std::string> MoveChannel::receive(std::int64_t patience_ns) {
  const std::int64_t deadline = pool::monotonic_now_ns() + patience_ns;
  std::uint32_t length = 0;
  if (auto read = read_all(&length, sizeof length, deadline); !read) {
    return failed(read.error());
  }
  if (length > most_bytes) {
    return failed("the other container speaks of a message of " + std::to_string(length) +
                  " bytes; at most " + std::to_string(most_bytes) + " can be");
  }
  std::vector<std::uint8_t> body(length);
  if (auto read = read_all(body.data(), body.size(), deadline); !read) {
    return failed(read.error());
  }
  auto message = nlohmann::json::from_cbor(body, true, false);
  if (!message.is_object() || !message.contains("step") || !message["step"].is_string()) {
    return failed("the other container sent what is no message of a move");
  }
  if (message["step"] == "no") {
    const auto& text = message["text"];
    return failed(text.is_string() ? text.get<std::string>() : "the other container said no");
  }
  return expected<nlohmann::json, std::string>(std::move(message));
}

expected<nlohmann::json, std::string> MoveChannel::receive(const std::string& step,
                                                           std::int64_t patience_ns) {
  auto message = receive(patience_ns);
  if (message && (*message)["step"] != step) {
    return failed("the other container sent '" + (*message)["step"].get<std::string>() +
                  "' where '" + step + "' was expected");
  }
  return message;
}

void MoveChannel::refuse(const std::string& text) {
  (void)send({{"step", "no"}, {"text", text}});  // one that is gone needs no answer
}

}  // namespace ligament::container
