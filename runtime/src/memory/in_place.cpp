// SPDX-License-Identifier: Apache-2.0
#include "ligament/in_place.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <optional>

#include "memory/os/system.hpp"

namespace ligament {
namespace {

/// A part that somebody has. `generation` is odd while it is valid; each change of it makes all
/// that was read before worthless.
struct alignas(64) Claim {
  std::atomic<std::uint64_t> generation;
  std::atomic<std::uint64_t> owner;  ///< process and thread; 0: free
  std::atomic<std::uint64_t> begin;
  std::atomic<std::uint64_t> end;
  std::atomic<std::uint64_t> is_changed;
};
constexpr std::size_t most_claims = 256;

/// Before the bytes, which begin on a page.
struct Head {
  std::array<Claim, most_claims> claims;
};
static_assert(sizeof(Head) % 4096 == 0);

struct Party {
  std::int32_t process = 0;
  std::int32_t thread = 0;
};
std::uint64_t number_of(const Party& party) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(party.process)) << 32 |
         static_cast<std::uint32_t>(party.thread);
}
Party party_of(std::uint64_t number) {
  return {static_cast<std::int32_t>(number >> 32), static_cast<std::int32_t>(number)};
}

[[noreturn]] void stop(const std::string& sentence) {
  std::fputs(("in place: " + sentence + "\n").c_str(), stderr);
  std::abort();
}

/// What a claim says, if it is valid and stays so while it is read.
struct Said {
  std::uint64_t owner = 0;
  detail::InPlaceMemory::Part part;
};
std::optional<Said> read(const Claim& claim) {
  const std::uint64_t generation = claim.generation.load();
  const Said said{claim.owner.load(),
                  {claim.begin.load(), claim.end.load(), claim.is_changed.load() != 0}};
  return generation % 2 == 1 && claim.generation.load() == generation ? std::optional(said)
                                                                      : std::nullopt;
}

bool is_alive(std::int32_t process) { return ::kill(process, 0) == 0 || errno != ESRCH; }

}  // namespace

const char* to_string(InPlaceError error) {
  switch (error) {
    case InPlaceError::no_memory:
      return "the system gives no memory";
    case InPlaceError::not_there:
      return "the memory is not there: who made it has ended, or it may not be shared";
  }
  return "unknown error";
}

namespace detail {

struct InPlaceMemory::State {
  pool::os::Mapping mapping;
  pool::os::Fd fd;  ///< kept, so that the ticket stays true; not of those who opened it
  InPlaceTicket ticket;

  [[nodiscard]] Head& head() const { return *mapping.as<Head>(); }
};

InPlaceMemory::InPlaceMemory(std::unique_ptr<State> state) : state_(std::move(state)) {}
InPlaceMemory::~InPlaceMemory() = default;

expected<std::shared_ptr<InPlaceMemory>, InPlaceError> InPlaceMemory::create(
    const std::string& name, std::size_t bytes) {
  auto made = pool::os::create_shared(name, sizeof(Head) + bytes, {.peers_write = true});
  if (!made) {
    return unexpected<InPlaceError>(InPlaceError::no_memory);
  }
  auto state = std::make_unique<State>();
  state->mapping = std::move(made->mapping);
  state->fd = std::move(made->fd);
  state->ticket.numbers = {static_cast<std::uint64_t>(::getpid()),
                           static_cast<std::uint64_t>(state->fd.get()), made->inode,
                           sizeof(Head) + bytes};
  return std::shared_ptr<InPlaceMemory>(new InPlaceMemory(std::move(state)));
}

expected<std::shared_ptr<InPlaceMemory>, InPlaceError> InPlaceMemory::open(
    const InPlaceTicket& ticket) {
  const auto& [process, fd, inode, size] = ticket.numbers;
  auto mapped = size <= sizeof(Head) || inode == 0
                    ? unexpected<pool::os::SystemError>(pool::os::SystemError{"ticket", EINVAL})
                    : pool::os::map_foreign({static_cast<std::int32_t>(process),
                                             static_cast<std::uint32_t>(fd), inode, size},
                                            {.peers_write = true});
  if (!mapped) {
    return unexpected<InPlaceError>(InPlaceError::not_there);
  }
  auto state = std::make_unique<State>();
  state->mapping = std::move(*mapped);
  state->ticket = ticket;
  return std::shared_ptr<InPlaceMemory>(new InPlaceMemory(std::move(state)));
}

std::span<std::byte> InPlaceMemory::bytes() const {
  const pool::os::Mapping& mapping = state_->mapping;
  return {mapping.base() + sizeof(Head), state_->ticket.numbers[3] - sizeof(Head)};
}

InPlaceTicket InPlaceMemory::ticket() const { return state_->ticket; }

void InPlaceMemory::check_bounds(const Part& part) const {
  if (part.begin > part.end || part.end > bytes().size()) {
    stop(fmt::format("bytes {} to {} were asked for, of {}", part.begin, part.end, bytes().size()));
  }
}

/// SYNC POINT with itself in other threads and processes: each first says what it has, then looks
/// at what others say, all sequentially consistent; so of two that overlap, one sees the other.
std::size_t InPlaceMemory::enter(const Part& part) {
  const Party self{::getpid(), ::gettid()};
  auto& claims = state_->head().claims;
  std::size_t place = 0;
  for (std::uint64_t none = 0; !claims[place].owner.compare_exchange_strong(none, number_of(self));
       none = 0) {
    if (!is_alive(party_of(none).process) &&
        claims[place].owner.compare_exchange_strong(none, number_of(self))) {
      break;
    }
    if (++place == most_claims) {
      stop(fmt::format("more than {} parts are in use at once", most_claims));
    }
  }
  Claim& own = claims[place];
  own.generation.store((own.generation.load() + 1) &
                       ~std::uint64_t{1});  // of one who died in here, odd
  own.begin.store(part.begin);
  own.end.store(part.end);
  own.is_changed.store(part.is_changed ? 1 : 0);
  own.generation.fetch_add(1);
  for (std::size_t i = 0; i < most_claims; ++i) {
    const auto other = i == place ? std::nullopt : read(claims[i]);
    if (other && (part.is_changed || other->part.is_changed) && part.begin < other->part.end &&
        other->part.begin < part.end && is_alive(party_of(other->owner).process)) {
      const Party party = party_of(other->owner);
      stop(fmt::format(
          "process {}, thread {} wants to {} bytes {} to {}, while process {}, thread "
          "{} {} bytes {} to {}",
          self.process, self.thread, part.is_changed ? "change" : "read", part.begin, part.end,
          party.process, party.thread, other->part.is_changed ? "changes" : "reads",
          other->part.begin, other->part.end));
    }
  }
  return place;
}

void InPlaceMemory::leave(std::size_t place) {
  Claim& own = state_->head().claims[place];
  own.generation.fetch_add(1);
  own.owner.store(0);
}

}  // namespace detail
}  // namespace ligament
