#include "http/login/answer_box.hpp"

#include "provider/login/callback.hpp"

namespace tidegate::http::login {

answer_box::answer_box(const asio::any_io_executor& on, secret_string state)
    : state_(std::move(state)), arrived_(on) {}

result<secret_string> answer_box::look_at(std::string_view answer) const {
  const auto parsed = provider::login::parse_callback(answer);
  if (!parsed) return std::unexpected{parsed.error()};
  return provider::login::code_of(*parsed, state_);
}

void answer_box::take(const result<secret_string>& found) {
  if (answer_ || (!found && found.error().code != errc::cancelled)) return;
  answer_ = found;
  arrived_.cancel();
}

awaitable<result<secret_string>> answer_box::wait(std::chrono::milliseconds patience) {
  if (!answer_) {
    arrived_.expires_after(patience);
    co_await arrived_.async_wait(no_throw);
  }
  if (!answer_) co_return failed(errc::timed_out, "no answer came from the login page");
  co_return *answer_;
}

}  // namespace tidegate::http::login
