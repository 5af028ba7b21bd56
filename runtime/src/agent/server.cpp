// SPDX-License-Identifier: Apache-2.0
#include "agent/server.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

namespace ligament::xrce {

namespace {

constexpr std::int64_t millisecond_ns = 1'000'000;
constexpr int longest_sleep_ms = 1000;

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
    : spin_ns_(options.spin_ns),
      profiles_(std::move(profiles)),
      bus_(with(std::move(options.bus), [this] { flush(); })),
      agent_(std::move(options.agent), bus_, profiles_) {}

Server::~Server() { bus_.stop(); }

void Server::flush() {
  {
    const std::lock_guard lock(mutex_);
    agent_.flush(pool::monotonic_now_ns());
  }
  if (spin_ns_ > 0) {
    spin();
  }
}

void Server::spin() {
  std::int64_t due = 0;
  for (std::int64_t until = 0;; std::this_thread::yield()) {
    const std::lock_guard lock(mutex_);
    // The waiter asks once more before it sleeps: then nothing has moved since.
    if (spun_ == nullptr || (until == 0 && spun_->moved() == moved_) || !spun_->hush()) {
      return;
    }
    const std::int64_t now = pool::monotonic_now_ns();
    if (spun_->has_news()) {
      (void)work_locked(*spun_);
    } else {
      agent_.flush(now);
    }
    due = now >= due ? agent_.tick(now) : due;  // who else would is asleep on the bell
    if (until == 0 || spun_->moved() != moved_) {
      moved_ = spun_->moved();
      until = now + spin_ns_;
    } else if (now >= until) {
      (void)work_locked(*spun_);  // a look after which the core rings again
      return spun_->nudge();
    }
  }
}

int Server::tick() {
  const std::lock_guard lock(mutex_);
  const std::int64_t now = pool::monotonic_now_ns();
  const std::int64_t until = agent_.tick(now) - now;
  return static_cast<int>(
      std::clamp<std::int64_t>(until / millisecond_ns + 1, 0, longest_sleep_ms));
}

bool Server::work(Transport& transport) {
  const std::lock_guard lock(mutex_);
  return work_locked(transport);
}

bool Server::work_locked(Transport& transport) {
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
  return came == Transport::Came::something;
}

void Server::serve(Transport& transport, int stop_fd) {
  {
    const std::lock_guard lock(mutex_);
    spun_ = &transport;
  }
  std::array<pollfd, 2> sources{{{-1, POLLIN, 0}, {stop_fd, POLLIN, 0}}};
  const std::int64_t spin_ns = transport.may_be_polled() ? spin_ns_ : 0;
  std::int64_t awake_until = 0;
  while ((sources[1].revents & POLLIN) == 0) {
    const int sleep_ms = tick();
    {
      const std::lock_guard lock(mutex_);
      sources[0].fd = transport.fd();
      sources[0].events = static_cast<short>(POLLIN | (transport.wants_to_write() ? POLLOUT : 0));
    }
    const bool is_there = sources[0].fd >= 0;
    const bool sleeps = pool::monotonic_now_ns() >= awake_until;
    const int longest_ms = sleeps ? (is_there ? longest_sleep_ms : Transport::pause_ms) : 0;
    (void)::poll(sources.data(), sources.size(), std::min<int>(sleep_ms, longest_ms));
    if (work(transport)) {
      awake_until = spin_ns > 0 ? pool::monotonic_now_ns() + spin_ns : 0;
    } else if (!sleeps) {
      std::this_thread::yield();
    }
  }
  const std::lock_guard lock(mutex_);
  spun_ = nullptr;
  agent_.close(transport);
}

std::vector<ClientFigures> Server::clients() {
  const std::lock_guard lock(mutex_);
  return agent_.clients();
}

}  // namespace ligament::xrce
