// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: a core and a host share memory, and the input is a list of what happens: either
// side works or sends, either starts anew, and words of the memory become something else. Both
// sides' code is instrumented, and the memory ends where the sanitizer sees it.
#include <ligament/rpmsg.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "rpmsg/link.hpp"

namespace {

using namespace ligament::rpmsg;

const Map map{0x21000000, 4, 512, 1024, 4};
const Layout layout = ligament_rpmsg_layout(&map);

void expect(bool so, const char* what) {
  if (!so) {
    std::fprintf(stderr, "%s\n", what);
    std::abort();
  }
}

/// The input, to its end and then zeros.
struct Input {
  const std::uint8_t* data;
  std::size_t size;
  std::uint8_t byte() { return size == 0 ? 0 : (--size, *data++); }
  std::uint32_t word() {
    std::uint32_t value = 0;
    for (int part = 0; part < 4; ++part) {
      value = value << 8U | byte();
    }
    return value;
  }
};

class Silent : public Bell {
 public:
  [[nodiscard]] int fd() const override { return -1; }
  void ring() override {}
  [[nodiscard]] Heard clear() override { return Heard::alive; }
};

/// All bytes are read, so that a wrong span is seen.
unsigned sum_of(const std::uint8_t* data, std::size_t size) {
  unsigned sum = 0;
  for (std::size_t index = 0; index < size; ++index) {
    sum += data[index];
  }
  return sum;
}

volatile unsigned sink;

struct Machine {
  explicit Machine(bool raw) : memory(layout.size, std::byte{0}) {
    options.features =
        raw ? LIGAMENT_RPMSG_F_RAW : LIGAMENT_RPMSG_F_NAME_SERVICE | LIGAMENT_RPMSG_F_LARGE;
    config.memory = reinterpret_cast<std::uint8_t*>(memory.data());
    config.map = map;
    config.features = LIGAMENT_RPMSG_F_NAME_SERVICE | LIGAMENT_RPMSG_F_RAW | LIGAMENT_RPMSG_F_LARGE;
    config.kick = [](void*) {};
    config.assembly = assembly.data();
    config.assembly_size = static_cast<std::uint32_t>(assembly.size());
    start_host();
    start_core();
  }
  void start_core() {
    core = {};
    endpoint = {};
    endpoint.name = "channel";
    endpoint.context = this;
    endpoint.receive = [](void* machine, std::uint32_t, const std::uint8_t* data,
                          std::size_t size) {
      return static_cast<Machine*>(machine)->receive(data, size);
    };
    held = nullptr;
    loan = {};
    expect(ligament_rpmsg_start(&core, &config) == 0, "the core starts whatever is in memory");
    expect(ligament_rpmsg_open(&core, &endpoint) == 0, "its endpoint opens");
  }
  void start_host() {
    host.reset();
    kept.reset();
    Handlers handlers;
    handlers.message = [](std::uint32_t, std::uint32_t, Bytes data) {
      sink = sum_of(reinterpret_cast<const std::uint8_t*>(data.data()), data.size());
    };
    handlers.channel = [](const Channel& channel, bool) {
      expect(!channel.name.empty() && channel.name.size() < LIGAMENT_RPMSG_NAME, "a name");
    };
    host.emplace(*Area::of(memory.data(), map), std::make_unique<Silent>(), handlers, options);
  }
  int receive(const std::uint8_t* data, std::size_t size) {
    sink = sum_of(data, size);
    const auto* slab = config.memory + layout.slab[LIGAMENT_RPMSG_TO_CORE];
    if (hold && held == nullptr && data >= slab) {
      held = data;
      return LIGAMENT_RPMSG_HELD;
    }
    if (hold && held == nullptr) {
      return LIGAMENT_RPMSG_LATER;
    }
    return LIGAMENT_RPMSG_DONE;
  }
  void keep(unsigned what);
  void step(Input& input);
  void scribble(Input& input);

  std::vector<std::byte> memory;
  std::vector<std::uint8_t> assembly = std::vector<std::uint8_t>(3000);
  Options options;
  ligament_rpmsg_config_t config{};
  ligament_rpmsg_t core{};
  ligament_rpmsg_endpoint_t endpoint{};
  ligament_rpmsg_loan_t loan{};
  const std::uint8_t* held = nullptr;
  std::uint8_t* lent = nullptr;
  std::optional<Link::Loan> kept;
  bool hold = false;
  std::optional<Link> host;
};

/// Where rules are: the table, the control block, the lists of the rings, the heads of messages.
void Machine::scribble(Input& input) {
  const std::uint8_t where = input.byte();
  const std::uint32_t at = input.byte();
  const std::uint32_t ring = layout.ring[where & 1U];
  const std::uint32_t places[] = {
      static_cast<std::uint32_t>(at % sizeof(ligament_rpmsg_table_t)),
      layout.control + 4 * (at % 128),
      ring + at % 64,
      ring + layout.avail + at % 14,
      ring + layout.used + at % 38,
      layout.buffers[where & 1U] + 512 * (at % 4) + at / 4 % 32,
  };
  const std::uint32_t place = places[where / 2U % 6U];
  // Small steps from what is there find more than any word does.
  std::uint32_t value = 0;
  std::memcpy(&value, &memory[place], sizeof value);
  const std::uint8_t how = input.byte();
  value = how < 128 ? value + how - 64 : how < 192 ? 1U << (how & 31U) : input.word();
  std::memcpy(&memory[place], &value, sizeof value);
}

/// Memory that is sent more than once, of either side; of an earlier life of the other, too.
void Machine::keep(unsigned what) {
  const std::size_t size = 500 + 300 * (what >> 2U);
  const bool is_core = (what & 1U) == 0;
  if (is_core && lent == nullptr) {
    lent = ligament_rpmsg_lend(&core, size);
    lent != nullptr ? void(std::memset(lent, 2, size)) : void();
  } else if (is_core && (what & 2U) != 0) {
    (void)ligament_rpmsg_send_lent(&core, &endpoint, lent, size);
  } else if (is_core) {
    ligament_rpmsg_give_back(&core, lent);
    lent = what >= 8 ? nullptr : lent;  // twice does no harm
  } else if (!kept) {
    kept = host->lend(size);
    kept ? void(std::memset(kept->bytes.data(), 3, kept->bytes.size())) : void();
  } else if ((what & 2U) != 0) {
    (void)host->send(1024, endpoint.address, *kept);
  } else {
    host->give_back(*kept);
    kept.reset();
  }
}

void Machine::step(Input& input) {
  const std::uint8_t what = input.byte();
  static const std::vector<std::uint8_t> text(6000, 't');
  const std::size_t size = (what >> 4U) * 320U;
  const Bytes piece = std::as_bytes(std::span(text)).first(size);
  switch (what & 15U) {
    case 0:
    case 1:
      return host->work();
    case 2:
    case 3:
      return void(ligament_rpmsg_poll(&core));
    case 4:
    case 5:
      return void(host->send(1024, endpoint.address, std::span(&piece, 1)));
    case 6:
    case 7:
      return void(ligament_rpmsg_send(&core, &endpoint, text.data(), size));
    case 8:
      hold = !hold;
      if (held != nullptr) {
        ligament_rpmsg_release(&core, held);
        held = nullptr;
      }
      return;
    case 9:
      ligament_rpmsg_return_loan(&core, &loan);
      loan = ligament_rpmsg_loan(&core, size);
      return;
    case 10:
      if (loan.data != nullptr) {
        std::memset(loan.data, 1, loan.size);
        (void)ligament_rpmsg_send_loan(&core, &endpoint, &loan, loan.size);
      }
      return;
    case 11:
      return what < 128 ? start_core() : start_host();
    case 12:
      return ligament_rpmsg_stop(&core, what >> 7U);
    case 13:
      return keep(what >> 4U);
    default:
      return scribble(input);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input{data, size};
  Machine machine((input.byte() & 3U) == 3);
  for (int round = 0; round < 4; ++round) {  // most inputs begin with a link that is up
    machine.host->work();
    ligament_rpmsg_poll(&machine.core);
  }
  while (input.size > 0) {
    machine.step(input);
  }
  // Whatever was: both start anew, and a message passes.
  machine.hold = false;
  machine.start_core();
  machine.start_host();
  for (int round = 0; round < 6; ++round) {
    machine.host->work();
    ligament_rpmsg_poll(&machine.core);
  }
  expect(machine.host->running(), "a new start finds each other");
  const Bytes piece = std::as_bytes(std::span("hello"));
  expect(machine.host->send(1024, machine.endpoint.address, std::span(&piece, 1)) == SendStatus::ok,
         "and the host can send");
  expect(ligament_rpmsg_poll(&machine.core) > 0, "and the core receives");
  return 0;
}
