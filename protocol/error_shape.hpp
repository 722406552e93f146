#pragma once
/// What the error encoders share: status, wording, reset arithmetic and the names that each
/// protocol gives to a status. Internal to protocol/. Tables: spec/http.md 1.10 and 2.5,
/// spec/quota.md 6 and 7.6.

#include "protocol/failure.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidegate::protocol {

int status_of(failure_kind kind);
/// Standard reason phrase; `Error` for an unknown status.
std::string_view reason_phrase(int status);

/// The sentence for the client, without the Messages suffix.
std::string message_of(const failure& what);
/// The same behind its code, for shapes that have no member for that.
std::string coded_message_of(const failure& what);
/// The provider when there is exactly one; empty otherwise.
std::string_view single_provider(const failure& what);

/// One reopening in its three forms. A usage limit counts the seconds to the whole second that it
/// names, a cooldown to the exact instant; the text is the exact remainder, rounded to nearest.
struct reset_view {
  std::int64_t at = 0;       ///< Unix seconds, rounded up
  std::int64_t seconds = 0;  ///< rounded up, never negative
  std::string text;          ///< Go duration
};
std::optional<reset_view> reset_of(const failure& what, instant now);

/// Content-Type, and what tells a client whether and when to come back.
std::vector<header> headers_of(wire form, const failure& what, instant now);

std::string_view openai_type(int status);
/// Empty when the status has none.
std::string_view openai_code(int status);
std::string_view anthropic_type(int status);
std::string_view google_status(int status);

/// The object behind `error` in the OpenAI shape.
std::string openai_error_object(const failure& what, instant now);

reply openai_reply(const failure& what, instant now);
reply anthropic_reply(const failure& what, instant now);
reply gemini_reply(const failure& what, instant now);

/// `{"type":"error","error":{"type":T,"message":M}}`.
std::string anthropic_error_body(std::string_view type, std::string_view message);

}  // namespace tidegate::protocol
