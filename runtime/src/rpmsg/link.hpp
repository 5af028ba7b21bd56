// SPDX-License-Identifier: Apache-2.0
/// \file RPMsg with one core, seen from the host: its life, its channels, messages both ways.
///
/// For a program with an event loop: wait until `fd()` is readable, then `work()`. Nothing here
/// blocks, sleeps or polls, and one thread at a time calls it. The core is not trusted: whatever it
/// writes costs its own link at most. After a breach the link is down until the core starts anew.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <ligament/expected.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rpmsg/area.hpp"
#include "rpmsg/bell.hpp"
#include "rpmsg/ring.hpp"
#include "rpmsg/slab.hpp"

namespace ligament::rpmsg {

/// What the core announced.
struct Channel {
  std::string name;
  std::uint32_t address = 0;
};

struct Handlers {
  std::function<void()> up;
  /// Why: a sentence without its subject's name. All channels are gone.
  std::function<void(const std::string& why)> down;
  std::function<void(const Channel&, bool there)> channel;
  /// `data` stay where they are until the function returns: in memory that the core can write, so
  /// each byte is read once, and copied before it is checked.
  std::function<void(std::uint32_t from, std::uint32_t to, Bytes data)> message;
  /// After a send that said `full`: it may fit now.
  std::function<void()> room;
};

struct Options {
  /// Of what the core offers, what we accept.
  std::uint32_t features = LIGAMENT_RPMSG_F_NAME_SERVICE | LIGAMENT_RPMSG_F_LARGE;
  std::size_t max_parts_size = 65536;  ///< of a message that comes in parts
  std::size_t max_channels = 64;
};

enum class SendStatus : std::uint8_t {
  ok,
  down,
  full,       ///< `room` will be called
  too_large,  ///< never
};

struct Figures {
  std::uint64_t received = 0;
  std::uint64_t sent = 0;
  std::uint64_t dropped = 0;   ///< too large to put together, or announcements that are none
  std::uint64_t breaches = 0;  ///< of the rules, by the core
  std::uint64_t copied = 0;    ///< bytes of messages, each time that we copied them
  std::uint64_t starts = 0;    ///< of the core, that we saw
};

class Link {
 public:
  Link(const Area& area, std::unique_ptr<Bell> bell, Handlers handlers, Options options = {});
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  [[nodiscard]] int fd() const { return epoll_; }
  void work();
  /// For who looks at memory again and again instead of sleeping: the core need not ring until the
  /// next `work`, which must come before the next sleep. False: only its bell tells of it now.
  [[nodiscard]] bool hush();
  /// Whether `work` would find something in memory.
  [[nodiscard]] bool has_news() const;
  /// Makes `fd` readable until the next `work`.
  void nudge() const { wake_self(); }
  /// Whether there is a way to the core; none after it was gone.
  [[nodiscard]] bool has_bell() const { return bell_ != nullptr; }
  [[nodiscard]] bool running() const { return phase_ == Phase::running; }
  /// Why nothing more comes from this start of the core; empty: it may.
  [[nodiscard]] const std::string& why_dead() const { return why_dead_; }
  /// Another way to the core: its emulator was started anew.
  void attach(std::unique_ptr<Bell> bell);

  /// The pieces of one message, copied once: up to 496 bytes into a buffer, more into the slab, or
  /// into many buffers where the slab has no room.
  [[nodiscard]] SendStatus send(std::uint32_t from, std::uint32_t to,
                                std::span<const Bytes> pieces);
  /// Memory of the slab for one message that may be sent more than once; it is ours until it is
  /// given back. Nothing: short messages are copied, or there is no room.
  struct Loan {
    Extent extent;
    std::uint64_t life = 0;  ///< of the core: a loan of an earlier one is nobody's
    std::span<std::byte> bytes;
  };
  [[nodiscard]] std::optional<Loan> lend(std::size_t size);
  /// Sent again only when the core has read what was sent before: until then it cannot be lost.
  [[nodiscard]] SendStatus send(std::uint32_t from, std::uint32_t to, Loan& loan);
  void give_back(const Loan& loan);
  /// The longest message that can be sent now; 0: down.
  [[nodiscard]] std::size_t limit() const;
  [[nodiscard]] const std::vector<Channel>& channels() const { return channels_; }
  [[nodiscard]] const Figures& figures() const { return figures_; }

 private:
  enum class Phase : std::uint8_t {
    absent,   ///< no core, or one that does not know us yet
    offered,  ///< our rings are made, the core has not looked
    running,
    dead,  ///< whatever it says: until the core starts anew
  };

  void begin_session();
  void follow();
  void follow_state(std::uint32_t state, bool knows_us);
  void offer();
  void start();
  void lose(Phase phase, const std::string& why);
  void breach(Breach what);
  void tell_room();
  void ring_bell();
  void ring_always();
  void watch(int fd, int operation) const;
  void wake_self() const;

  [[nodiscard]] bool raw() const { return (features_ & LIGAMENT_RPMSG_F_RAW) != 0; }
  [[nodiscard]] bool large() const { return (features_ & LIGAMENT_RPMSG_F_LARGE) != 0; }
  [[nodiscard]] std::uint32_t payload() const;

  void receive();
  void take(Bytes message);
  void take_extent(const Header& header, Bytes payload);
  void take_part(const Header& header, Bytes payload);
  void announced(const Header& header, Bytes payload);
  void deliver(const Header& header, Bytes data);

  [[nodiscard]] SendStatus reserve(std::size_t buffers);
  void reclaim();
  void want(std::uint32_t what);
  void fill(const Header& header, std::span<const Bytes> pieces, std::size_t skip,
            std::size_t size);
  [[nodiscard]] SendStatus send_extent(Header header, const Extent& extent);
  [[nodiscard]] SendStatus send_large(Header header, std::span<const Bytes> pieces,
                                      std::size_t size);
  void send_parts(Header header, std::span<const Bytes> pieces, std::size_t size);
  SendStatus publish();

  Area area_;
  std::unique_ptr<Bell> bell_;
  Handlers handlers_;
  Options options_;
  int epoll_;
  int again_;                      ///< an eventfd: there is more to do
  mutable bool is_again_ = false;  ///< it was written: else it need not be read
  Phase phase_ = Phase::absent;
  std::string why_dead_;  ///< not empty: `dead`
  std::uint32_t session_ = 0;
  std::uint32_t boot_ = 0;
  std::uint32_t features_ = 0;
  std::uint32_t wants_ = 0;
  Ring to_host_;
  Ring to_core_;
  Slab slab_;
  std::vector<std::uint16_t> free_;  ///< buffers to the core
  std::vector<std::byte> parts_;
  Header assembling_{};
  bool in_parts_ = false;
  bool too_large_ = false;
  std::vector<Channel> channels_;
  Figures figures_;
};

}  // namespace ligament::rpmsg
