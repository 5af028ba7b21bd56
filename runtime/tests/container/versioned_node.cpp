// SPDX-License-Identifier: Apache-2.0
/// \file A library that is built in two versions: each node has its version as its name.
#include <ligament/ligament.hpp>

namespace test {

class Versioned : public ligament::Node {
 public:
  explicit Versioned(const ligament::NodeOptions& options) : Node(LIGAMENT_TEST_VERSION, options) {}
};

}  // namespace test

LIGAMENT_REGISTER_NODE(test::Versioned)
