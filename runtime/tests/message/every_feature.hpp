// SPDX-License-Identifier: Apache-2.0
// One value that has something in every field of the package that uses every feature.
#pragma once

#include <ligament/every_feature_msgs/msg/deep.hpp>

namespace ligament::testing {

inline every_feature_msgs::msg::Nested every_nested() {
  every_feature_msgs::msg::Nested nested;
  nested.header.frame_id = "frame";
  nested.two[0].text = "text";
  nested.two[0].short_text = "12345";
  nested.two[1].wide_texts = {u"gr\u00fc\u00dfe", u""};
  nested.two[1].few_short_wide_texts = {u"ab"};
  nested.two[1].few_short_texts = {"x", "yz"};
  nested.many.resize(2);
  nested.many[0].flags = {true, false};
  nested.many[0].some_bytes = {1, 2, 3};
  nested.many[0].floats = {1.0F, 2.5F};
  nested.many[1].few_large = {7, 8};
  nested.many[1].tail = {9};
  nested.few_points.resize(2);
  return nested;
}

inline every_feature_msgs::msg::Deep every_feature() {
  every_feature_msgs::msg::Deep deep;
  deep.nested = {every_nested()};
  deep.much_of_nothing.resize(3);
  deep.one = every_nested();
  return deep;
}

}  // namespace ligament::testing
