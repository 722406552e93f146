#pragma once
/// `co_await ask<T>(system, handle, messages...)` from a coroutine: sends a CAF request whose reply
/// resumes the coroutine on its own executor. A dead receiver or a dropped promise completes it
/// with an error too, so that no coroutine stays suspended.

#include <atomic>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <caf/actor_system.hpp>
#include <caf/error.hpp>
#include <caf/make_actor.hpp>
#include <caf/monitorable_actor.hpp>
#include <caf/sec.hpp>
#include <string>

#include "base/error.hpp"

namespace tidegate::actors {
namespace detail {

inline error unavailable_error() {
  return error{errc::unavailable, "an internal part did not answer; see the log"};
}

/// Actors refuse a name they do not know with sec::invalid_argument.
inline error error_of(const caf::error& reason) {
  if (reason == caf::sec::invalid_argument) return error{errc::not_found, "no such name"};
  return unavailable_error();
}

template <class T>
result<T> reply_of(caf::mailbox_element& element) {
  auto& content = element.content();
  if (content.template match_elements<T>()) return std::move(content.template get_mutable_as<T>(0));
  if (content.template match_elements<caf::error>()) {
    return std::unexpected<error>{error_of(content.template get_as<caf::error>(0))};
  }
  return std::unexpected<error>{unavailable_error()};
}

/// A one-shot sender without mailbox: its enqueue completes the Asio operation.
template <class T, class Handler>
class reply_sink : public caf::monitorable_actor {
 public:
  reply_sink(caf::actor_config& config, Handler&& handler)
      : caf::monitorable_actor(config), handler_(std::move(handler)) {}

  void enqueue(caf::mailbox_element_ptr what, caf::execution_unit*) override {
    if (what->mid.is_response() && !done_.exchange(true)) complete(reply_of<T>(*what));
  }

  void on_destroy() override {
    if (!done_.exchange(true)) complete(std::unexpected<error>{unavailable_error()});
    caf::monitorable_actor::on_destroy();
  }

 private:
  // Posted: user code must not run on the replying actor's stack.
  void complete(result<T> value) {
    auto on = boost::asio::get_associated_executor(handler_);
    boost::asio::post(on, [handler = std::move(handler_), value = std::move(value)]() mutable {
      std::move(handler)(std::move(value));
    });
  }

  Handler handler_;
  std::atomic<bool> done_{false};
};

}  // namespace detail

/// `T` is the reply type that the receiver's interface states for these messages.
template <class T, class Handle, class... Ts>
boost::asio::awaitable<result<T>> ask(caf::actor_system& system, Handle to, Ts... messages) {
  auto start = [&system](auto handler, Handle receiver, auto... parts) {
    using handler_type = std::decay_t<decltype(handler)>;
    caf::actor_config config;
    auto sink = caf::make_actor<detail::reply_sink<T, handler_type>, caf::strong_actor_ptr>(
        system.next_actor_id(), system.node(), &system, config, std::move(handler));
    const caf::message_id id{std::uint64_t{1} | caf::message_id::default_async_value};
    receiver->eq_impl(id, sink, nullptr, std::move(parts)...);
  };
  co_return co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<>&,
                                                 void(result<T>)>(
      start, boost::asio::use_awaitable, to, messages...);
}

}  // namespace tidegate::actors
