// SPDX-License-Identifier: Apache-2.0
#include "rpmsg/table.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <vector>

namespace ligament::rpmsg {

namespace {

struct Field {
  const char* name;
  std::uint32_t has;
  std::uint32_t expected;
};

std::vector<Field> fields_of(const ligament_rpmsg_table_t& table, const Map& map) {
  const Layout layout = ligament_rpmsg_layout(&map);
  const auto& device = table.device;
  const auto& own = table.own;
  // The versions first: other fields of another version mean nothing.
  std::vector<Field> fields = {
      {"the resource table's version", table.version, 1},
      {"the number of its entries", table.entries, 2},
      {"the place of its device", table.offsets[0], offsetof(ligament_rpmsg_table_t, device)},
      {"the place of its own entry", table.offsets[1], offsetof(ligament_rpmsg_table_t, own)},
      {"the own entry's type", own.type, 128},
      {"the own entry's magic number", own.magic, LIGAMENT_RPMSG_MAGIC},
      {"the link's version", own.version, LIGAMENT_RPMSG_VERSION},
      {"the map's base", own.map.base, map.base},
      {"the map's count of buffers", own.map.count, map.count},
      {"the map's buffer size", own.map.buffer_size, map.buffer_size},
      {"the map's block size", own.map.block_size, map.block_size},
      {"the map's count of blocks", own.map.blocks, map.blocks},
      {"the device's type", device.type, 3},
      {"the device's id", device.id, 7},
      {"the device's count of rings", device.rings, 2},
  };
  for (std::size_t ring = 0; ring < 2; ++ring) {
    fields.push_back({"a ring's address", device.ring[ring].address, map.base + layout.ring[ring]});
    fields.push_back({"a ring's alignment", device.ring[ring].align, LIGAMENT_RPMSG_ALIGN});
    fields.push_back({"a ring's count", device.ring[ring].count, map.count});
  }
  return fields;
}

}  // namespace

std::string why_refused(const ligament_rpmsg_table_t& table, const Map& map) {
  for (const Field& field : fields_of(table, map)) {
    if (field.has != field.expected) {
      return fmt::format(
          "{} is {:#x}, expected {:#x}: build the firmware and start the host with "
          "the same memory map and version",
          field.name, field.has, field.expected);
    }
  }
  return {};
}

}  // namespace ligament::rpmsg
