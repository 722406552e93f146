#pragma once
/// Account logins that management has begun: kept by their state, in memory, until they end, 30
/// minutes at most, and a minute longer with how they ended. Their truth lives on a strand of its
/// own; nothing runs between calls, so that a login which nobody asks about asks nobody.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "http/login/code_flow.hpp"
#include "http/login/device_flow.hpp"

namespace tidegate::http {

inline constexpr std::size_t login_sessions_max = 100;
inline constexpr std::chrono::minutes login_lifetime{30};
inline constexpr std::chrono::minutes login_memory{1};
/// Longest time for one question with its answer.
inline constexpr std::chrono::minutes login_question{2};

struct login_session {
  login::login_terms with;
  std::variant<login::code_login, provider::login::device_session> how;
  instant ends_at{};   ///< of the login
  instant next_ask{};  ///< device: not before
};

enum class login_way : std::uint8_t { code, device };

enum class login_phase : std::uint8_t { waiting, busy, done, failed };

struct login_status {
  login_phase phase = login_phase::waiting;
  std::string error;  ///< failed
};

class login_sessions {
 public:
  explicit login_sessions(const asio::any_io_executor& on);

  /// Keeps a login that has begun. errc::limit_exceeded: too many.
  awaitable<result<void>> add(std::string state, login_session session, instant now);

  /// How it stands; nullopt: unknown or forgotten.
  awaitable<std::optional<login_status>> status(std::string state, instant now);

  /// The right to go on with a waiting login of this way; finish() or put_back() gives it back, and
  /// it ends by itself after a while. A device login is only given when its next question is due.
  /// errc::not_found: unknown; errc::unavailable: of the other way, not waiting, or not due.
  awaitable<result<login_session>> take(std::string state, login_way way, instant now);
  awaitable<void> put_back(std::string state, login_session session);
  /// `trouble` empty: it went well.
  awaitable<void> finish(std::string state, std::string trouble, instant now);

  /// Forgets a login that has not ended; whether there was one. What is being asked for it comes
  /// to nothing: status() no longer knows it.
  awaitable<bool> cancel(std::string state, instant now);

 private:
  struct core;
  std::shared_ptr<core> core_;
};

}  // namespace tidegate::http
