#pragma once
/// Waits on this machine's own addresses (127.0.0.1 and, where there is one, ::1) for the browser
/// that a login page sends back. Anybody on this machine can call it: the answer's state decides,
/// requests are few, short and soon over, and no answer repeats any of them.
/// Owner: the login, on the executor of its answer box; gone with this object.

#include <cstdint>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "http/login/answer_box.hpp"
#include "http/net/asio.hpp"

namespace tidegate::http::login {

inline constexpr std::size_t callback_head_bytes_max = 16 * 1024;
inline constexpr int callback_connections_max = 4;  ///< at a time; others wait
inline constexpr int callback_requests_max = 100;   ///< of one login
inline constexpr std::chrono::seconds callback_patience{10};

class callback_listener {
 public:
  /// Port 0: a free one. errc::io_failure: it cannot listen there, with the reason.
  static result<std::unique_ptr<callback_listener>> open(const asio::any_io_executor& on,
                                                         std::uint16_t port, std::string path,
                                                         std::shared_ptr<answer_box> into);
  ~callback_listener();
  callback_listener(const callback_listener&) = delete;
  callback_listener& operator=(const callback_listener&) = delete;

  std::uint16_t port() const;

 private:
  struct shared;
  explicit callback_listener(std::shared_ptr<shared> state) : state_(std::move(state)) {}
  std::shared_ptr<shared> state_;
};

}  // namespace tidegate::http::login
