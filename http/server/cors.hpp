#pragma once
/// The CORS block that responses of the listener carry, also the session's own errors: any origin
/// may call, without credentials. Only a page that may not call goes without (`origins.hpp`). Ready
/// header lines, each ended by CRLF.
/// Wire facts: spec/http.md 1.4 with our own header names; the longer list is T86.

#include <string_view>

#include "quota/options.hpp"

#define TG_CORS_COMMON                                                                 \
  "Access-Control-Allow-Origin: *\r\n"                                                 \
  "Access-Control-Allow-Methods: GET, POST, PUT, PATCH, DELETE, OPTIONS\r\n"           \
  "Access-Control-Allow-Headers: *\r\n"                                                \
  "Access-Control-Expose-Headers: X-Tidegate-Trace-Id, X-Tidegate-Version, Location, " \
  "Retry-After, X-Request-Id, OpenAI-Request-Id"

namespace tidegate::http {

inline constexpr std::string_view cors_retryable = TG_CORS_COMMON "\r\n";
inline constexpr std::string_view cors_usage_limit = TG_CORS_COMMON
    ", X-Should-Retry, X-Codex-Primary-Used-Percent, X-Codex-Primary-Window-Minutes, "
    "X-Codex-Primary-Reset-At, X-Codex-Secondary-Used-Percent, X-Codex-Secondary-Window-Minutes, "
    "X-Codex-Secondary-Reset-At\r\n";

constexpr std::string_view cors_block(quota::response_mode mode) {
  return mode == quota::response_mode::usage_limit ? cors_usage_limit : cors_retryable;
}

}  // namespace tidegate::http

#undef TG_CORS_COMMON
