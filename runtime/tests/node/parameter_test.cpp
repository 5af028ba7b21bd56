// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <filesystem>
#include <fstream>

#include "fixture.hpp"
#include "node/node_state.hpp"

namespace ligament {
namespace {

using testing::errors_of;

class Parameters : public testing::WithContext {
 protected:
  std::shared_ptr<Node> make(const NodeOptions& options) {
    return std::make_shared<Node>("tuner", "/rig", options);
  }
  /// A file with this content, gone with the test.
  std::string file(const std::string& content) {
    const auto path = std::filesystem::temp_directory_path() / (testing::unique_domain() + ".yaml");
    std::ofstream(path) << content;
    files_.push_back(path);
    return path.string();
  }
  void TearDown() override {
    for (const auto& path : files_) {
      std::filesystem::remove(path);
    }
  }
  std::vector<std::filesystem::path> files_;
};

TEST_F(Parameters, TakeDefaultsAndOverridesOfEachType) {
  auto node = make(options()
                       .append_parameter_override("i", 5)
                       .append_parameter_override("d", 2)
                       .append_parameter_override("bytes", std::vector<std::int64_t>{1, 255})
                       .append_parameter_override("empty", std::vector<std::uint8_t>{}));
  EXPECT_EQ(node->declare_parameter<std::int64_t>("i", 1), 5);
  EXPECT_EQ(node->declare_parameter<double>("d", 1.5), 2.0);
  EXPECT_EQ(node->declare_parameter<std::vector<std::uint8_t>>("bytes", {}),
            (std::vector<std::uint8_t>{1, 255}));
  EXPECT_EQ(node->declare_parameter<std::vector<std::string>>("empty", {"x"}),
            std::vector<std::string>{});
  EXPECT_EQ(node->declare_parameter<bool>("b", true), true);
  EXPECT_EQ(node->declare_parameter("s", "text"), "text");
  EXPECT_EQ(node->declare_parameter<std::vector<double>>("ds", {1.0, 2.0}).size(), 2U);
  int small = 0;
  EXPECT_TRUE(node->get_parameter("i", small));
  EXPECT_EQ(small, 5);
  EXPECT_EQ(node->get_parameter("d").as_double(), 2.0);
  EXPECT_TRUE(node->errors().empty()) << errors_of(*node);
}

TEST_F(Parameters, OfTheWrongTypeAreRefused) {
  auto node = make(options().append_parameter_override("i", "five"));
  EXPECT_EQ(node->declare_parameter<std::int64_t>("i", 1), 1);
  EXPECT_EQ(errors_of(*node), "parameter 'i' is 'five', expected an integer\n");
}

TEST_F(Parameters, KeepTheRulesOfTheManifest) {
  ParameterRule numbers;
  numbers.integer_range = {{0, 4, 0}};
  numbers.floating_point_range = {{0.0, 4.0, 0}};
  ParameterRule words;
  words.choices = {"fast", "slow"};
  ParameterRule few;
  few.choices = {1, 2};
  ParameterRule fixed;
  fixed.read_only = true;
  auto node = make(options()
                       .append_parameter_override("i", 3)
                       .parameter_rule("i", numbers)
                       .parameter_rule("ds", numbers)
                       .parameter_rule("words", words)
                       .parameter_rule("few", few)
                       .parameter_rule("fixed", fixed)
                       .parameter_rule("nowhere", fixed));
  EXPECT_EQ(node->declare_parameter<std::int64_t>("i", 9), 3);  // the default is not in force
  node->declare_parameter<std::vector<double>>("ds", {1.0});
  node->declare_parameter("words", "fast");
  node->declare_parameter<double>("few", 1.0);
  node->declare_parameter("fixed", 1);
  EXPECT_EQ(errors_of(*node), "");
  const auto refused = [&](const std::string& name, const ParameterValue& value) {
    return node->set_parameter({name, value}).reason;
  };
  EXPECT_EQ(refused("i", 5), "parameter 'i' is 5, expected 0 to 4");
  EXPECT_EQ(refused("i", 4), "");
  EXPECT_EQ(refused("ds", std::vector<double>{1, 4.5}),
            "parameter 'ds' is [1.0, 4.5], expected 0 to 4");
  EXPECT_EQ(refused("ds", std::vector<double>{std::nan("")}),
            "parameter 'ds' is [nan], expected 0 to 4");
  EXPECT_EQ(refused("words", "slwo"),
            "parameter 'words' is 'slwo', expected one of 'fast', 'slow' (did you mean 'slow'?)");
  EXPECT_EQ(refused("few", 3), "parameter 'few' is 3.0, expected one of '1', '2'");
  EXPECT_EQ(refused("few", 2), "");
  EXPECT_EQ(refused("fixed", 2), "parameter 'fixed' is read-only");
}

TEST_F(Parameters, KeepTheManifestsRuleBesideTheirOwn) {
  ParameterRule rule;
  rule.integer_range = {{2, 6, 0}};
  auto node = make(options().parameter_rule("i", rule).parameter_rule("plain", rule));
  ParameterDescriptor own;
  own.integer_range = {{0, 4, 2}};
  node->declare_parameter<std::int64_t>("i", 2, own);
  node->declare_parameter<std::int64_t>("plain", 2);
  EXPECT_EQ(node->set_parameter({"i", 0}).reason, "parameter 'i' is 0, expected 2 to 6");
  EXPECT_EQ(node->set_parameter({"i", 6}).reason,
            "parameter 'i' is 6, expected 0 to 4 in steps of 2");
  EXPECT_TRUE(node->set_parameter({"i", 4}).successful);
  const auto shown = [&](const std::string& name) {
    return node->state().parameters.describe(name)->descriptor.integer_range.value();
  };
  EXPECT_EQ(shown("i").to_value, 4);
  EXPECT_EQ(shown("plain").to_value, 6);
  auto other = make(options().parameter_rule("late", rule));
  other->declare_parameter<std::int64_t>("late", 1);
  EXPECT_EQ(errors_of(*other),
            "the default is not valid: parameter 'late' is 1, expected 2 to 6\n");
}

TEST_F(Parameters, OutsideTheirRangeAreRefused) {
  auto node = make(options().append_parameter_override("i", 9).append_parameter_override("d", 0.3));
  ParameterDescriptor whole;
  whole.integer_range = {{0, 4, 2}};
  EXPECT_EQ(node->declare_parameter<std::int64_t>("i", 2, whole), 2);
  ParameterDescriptor real;
  real.floating_point_range = {{0.0, 1.0, 0.25}};
  EXPECT_EQ(node->declare_parameter<double>("d", 0.5, real), 0.5);
  EXPECT_EQ(errors_of(*node),
            "parameter 'i' is 9, expected 0 to 4 in steps of 2\n"
            "parameter 'd' is 0.3, expected 0 to 1 in steps of 0.25\n");
  EXPECT_FALSE(node->set_parameter({"i", 3}).successful);
  EXPECT_TRUE(node->set_parameter({"i", 4}).successful);
}

TEST_F(Parameters, ThatNobodyDeclaresNameTheNearest) {
  auto node = make(options().append_parameter_override("interpolaton", 2));
  node->declare_parameter<std::int64_t>("interpolation", 1);
  const auto sentences = node->state().parameters.undeclared_overrides();
  ASSERT_EQ(sentences.size(), 1U);
  EXPECT_EQ(sentences[0],
            "there is no parameter 'interpolaton' (did you mean 'interpolation'?); declared: "
            "'interpolation', 'start_type_description_service', 'use_sim_time'");
  (void)node->get_parameter("interpol");
  EXPECT_NE(errors_of(*node).find("there is no parameter 'interpol'"), std::string::npos);
}

TEST_F(Parameters, DeclaredTwiceAreAnError) {
  auto node = make(options());
  node->declare_parameter<bool>("b", true);
  node->declare_parameter<bool>("b", false);
  EXPECT_EQ(errors_of(*node), "parameter 'b' is declared twice\n");
}

TEST_F(Parameters, ReadOnlyOnesTakeOverridesButNoSet) {
  auto node = make(options().append_parameter_override("fixed", 7));
  ParameterDescriptor descriptor;
  descriptor.read_only = true;
  EXPECT_EQ(node->declare_parameter<std::int64_t>("fixed", 1, descriptor), 7);
  const auto answer = node->set_parameter({"fixed", 8});
  EXPECT_FALSE(answer.successful);
  EXPECT_EQ(answer.reason, "parameter 'fixed' is read-only");
}

TEST_F(Parameters, CallbacksMayRefuseAllOfASet) {
  auto node = make(options());
  node->declare_parameter<std::int64_t>("a", 1);
  node->declare_parameter<std::int64_t>("b", 1);
  auto handle = node->add_on_set_parameters_callback([](const std::vector<Parameter>& changes) {
    for (const auto& change : changes) {
      if (change.as_int() > 10) return SetParametersResult{false, "too much"};
    }
    return SetParametersResult{};
  });
  EXPECT_EQ(node->set_parameters_atomically({{"a", 2}, {"b", 11}}).reason, "too much");
  EXPECT_EQ(node->get_parameter("a").as_int(), 1);
  EXPECT_TRUE(node->set_parameters_atomically({{"a", 2}, {"b", 3}}).successful);
  EXPECT_EQ(node->get_parameter("b").as_int(), 3);
  handle.reset();
  EXPECT_TRUE(node->set_parameter({"a", 99}).successful);
}

TEST_F(Parameters, AreReadFromRosFiles) {
  const auto path = file(R"(
/**:
  ros__parameters: {rate: 10.0, everywhere: true}
rig:
  tuner:
    ros__parameters:
      name: "7"
      gains: {p: 1, i: 2.5}
      list: [1, 2.5]
/rig/tuner:
  ros__parameters: {rate: 30}
other:
  ros__parameters: {rate: 99.0, unknown: 1}
)");
  auto node = make(options().parameter_file(path));
  EXPECT_EQ(node->declare_parameter<double>("rate", 1.0), 30.0);
  EXPECT_EQ(node->declare_parameter("name", ""), "7");
  EXPECT_EQ(node->declare_parameter<std::int64_t>("gains.p", 0), 1);
  EXPECT_EQ(node->declare_parameter<double>("gains.i", 0.0), 2.5);
  EXPECT_EQ(node->declare_parameter<std::vector<double>>("list", {}),
            (std::vector<double>{1.0, 2.5}));
  EXPECT_TRUE(node->errors().empty()) << errors_of(*node);
  EXPECT_TRUE(node->state().parameters.undeclared_overrides().empty());  // `everywhere`: a wildcard
}

struct BadFile {
  const char* content;
  const char* text;
};
class BadParameterFiles : public Parameters, public ::testing::WithParamInterface<BadFile> {};

TEST_P(BadParameterFiles, AreNamedWithTheirLine) {
  const auto path = file(GetParam().content);
  auto node = make(options().parameter_file(path));
  EXPECT_EQ(errors_of(*node), path + GetParam().text + "\n");
}

INSTANTIATE_TEST_SUITE_P(
    Each, BadParameterFiles,
    ::testing::Values(
        BadFile{"- 1\n",
                ": not a ROS 2 parameter file; expected node_name: {ros__parameters: "
                "{name: value}}"},
        BadFile{"tuner:\n  rate: 3\n",
                ":2: 'rate' is not the form of a ROS 2 parameter file; expected node_name: "
                "{ros__parameters: {name: value}}"},
        BadFile{"/**:\n  ros__parameters:\n    a: [1, x]\n",
                ":3: the values of a list must be of one type"},
        BadFile{"/**:\n  ros__parameters:\n    a: [[1]]\n", ":3: a list holds plain values only"},
        BadFile{"/**:\n  ros__parameters:\n    a:\n", ":3: parameter 'a' has no value"},
        BadFile{"a: [\n", ":2: end of sequence flow not found"}));

TEST_F(Parameters, MissingFileIsAnError) {
  auto node = make(options().parameter_file("/nowhere/params.yaml"));
  EXPECT_EQ(errors_of(*node), "the parameter file /nowhere/params.yaml cannot be read\n");
}

}  // namespace
}  // namespace ligament
