// SPDX-License-Identifier: Apache-2.0
/// What a CREATE asks for, in three forms: the first byte says the kind, the second the form.
#include <cstdint>

#include "agent/representation.hpp"
#include "requests.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ligament::xrce;
  if (size < 2) {
    return 0;
  }
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  const std::vector<std::byte> value(bytes + 2, bytes + size);
  const auto kind = static_cast<Kind>(data[0] % 10);
  const std::vector<std::byte> message =
      test::create({test::object(1, kind), 0, static_cast<Form>(data[1] % 5), value, 0, 20});
  const auto part = Parts(message).next();
  const std::string_view text(reinterpret_cast<const char*>(value.data()), value.size());
  const auto profiles = Profiles::parse(text);
  (void)read_create(*part, profiles.value_or(Profiles()));
  return 0;
}
