// SPDX-License-Identifier: Apache-2.0
/// How an engine turns a design's clocks: the cores', and those beside it (spec/device/clocks.md).
#include <algorithm>

#include "fpga/engine.hpp"

namespace ligament::fpga::detail {

/// A cycle in which nobody looks at anything.
void Engine::turn() {
  go_to_edge([this](const Edges& edges, double) {
    lower();
    wires_.evaluate();
    raise(edges);
    wires_.evaluate();
  });
}

void Engine::cycle(bool paced) {
  go_to_edge([this, paced](const Edges& edges, double at) { tick(edges, paced, at); });
}

/// To the cores' next edge, with those of the other clocks that come before it or together with it.
/// `tick` gets the time in half cycles of the cores.
template <typename Tick>
void Engine::go_to_edge(const Tick& tick) {
  const double edge = 2 * static_cast<double>(cycle_) + 1;
  Edges together;
  if (port_clock_) {
    port_clock_->advance();
  }
  if (registers_clock_) {
    registers_clock_->advance();
  }
  while (const auto side = next_side_edge()) {
    tick(side->edges, edge - 2 + 2 * side->part);
    count_edges(side->edges);
  }
  together.port = !port_clock_ || port_clock_->is_together();
  together.registers = !registers_clock_ || registers_clock_->is_together();
  tick(together, edge);
  count_edges(together);
}

/// Of other clocks, before the cores' next one.
std::optional<Engine::SideEdge> Engine::next_side_edge() const {
  constexpr double none = 2;
  const auto part_of = [](const std::optional<SideClock>& side) {
    return side && side->is_before() ? side->part() : none;
  };
  const double port = part_of(port_clock_);
  const double registers = part_of(registers_clock_);
  const double first = std::min(port, registers);
  if (first >= none) {
    return std::nullopt;
  }
  return SideEdge{{false, port <= first, registers <= first}, first};
}

void Engine::count_edges(const Edges& edges) {
  if (port_clock_ && edges.port) {
    port_clock_->edge();
  }
  if (registers_clock_ && edges.registers) {
    registers_clock_->edge();
  }
}

/// With a doorbell: the cycles of a message do not depend on what was before it.
void Engine::align() {
  if (port_clock_) {
    port_clock_->align();
  }
  if (registers_clock_) {
    registers_clock_->align();
  }
}

void Engine::tick(const Edges& edges, bool paced, double at) {
  if (edges.port && paced) {
    memory_.advance(port_cycle());
  }
  if (edges.registers) {
    ends_.offer_words(cycle_);
  }
  if (edges.port) {
    ends_.offer_memory(memory_, port_cycle());
  }
  const bool waved = wires_.wave.dump && wave_is_on();
  lower();
  wires_.evaluate();
  if (waved && edges.cores) {
    dump(at - 1);
  }
  if (edges.cores) {
    observe_probes();
    observe_problems();
  }
  observe_ends(edges);
  raise(edges);
  wires_.evaluate();
  if (waved) {
    dump(at);
  }
  cycle_ += static_cast<std::uint64_t>(edges.cores);
  if (edges.port) {
    ends_.settle_memory();
  }
  if (edges.registers) {
    ends_.settle_words();
  }
}

void Engine::lower() {
  for (std::uint8_t* clock : {wires_.clock, wires_.port_clock, wires_.registers_clock}) {
    if (clock != nullptr) {
      *clock = 0;
    }
  }
}

void Engine::raise(const Edges& edges) {
  *wires_.clock = static_cast<std::uint8_t>(edges.cores);
  if (port_clock_) {
    *wires_.port_clock = static_cast<std::uint8_t>(edges.port);
  }
  if (registers_clock_) {
    *wires_.registers_clock = static_cast<std::uint8_t>(edges.registers);
  }
}

/// Time goes forward only: another clock's edge may lie between the cores' two.
void Engine::dump(double at) {
  if (at > dumped_at_) {
    wires_.wave.dump(at);
    dumped_at_ = at;
  }
}

}  // namespace ligament::fpga::detail
