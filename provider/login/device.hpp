#pragma once
/// Login on another device (RFC 8628, and Codex's own shape of it): a code that a person enters at
/// the provider's page while the gateway asks whether it is done. Pure; the waits are the caller's.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "provider/token.hpp"

namespace tidegate::provider::login {

/// A login that has begun.
struct device_session {
  secret_string device_code;         ///< the gateway's part
  std::string user_code;             ///< the person's part
  std::string verification_url;      ///< where to enter it; https or loopback
  std::chrono::seconds interval{5};  ///< between two questions, 1 to 60
  instant expires_at{};
};

enum class device_state : std::uint8_t {
  pending,      ///< ask again after the interval
  slow_down,    ///< the same, and the interval grows
  unavailable,  ///< no usable answer: ask again after the interval
  approved,     ///< there is a code, still to be exchanged for tokens
  done,         ///< there are tokens
  denied,       ///< final: the person or the provider said no
  expired,      ///< final: nobody entered the code in time
};

struct device_answer {
  device_state state = device_state::unavailable;
  fresh_tokens tokens{};     ///< done
  secret_string code{};      ///< approved
  secret_string verifier{};  ///< approved
  std::string reason{};      ///< denied, unavailable: for people, without secrets
};

/// One provider's device login. The client's empty fields stand for the defaults; `device_id` is
/// the one that Kimi is told, others ignore it.
struct device_rules {
  result<upstream_request> (*start)(const oauth_client& client, std::string_view device_id);
  /// errc::unavailable: the endpoint says no, or its answer cannot be used.
  result<device_session> (*read_start)(const oauth_client& client, int status,
                                       const header_lookup& header, std::string_view body,
                                       instant now);
  result<upstream_request> (*poll)(const oauth_client& client, const device_session& session,
                                   std::string_view device_id);
  device_answer (*read_poll)(int status, const header_lookup& header, std::string_view body,
                             instant now);
  /// For device_state::approved; null where no answer is one. Its answer is read like one to a
  /// renewal (token_rules::read).
  result<upstream_request> (*exchange)(const oauth_client& client, const device_answer& approved);
};

/// Null for providers without such a login.
const device_rules* device_rules_of(kind k);

/// The interval after this answer: five seconds more for slow_down, 60 at most.
std::chrono::seconds interval_after(std::chrono::seconds interval, device_state answer);

}  // namespace tidegate::provider::login
