// SPDX-License-Identifier: Apache-2.0
#include "agent/rpmsg.hpp"

#include <cstring>

#include "rpmsg/qtest_bell.hpp"

namespace ligament::xrce {

expected<std::unique_ptr<RpmsgTransport>, std::string> RpmsgTransport::open(RpmsgOptions options) {
  const auto area = rpmsg::Area::open(options.memory, options.offset, options.map);
  if (!area) {
    return unexpected<std::string>(area.error());
  }
  auto bell = connect(options, *area);
  return std::make_unique<RpmsgTransport>(std::move(options), *area, std::move(bell));
}

std::unique_ptr<rpmsg::Bell> RpmsgTransport::connect(const RpmsgOptions& options,
                                                     const rpmsg::Area& area) {
  if (options.qtest.empty()) {
    return rpmsg::SocketBell::connect(options.bell.c_str());
  }
  return rpmsg::QtestBell::connect({options.bell, options.qtest, options.core},
                                   area.control().line_to_core);
}

RpmsgTransport::RpmsgTransport(RpmsgOptions options, const rpmsg::Area& area,
                               std::unique_ptr<rpmsg::Bell> bell)
    : options_(std::move(options)),
      area_(area),
      link_(area, std::move(bell),
            {[this] { say("the core runs"); }, [this](const std::string& why) { down(why); },
             [this](const rpmsg::Channel& said, bool there) { channel(said, there); },
             [this](std::uint32_t from, std::uint32_t to, Bytes data) { message(from, to, data); },
             nullptr}) {}

void RpmsgTransport::say(const std::string& text) const {
  if (options_.log) {
    options_.log(text);
  }
}

void RpmsgTransport::down(const std::string& why) {
  ended_ = true;
  say(why);
}

/// The first message is empty: by it the core's endpoint learns where we are.
void RpmsgTransport::channel(const rpmsg::Channel& channel, bool there) {
  if (channel.name != options_.channel) {
    return;
  }
  if (!there) {
    ended_ = true;
  } else if (link_.send(local, channel.address, {}) != rpmsg::SendStatus::ok) {
    ++lost_;
  }
}

void RpmsgTransport::message(std::uint32_t from, std::uint32_t to, Bytes data) {
  if (to != local || take_ == nullptr) {
    return;
  }
  Address address(sizeof from);
  std::memcpy(address.data(), &from, sizeof from);
  (*take_)(address, data);
}

void RpmsgTransport::send(const Address& to, std::span<const Bytes> pieces) {
  std::uint32_t address = 0;
  if (to.size() != sizeof address) {
    return;
  }
  std::memcpy(&address, to.data(), sizeof address);
  if (link_.send(local, address, pieces) != rpmsg::SendStatus::ok) {
    ++lost_;
  }
}

/// Of the slab.
class RpmsgTransport::Memory : public LinkMemory {
 public:
  Memory(std::weak_ptr<RpmsgTransport*> owner, std::uint32_t to, const rpmsg::Link::Loan& loan)
      : owner_(std::move(owner)), to_(to), loan_(loan) {}
  ~Memory() override {
    if (const auto owner = owner_.lock()) {
      (*owner)->link_.give_back(loan_);
    }
  }
  std::span<std::byte> bytes() override { return loan_.bytes; }
  void send() override {
    const auto owner = owner_.lock();
    if (owner && (*owner)->link_.send(local, to_, loan_) != rpmsg::SendStatus::ok) {
      ++(*owner)->lost_;
    }
  }

 private:
  std::weak_ptr<RpmsgTransport*> owner_;
  std::uint32_t to_;
  rpmsg::Link::Loan loan_;
};

std::unique_ptr<LinkMemory> RpmsgTransport::lend(const Address& to, std::size_t size) {
  std::uint32_t address = 0;
  const auto loan = to.size() == sizeof address ? link_.lend(size) : std::nullopt;
  if (!loan) {
    return nullptr;
  }
  std::memcpy(&address, to.data(), sizeof address);
  return std::make_unique<Memory>(self_, address, *loan);
}

Transport::Came RpmsgTransport::work(const Take& take) {
  if (!link_.has_bell()) {
    auto bell = connect(options_, area_);
    if (!bell) {
      return Came::nothing;
    }
    link_.attach(std::move(bell));
  }
  const std::uint64_t before = link_.figures().received;
  take_ = &take;
  link_.work();
  take_ = nullptr;
  if (std::exchange(ended_, false)) {
    return Came::end;
  }
  return link_.figures().received == before ? Came::nothing : Came::something;
}

}  // namespace ligament::xrce
