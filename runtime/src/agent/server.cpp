// SPDX-License-Identifier: Apache-2.0
#include "agent/server.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace ligament::xrce {

namespace {

constexpr std::int64_t millisecond_ns = 1'000'000;
constexpr std::int64_t longest_sleep_ms = 1000;

std::int64_t real_now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

PoolBus::Options with(PoolBus::Options options, std::function<void()> on_samples) {
  options.on_samples = std::move(on_samples);
  return options;
}

}  // namespace

expected<std::unique_ptr<Server>, std::string> Server::make(ServerOptions options) {
  auto profiles = options.profiles.empty() ? Profiles() : Profiles::parse(options.profiles);
  if (!profiles) {
    return unexpected<std::string>("the file of profiles is no XML");
  }
  const int domain = options.agent.domain;
  auto server = std::unique_ptr<Server>(new Server(std::move(options), std::move(*profiles)));
  const auto joined = server->bus_.join(domain);
  return joined ? expected<std::unique_ptr<Server>, std::string>(std::move(server))
                : unexpected<std::string>(joined.error());
}

Server::Server(ServerOptions options, Profiles profiles)
    : profiles_(std::move(profiles)),
      bus_(with(std::move(options.bus), [this] { flush(); })),
      agent_(std::move(options.agent), bus_, profiles_) {}

Server::~Server() { bus_.stop(); }

void Server::flush() {
  const std::lock_guard lock(mutex_);
  agent_.flush(pool::monotonic_now_ns());
}

int Server::tick() {
  const std::lock_guard lock(mutex_);
  const std::int64_t now = pool::monotonic_now_ns();
  const std::int64_t until = agent_.tick(now) - now;
  return static_cast<int>(
      std::clamp<std::int64_t>(until / millisecond_ns + 1, 0, longest_sleep_ms));
}

void Server::serve(UdpLink& link, int stop_fd) {
  std::array<pollfd, 2> sources{{{link.fd(), POLLIN, 0}, {stop_fd, POLLIN, 0}}};
  while ((sources[1].revents & POLLIN) == 0) {
    (void)::poll(sources.data(), sources.size(), tick());
    const std::lock_guard lock(mutex_);
    const std::int64_t now = pool::monotonic_now_ns();
    const std::int64_t real = real_now_ns();
    const bool has_some = link.receive([&](const Address& from, Bytes message) {
      agent_.receive(link, from, message, now, real);
    });
    if (has_some) {
      agent_.flush(now);
    }
  }
  const std::lock_guard lock(mutex_);
  agent_.close(link);
}

std::vector<ClientFigures> Server::clients() {
  const std::lock_guard lock(mutex_);
  return agent_.clients();
}

}  // namespace ligament::xrce
