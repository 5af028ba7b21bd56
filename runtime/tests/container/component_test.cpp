// SPDX-License-Identifier: Apache-2.0
/// \file Libraries of node classes whose file is exchanged while they are open.
#include <gtest/gtest.h>

#include <filesystem>
#include <ligament/component.hpp>
#include <ligament/ligament.hpp>
#include <memory>
#include <string>

#include "process.hpp"

namespace ligament {
namespace {

class ExchangedLibrary : public ::testing::Test {
 protected:
  ExchangedLibrary() {
    auto made = Context::create({.domain = testing::unique_name(), .run_id = "r"});
    EXPECT_TRUE(made) << made.error().text;
    context_ = *made;
  }

  /// As a linker does it: another file, under the same name.
  void put(const std::string& library) const {
    std::filesystem::copy_file(library, folder_ / "new");
    std::filesystem::rename(folder_ / "new", path_);
  }
  [[nodiscard]] std::shared_ptr<Node> made() const {
    const auto library = ComponentLibrary::open(path_);
    EXPECT_TRUE(library) << library.error().text;
    const auto factory = library->find("test::Versioned");
    EXPECT_TRUE(factory) << factory.error().text;
    return (*factory)(NodeOptions().context(context_));
  }

  testing::TemporaryFolder folder_;
  std::string path_ = folder_ / "libversioned.so";
  std::shared_ptr<Context> context_;
};

TEST_F(ExchangedLibrary, IsLoadedAnewBesideTheOldOne) {
  put(LIGAMENT_TEST_FIRST);
  const auto first = made();
  EXPECT_EQ(first->get_name(), "first");
  put(LIGAMENT_TEST_SECOND);
  EXPECT_EQ(made()->get_name(), "second");
  EXPECT_EQ(first->get_name(), "first");
  put(LIGAMENT_TEST_FIRST);
  EXPECT_EQ(made()->get_name(), "first");
}

/// The linker knows the file, and runs its registrations no second time.
TEST_F(ExchangedLibrary, ThatIsPutBackIsTheFirstOneAgain) {
  put(LIGAMENT_TEST_FIRST);
  EXPECT_EQ(made()->get_name(), "first");
  std::filesystem::rename(path_, folder_ / "kept");
  put(LIGAMENT_TEST_SECOND);
  EXPECT_EQ(made()->get_name(), "second");
  std::filesystem::rename(folder_ / "kept", path_);
  EXPECT_EQ(made()->get_name(), "first");
}

TEST_F(ExchangedLibrary, WhoseTimeAloneChangedKeepsItsClasses) {
  put(LIGAMENT_TEST_FIRST);
  EXPECT_EQ(made()->get_name(), "first");
  std::filesystem::last_write_time(path_, std::filesystem::file_time_type::clock::now());
  EXPECT_EQ(made()->get_name(), "first");
}

TEST_F(ExchangedLibrary, ThatCannotBeLoadedLeavesTheOldOne) {
  put(LIGAMENT_TEST_FIRST);
  EXPECT_EQ(made()->get_name(), "first");
  std::filesystem::remove(path_);
  folder_.write("libversioned.so", "no library");
  const auto refused = ComponentLibrary::open(path_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ComponentErrorCode::library_not_loadable);
  put(LIGAMENT_TEST_SECOND);
  EXPECT_EQ(made()->get_name(), "second");
}

}  // namespace
}  // namespace ligament
