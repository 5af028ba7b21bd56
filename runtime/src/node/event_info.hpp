// SPDX-License-Identifier: Apache-2.0
/// \file From the pool's statuses to what event callbacks are given.
#pragma once

#include <ligament/events.hpp>

namespace ligament::detail {

inline EventCountInfo info_of(const pool::CountStatus& news) { return {news.total, news.change}; }
inline IncompatibleQoSInfo info_of(const pool::IncompatibleQosStatus& news) {
  return {news.total, news.change, news.last_policy};
}
inline MatchedInfo info_of(const pool::MatchedStatus& news) {
  return {news.total, news.total_change, news.current, news.current_change};
}
inline QOSLivelinessChangedInfo info_of(const pool::LivelinessChangedStatus& news) {
  return {news.alive, news.not_alive, news.alive_change, news.not_alive_change};
}

inline bool is_news(const pool::CountStatus& news) { return news.change != 0; }
inline bool is_news(const pool::IncompatibleQosStatus& news) { return news.change != 0; }
inline bool is_news(const pool::MatchedStatus& news) {
  return news.total_change != 0 || news.current_change != 0;
}
inline bool is_news(const pool::LivelinessChangedStatus& news) {
  return news.alive_change != 0 || news.not_alive_change != 0;
}

/// Calls the callback, if there is one, with what has changed, if anything has.
template <typename Callback, typename Status>
void run_event(const Callback& callback, const Status& news) {
  if (callback && is_news(news)) {
    auto info = info_of(news);
    callback(info);
  }
}

}  // namespace ligament::detail
