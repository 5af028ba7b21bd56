// SPDX-License-Identifier: Apache-2.0
// The frame of a peer's main function.
#pragma once

#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>

#include "clock.hpp"
#include "options.hpp"

namespace peer {

// `run` gets the options and returns the line of JSON.
template <typename Run>
int program(const std::string& name, const std::string& version, int argc, char** argv, Run run) {
  if (argc > 1 && std::string(argv[1]) == "--version") {
    std::cout << name << " " << version << "\n";
    return 0;
  }
  stop_on_signals();
  try {
    std::cout << run(parse(argc, argv)) << std::endl;
    return 0;
  } catch (const std::invalid_argument& error) {
    std::cerr << name << " peer: " << error.what() << "\n" << usage(name);
    return 2;
  } catch (const std::exception& error) {
    std::cerr << name << " peer: " << error.what() << "\n";
    return 1;
  }
}

}  // namespace peer
