// SPDX-License-Identifier: Apache-2.0
/// \file ligament-bench-transport: one end of a topic in the pool, or a floor. README.md has the
/// command line and the form of the results, which the programs of the peers share.
///
///   ligament-bench-transport subscribe --topic t1 --bytes 64 --messages 500 &
///   ligament-bench-transport publish --topic t1 --bytes 64 --messages 500 --pacing-us 2000
///   ligament-bench-transport --floor futex --messages 500 --pacing-us 2000
#include "ends.hpp"
#include "floor.hpp"

int main(int argc, char** argv) {
  using namespace ligament::bench;
  const Options options = parse_options(argc, argv);
  if (options.floor == Floor::memcpy) {
    return copy_floor(options);
  }
  if (options.floor != Floor::none) {
    return wake_floor(options);
  }
  switch (options.role) {
    case Role::subscribe:
      return subscribe(options);
    case Role::publish:
      return publish(options);
    case Role::ping:
      return ping(options);
    case Role::pong:
      return pong(options);
    case Role::none:
      break;
  }
  return 2;
}
