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

void Server::work(Transport& transport) {
  const std::lock_guard lock(mutex_);
  const std::int64_t now = pool::monotonic_now_ns();
  const std::int64_t real = real_now_ns();
  const auto came = transport.work([&](const Address& from, Bytes message) {
    agent_.receive(transport, from, message, now, real);
  });
  if (came == Transport::Came::end) {
    agent_.close(transport);
  } else if (came == Transport::Came::something) {
    agent_.flush(now);
  }
}

void Server::serve(Transport& transport, int stop_fd) {
  std::array<pollfd, 2> sources{{{-1, POLLIN, 0}, {stop_fd, POLLIN, 0}}};
  while ((sources[1].revents & POLLIN) == 0) {
    const int sleep_ms = tick();
    {
      const std::lock_guard lock(mutex_);
      sources[0].fd = transport.fd();
      sources[0].events = static_cast<short>(POLLIN | (transport.wants_to_write() ? POLLOUT : 0));
    }
    const bool is_there = sources[0].fd >= 0;
    (void)::poll(sources.data(), sources.size(),
                 is_there ? sleep_ms : std::min(sleep_ms, Transport::pause_ms));
    work(transport);
  }
  const std::lock_guard lock(mutex_);
  agent_.close(transport);
}

std::vector<ClientFigures> Server::clients() {
  const std::lock_guard lock(mutex_);
  return agent_.clients();
}

}  // namespace ligament::xrce
