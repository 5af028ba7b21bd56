// SPDX-License-Identifier: Apache-2.0
/// \file ligament-bench-rmw: one end of what `ligament bench rmw` measures, on rcl. Which
/// middleware is below it is the loader's matter. README.md says what is measured.
///
///   ligament-bench-rmw subscribe --bytes 1048576 --messages 100
#include <map>

#include "rcl_node.hpp"
#include "roles.hpp"

int main(int argc, char** argv) {
  const bench::Options options = bench::options_of(argc, argv);
  const std::map<std::string, void (*)(const bench::Options&)> roles{
      {"publish", bench::publish}, {"subscribe", bench::subscribe}, {"serve", bench::serve},
      {"call", bench::call},       {"watch", bench::watch},         {"appear", bench::appear},
      {"member", bench::member},   {"copies", bench::copies}};
  const auto role = roles.find(options.role);
  if (role == roles.end()) {
    bench::give_up("unknown role '" + options.role + "'");
  }
  bench::block_sigterm();
  role->second(options);
  return 0;
}
