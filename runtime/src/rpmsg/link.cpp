// SPDX-License-Identifier: Apache-2.0
#include "rpmsg/link.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "rpmsg/fault.hpp"
#include "rpmsg/table.hpp"

namespace ligament::rpmsg {

Link::Link(const Area& area, std::unique_ptr<Bell> bell, Handlers handlers, Options options)
    : area_(area),
      bell_(std::move(bell)),
      handlers_(std::move(handlers)),
      options_(options),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      again_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      to_host_(area, Ring::Direction::to_host),
      to_core_(area, Ring::Direction::to_core),
      slab_(area) {
  watch(again_, EPOLL_CTL_ADD);
  if (bell_) {
    watch(bell_->fd(), EPOLL_CTL_ADD);
  }
  // A core that is running already knows another host: it must learn of us first.
  session_ = load(area_.control().host.session);
  begin_session();
  wake_self();
}

Link::~Link() {
  store(area_.control().host.boot, 0);  // the rings are nobody's
  begin_session();
  ::close(epoll_);
  ::close(again_);
}

void Link::watch(int fd, int operation) const {
  epoll_event event{};
  event.events = EPOLLIN;
  ::epoll_ctl(epoll_, operation, fd, &event);
}

void Link::wake_self() const {
  is_again_ = true;
  const std::uint64_t once = 1;
  [[maybe_unused]] const auto written = ::write(again_, &once, sizeof once);
}

void Link::attach(std::unique_ptr<Bell> bell) {
  if (bell_) {
    watch(bell_->fd(), EPOLL_CTL_DEL);
  }
  bell_ = std::move(bell);
  watch(bell_->fd(), EPOLL_CTL_ADD);
  ring_always();
  wake_self();
}

/// The status first: a core that sees the session must not see the old rings' DRIVER_OK.
void Link::begin_session() {
  std::atomic_ref(area_.table().device.status).store(0, std::memory_order_release);
  session_ = session_ + 1;
  store(area_.control().host.wants, 0);
  store(area_.control().bell_to_host, 0);
  store(area_.control().host.session, session_);
  ring_always();
}

void Link::ring_bell() {
  fence();  // what we wrote, then the look: the core clears the word, then looks
  if (load(area_.control().bell_to_core) == 0) {
    ring_always();
  }
}

void Link::ring_always() {
  store(area_.control().bell_to_core, 1);
  if (bell_) {
    bell_->ring();
  }
}

void Link::work() {
  if (std::exchange(is_again_, false)) {
    std::uint64_t times = 0;
    [[maybe_unused]] const auto read = ::read(again_, &times, sizeof times);
  }
  const bool gone = bell_ && bell_->clear() == Bell::Heard::gone;
  store(area_.control().bell_to_host, 0);
  fence();  // then look: the core writes, then reads the word
  follow();
  if (phase_ == Phase::running) {
    receive();
  }
  if (phase_ == Phase::running && wants_ != 0) {
    tell_room();
  }
  if (gone) {  // last: what it had sent before is taken
    watch(bell_->fd(), EPOLL_CTL_DEL);
    bell_.reset();
    lose(Phase::dead, "the core is gone");
  }
}

/// A bell that counts as rung is not rung (section 5).
bool Link::hush() {
  if (phase_ != Phase::running || !bell_) {
    return false;
  }
  auto& word = area_.control().bell_to_host;
  if (load(word) == 0) {
    store(word, 1);
  }
  return true;
}

bool Link::has_news() const {
  const auto& core = area_.control().core;
  return wants_ != 0 || to_host_.has_used() || load(core.boot) != boot_ ||
         load(core.state) != LIGAMENT_RPMSG_RUNNING;
}

void Link::tell_room() {
  reclaim();
  const bool buffers = (wants_ & LIGAMENT_RPMSG_WANTS_BUFFERS) != 0 && !free_.empty();
  const bool extents = (wants_ & LIGAMENT_RPMSG_WANTS_EXTENTS) != 0 && slab_.collect();
  if (running() && (buffers || extents)) {
    wants_ = 0;
    store(area_.control().host.wants, 0);
    handlers_.room ? handlers_.room() : void();
  }
}

void Link::follow() {
  auto& core = area_.control().core;
  const std::uint32_t boot = load(core.boot);
  const std::uint32_t state = load(core.state);
  if (boot != boot_) {
    lose(Phase::absent, "the core has started anew");
    boot_ = boot;
    phase_ = Phase::absent;
    ++figures_.starts;
  }
  if (phase_ != Phase::dead && boot_ != 0) {
    follow_state(state, load(core.session) == session_);
  }
}

void Link::follow_state(std::uint32_t state, bool knows_us) {
  switch (state) {
    case LIGAMENT_RPMSG_WAITING:
      if (phase_ == Phase::running) {
        lose(Phase::absent, "the core waits for a new host");
        begin_session();
      } else if (!knows_us) {
        ring_bell();
      } else if (phase_ == Phase::absent) {
        offer();
      }
      return;
    case LIGAMENT_RPMSG_RUNNING:
      if (!knows_us) {
        ring_bell();
      } else if (phase_ == Phase::offered) {
        start();
      }
      return;
    case LIGAMENT_RPMSG_BROKEN:
      if (phase_ != Phase::absent) {
        lose(Phase::absent, "the core does not trust our rings");
        begin_session();
      }
      return;
    case LIGAMENT_RPMSG_CRASHED: {
      auto& fault = area_.control().core.fault;
      return lose(Phase::dead, why_crashed({load(fault.kind), load(fault.at), load(fault.with)}));
    }
    default:
      // Between its new boot and *waiting* a core is offline, too: it has not come yet.
      return phase_ == Phase::absent ? void() : lose(Phase::dead, "the core has stopped");
  }
}

void Link::offer() {
  ligament_rpmsg_table_t table;
  std::memcpy(&table, &area_.table(), sizeof table);
  const std::string refused = why_refused(table, area_.map());
  if (!refused.empty()) {
    phase_ = Phase::dead;
    why_dead_ = refused;
    ++figures_.breaches;
    handlers_.down ? handlers_.down(refused) : void();
    return;
  }
  features_ = table.device.offered & options_.features;
  if (raw()) {
    features_ = LIGAMENT_RPMSG_F_RAW;  // nothing in a raw message could say that it is large
  }
  to_host_.reset();
  to_core_.reset();
  slab_.reset();
  free_.clear();
  for (std::uint32_t id = area_.map().count; id-- > 0;) {
    free_.push_back(static_cast<std::uint16_t>(id));
  }
  for (std::uint32_t id = 0; id < area_.map().count; ++id) {
    to_host_.give(static_cast<std::uint16_t>(id), area_.map().buffer_size);
  }
  to_host_.publish();
  auto& device = area_.table().device;
  store(device.accepted, features_);
  store(area_.control().host.boot, boot_);
  std::atomic_ref(device.status)
      .store(LIGAMENT_VIRTIO_ACKNOWLEDGE | LIGAMENT_VIRTIO_DRIVER | LIGAMENT_VIRTIO_FEATURES_OK |
                 LIGAMENT_VIRTIO_DRIVER_OK,
             std::memory_order_release);
  phase_ = Phase::offered;
  ring_always();
}

void Link::start() {
  phase_ = Phase::running;
  in_parts_ = false;
  wants_ = 0;
  handlers_.up ? handlers_.up() : void();
}

void Link::lose(Phase phase, const std::string& why) {
  const bool was_up = phase_ == Phase::running;
  phase_ = phase;
  why_dead_ = phase == Phase::dead ? why : "";
  channels_.clear();
  if (was_up && handlers_.down) {
    handlers_.down(why);
    wake_self();  // it may have been in a `send`: who waits for `fd` shall know
  }
}

void Link::breach(Breach what) {
  ++figures_.breaches;
  // It may be a core that scribbles: it is not to look at our rings any more.
  std::atomic_ref(area_.table().device.status).store(0, std::memory_order_release);
  lose(Phase::dead, "the core broke a rule: " + std::string(what));
  ring_bell();
}

}  // namespace ligament::rpmsg
