// SPDX-License-Identifier: Apache-2.0
// The Fast DDS peer of the transport benchmark.
#include <fastdds/dds/log/Log.hpp>
#include <fastdds/dds/log/StdoutErrConsumer.hpp>
#include <memory>
#include <stdexcept>
#include <string>

#include "copy.hpp"
#include "loan.hpp"
#include "program.hpp"
#include "roles.hpp"

namespace {

// Standard output carries the result, so the library's messages go to standard error.
void log_to_stderr() {
  auto consumer = std::make_unique<peer::dds::StdoutErrConsumer>();
  consumer->stderr_threshold(peer::dds::Log::Kind::Info);
  peer::dds::Log::ClearConsumers();
  peer::dds::Log::RegisterConsumer(std::move(consumer));
}

std::string run(const peer::Options& options) {
  log_to_stderr();
  if (options.variant == "loan") return peer::run<peer::Loan>(options);
  if (options.variant == "default") return peer::run<peer::Copy>(options);
  throw std::invalid_argument("--variant is loan or default, not '" + options.variant + "'");
}

}  // namespace

int main(int argc, char** argv) { return peer::program("fastdds", PEER_VERSION, argc, argv, run); }
