// SPDX-License-Identifier: Apache-2.0
/// \file Messages of rclcpp nodes where they lie in shared memory: nothing is copied. For nodes
/// that run on rmw_ligament_cpp; needs rclcpp (Jazzy or later) and nothing to link.
///
///   auto subscription = ligament::views::subscribe(
///       *node, "image", rclcpp::SensorDataQoS(), &Image::data, [](const auto& image) {
///         look_at(image.array(), image.message().width);   // image.message().data is empty
///       });
///
///   Image fields;                                          // all but `data`
///   fields.width = ...
///   auto image = ligament::views::loan(*publisher, fields, &Image::data, size);
///   fill(image.array());
///   image.publish();
///
/// One member, a sequence of numbers, stays in the pool; the others are read as always. Errors are
/// exceptions, as in rclcpp: `std::runtime_error` with a sentence.
#pragma once

#include <dlfcn.h>
#include <rcl/publisher.h>
#include <rcl/subscription.h>
#include <rcl/wait.h>
#include <rcutils/error_handling.h>
#include <rmw/rmw.h>
#include <rmw_ligament_cpp/views.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ligament::views {

namespace detail {

[[noreturn]] inline void fail(const std::string& what) {
  const std::string why = rcutils_error_is_set() ? rcutils_get_error_string().str : "";
  rcutils_reset_error();
  throw std::runtime_error(why.empty() ? what : what + ": " + why);
}

/// The functions of views.h in the middleware that this process has loaded: a program that is
/// linked with it would run on it, whatever RMW_IMPLEMENTATION says.
struct Middleware {
  decltype(&rmw_ligament_take_view) take = nullptr;
  decltype(&rmw_ligament_read_view) read = nullptr;
  decltype(&rmw_ligament_release_view) release = nullptr;
  decltype(&rmw_ligament_borrow_message) borrow = nullptr;
  decltype(&rmw_ligament_publish_loan) publish = nullptr;
  decltype(&rmw_ligament_return_loan) give_back = nullptr;

  static const Middleware& get() {
    static const Middleware loaded;
    return loaded;
  }

 private:
  Middleware() {
    const std::string running = rmw_get_implementation_identifier();
    if (running != "rmw_ligament_cpp") {
      fail("views need rmw_ligament_cpp, and this process runs on " + running +
           ": start it with RMW_IMPLEMENTATION=rmw_ligament_cpp");
    }
    void* library = ::dlopen("librmw_ligament_cpp.so", RTLD_NOLOAD | RTLD_LAZY);
    find(library, "rmw_ligament_take_view", take);
    find(library, "rmw_ligament_read_view", read);
    find(library, "rmw_ligament_release_view", release);
    find(library, "rmw_ligament_borrow_message", borrow);
    find(library, "rmw_ligament_publish_loan", publish);
    find(library, "rmw_ligament_return_loan", give_back);
  }
  template <typename Function>
  static void find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(library, name));
    if (function == nullptr) {
      fail(std::string("this rmw_ligament_cpp has no ") + name + ": rebuild it");
    }
  }
};

template <typename Message, typename Sequence>
std::size_t offset_of(Sequence Message::*member) {
  static_assert(std::is_arithmetic_v<typename Sequence::value_type> &&
                    !std::is_same_v<typename Sequence::value_type, bool>,
                "a view shows a sequence of numbers, such as &sensor_msgs::msg::Image::data");
  static const Message any;
  return static_cast<std::size_t>(reinterpret_cast<const char*>(&(any.*member)) -
                                  reinterpret_cast<const char*>(&any));
}

}  // namespace detail

/// A message that was received. Three of a subscription may exist at once: further messages wait,
/// and the oldest are overwritten as in any queue. It may outlive the subscription, and may be read
/// in any thread.
template <typename Message, typename Number>
class View {
 public:
  View(View&& other) noexcept
      : message_(std::move(other.message_)),
        view_(std::exchange(other.view_, {})),
        array_(std::exchange(other.array_, {})) {}
  View& operator=(View&&) = delete;
  View(const View&) = delete;
  View& operator=(const View&) = delete;
  ~View() { detail::Middleware::get().release(&view_); }

  /// All members but the one that is shown.
  [[nodiscard]] const Message& message() const { return message_; }
  /// The shown member's elements, in the pool. Another process has written them and may be faulty.
  [[nodiscard]] std::span<const Number> array() const { return array_; }
  /// Real time, nanoseconds.
  [[nodiscard]] std::int64_t source_timestamp() const { return view_.source_timestamp; }
  [[nodiscard]] std::uint64_t sequence_number() const { return view_.publication_sequence_number; }

 private:
  template <typename M, typename S>
  friend class Subscription;
  View() = default;
  Message message_;
  rmw_ligament_view_t view_{};
  std::span<const Number> array_;
};

/// Made by `subscribe`; ends the subscription when it goes.
template <typename Message, typename Sequence>
class Subscription : public rclcpp::Waitable {
 public:
  using ViewType = View<Message, typename Sequence::value_type>;
  using Callback = std::function<void(ViewType&&)>;

  Subscription(rclcpp::Node& node, const std::string& topic, const rclcpp::QoS& qos,
               Sequence Message::*member, Callback callback)
      : node_(node.get_node_base_interface()->get_shared_rcl_node_handle()),
        logger_(node.get_logger()),
        topic_(topic),
        member_(member),
        offset_(detail::offset_of(member)),
        callback_(std::move(callback)) {
    (void)detail::Middleware::get();
    rcl_subscription_options_t options = rcl_subscription_get_default_options();
    options.qos = qos.get_rmw_qos_profile();
    const auto* type = rosidl_typesupport_cpp::get_message_type_support_handle<Message>();
    if (rcl_subscription_init(&handle_, node_.get(), type, topic.c_str(), &options) != RCL_RET_OK) {
      detail::fail("no subscription of " + topic);
    }
  }
  ~Subscription() override {
    if (rcl_subscription_fini(&handle_, node_.get()) != RCL_RET_OK) {
      RCLCPP_ERROR(logger_, "%s: %s", topic_.c_str(), rcutils_get_error_string().str);
      rcutils_reset_error();
    }
  }
  Subscription(const Subscription&) = delete;
  Subscription& operator=(const Subscription&) = delete;

  [[nodiscard]] const char* get_topic_name() const {
    return rcl_subscription_get_topic_name(&handle_);
  }

  // --- rclcpp::Waitable, for executors -------------------------------------------------------

  std::size_t get_number_of_ready_subscriptions() override { return 1; }
  void add_to_wait_set(rcl_wait_set_t& wait_set) override {
    if (rcl_wait_set_add_subscription(&wait_set, &handle_, &place_) != RCL_RET_OK) {
      detail::fail("no place in a wait set for " + topic_);
    }
  }
  bool is_ready(const rcl_wait_set_t& wait_set) override {
    return place_ < wait_set.size_of_subscriptions && wait_set.subscriptions[place_] == &handle_;
  }
  std::shared_ptr<void> take_data() override { return take(); }
  std::shared_ptr<void> take_data_by_entity_id(std::size_t /*id*/) override { return take(); }
  void execute(const std::shared_ptr<void>& data) override {
    if (data != nullptr) {
      callback_(std::move(*std::static_pointer_cast<ViewType>(data)));
    }
  }
  void set_on_ready_callback(std::function<void(std::size_t, int)> callback) override {
    on_ready_ = std::move(callback);
    listen([](const void* self, std::size_t count) {
      static_cast<const Subscription*>(self)->on_ready_(count, 0);
    });
  }
  void clear_on_ready_callback() override { listen(nullptr); }
  /// From Kilted on. It has none.
  std::vector<std::shared_ptr<rclcpp::TimerBase>> get_timers() const { return {}; }

 private:
  void listen(rcl_event_callback_t callback) {
    if (rcl_subscription_set_on_new_message_callback(&handle_, callback, this) != RCL_RET_OK) {
      detail::fail("no callback for " + topic_);
    }
  }

  /// Null: there is none, as many as may be are in use, or it is no such message.
  std::shared_ptr<ViewType> take() {
    const detail::Middleware& middleware = detail::Middleware::get();
    const rmw_subscription_t* const rmw = rcl_subscription_get_rmw_handle(&handle_);
    std::shared_ptr<ViewType> taken(new ViewType());
    rmw_ligament_array_t array{};
    bool is_taken = false;
    rmw_ret_t result = middleware.take(rmw, &taken->view_, &is_taken);
    if (result == RMW_RET_OK && is_taken) {
      result = middleware.read(rmw, &taken->view_, &taken->message_, offset_, &array);
    }
    if (result != RMW_RET_OK) {
      const std::string why = rcutils_get_error_string().str;
      rcutils_reset_error();
      RCLCPP_ERROR_SKIPFIRST_THROTTLE(logger_, clock_, 1000, "%s: %s", topic_.c_str(), why.c_str());
      return nullptr;
    }
    if (!is_taken) {
      return nullptr;
    }
    using Number = typename Sequence::value_type;
    const Sequence& own = taken->message_.*member_;
    taken->array_ = array.data != nullptr
                        ? std::span(reinterpret_cast<const Number*>(array.data), array.count)
                        : std::span<const Number>(own.begin(), own.end());
    return taken;
  }

  std::shared_ptr<rcl_node_t> node_;
  rclcpp::Logger logger_;
  rclcpp::Clock clock_{RCL_STEADY_TIME};
  std::string topic_;
  Sequence Message::*member_;
  std::size_t offset_;
  Callback callback_;
  std::function<void(std::size_t, int)> on_ready_;
  rcl_subscription_t handle_ = rcl_get_zero_initialized_subscription();
  std::size_t place_ = 0;  ///< in the wait set of the executor that waits now
};

/// `callback` is called with a `View<Message, Number>`, by the executor of the node. The
/// subscription ends when the pointer that is returned and the node's executor let go of it.
template <typename Message, typename Sequence, typename Callback>
std::shared_ptr<Subscription<Message, Sequence>> subscribe(
    rclcpp::Node& node, const std::string& topic, const rclcpp::QoS& qos, Sequence Message::*member,
    Callback&& callback, const rclcpp::CallbackGroup::SharedPtr& group = nullptr) {
  auto subscription = std::make_shared<Subscription<Message, Sequence>>(
      node, topic, qos, member, std::forward<Callback>(callback));
  node.get_node_waitables_interface()->add_waitable(subscription, group);
  return subscription;
}

/// A message that is written where its subscriptions will read it. Given back where it is not
/// published. Its publisher publishes nothing else meanwhile, and must outlive it.
template <typename Number>
class Loan {
 public:
  Loan(Loan&& other) noexcept
      : publisher_(other.publisher_),
        loan_(std::exchange(other.loan_, {})),
        array_(std::exchange(other.array_, {})) {}
  Loan& operator=(Loan&&) = delete;
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;
  ~Loan() { detail::Middleware::get().give_back(&loan_); }

  /// To be filled: the elements have any content.
  [[nodiscard]] std::span<Number> array() const { return array_; }
  /// Once. The array must not be written to any more.
  void publish() {
    array_ = {};
    if (detail::Middleware::get().publish(publisher_, &loan_) != RMW_RET_OK) {
      detail::fail("a loan is not published");
    }
  }

 private:
  template <typename M, typename S>
  friend Loan<typename S::value_type> loan(rclcpp::Publisher<M>& publisher, const M& message,
                                           S M::*member, std::size_t count);
  Loan() = default;
  const rmw_publisher_t* publisher_ = nullptr;
  rmw_ligament_loan_t loan_{};
  std::span<Number> array_;
};

/// Lends memory for `message` with `count` elements of `member`, whatever the message has there.
template <typename Message, typename Sequence>
Loan<typename Sequence::value_type> loan(rclcpp::Publisher<Message>& publisher,
                                         const Message& message, Sequence Message::*member,
                                         std::size_t count) {
  using Number = typename Sequence::value_type;
  Loan<Number> lent;
  lent.publisher_ = rcl_publisher_get_rmw_handle(publisher.get_publisher_handle().get());
  rmw_ligament_array_t array{};
  if (detail::Middleware::get().borrow(lent.publisher_, &message, detail::offset_of(member), count,
                                       &lent.loan_, &array) != RMW_RET_OK) {
    detail::fail(std::string("no loan on ") + publisher.get_topic_name());
  }
  lent.array_ = {reinterpret_cast<Number*>(array.data), array.count};
  return lent;
}

}  // namespace ligament::views
