#pragma once
/// Where the answer to one login in a browser comes in, whoever brings it: the listener for the
/// browser, or a person who pastes it. The first that belongs to the login counts. Owner: the
/// login; all calls on one executor that runs one thing at a time.

#include <chrono>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/secret_string.hpp"
#include "http/net/asio.hpp"

namespace tidegate::http::login {

class answer_box {
 public:
  answer_box(const asio::any_io_executor& on, secret_string state);

  /// The code in an answer. errc::cancelled: the page reports that the login was refused; every
  /// other error: this is no answer to this login.
  result<secret_string> look_at(std::string_view answer) const;

  /// Takes what look_at() made of an answer; one that is none is left out, as is a second one.
  void take(const result<secret_string>& found);

  bool answered() const { return answer_.has_value(); }

  /// The code, or errc::cancelled; errc::timed_out after `patience`. One caller.
  awaitable<result<secret_string>> wait(std::chrono::milliseconds patience);

 private:
  secret_string state_;
  std::optional<result<secret_string>> answer_;
  asio::steady_timer arrived_;
};

}  // namespace tidegate::http::login
