#pragma once
/// Undoes a request's Content-Encoding. The list is taken from right to left: zstd, gzip, x-gzip,
/// deflate, br and identity. Wire facts: spec/http.md 1.5, for every path.
/// errc::limit_exceeded: more than the bound came out of one coding (a bomb stops there);
/// errc::not_found: an unknown coding or too many of them, named in the detail;
/// errc::invalid_input: the bytes are not what their coding says.

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace tidegate::http {

/// Codings in one list; more is refused before any work.
inline constexpr std::size_t codings_max = 4;
/// Spare capacity behind a body, so that simdjson reads it in place.
inline constexpr std::size_t body_padding = 64;

/// What is served, as Accept-Encoding tells it.
inline constexpr const char* served_codings = "gzip, deflate, br, zstd";

/// errc::not_found as above, before there is a body.
result<void> check_codings(std::string_view codings);

/// Replaces `body` by what it holds; it is unspecified after a failure.
result<void> decode_body(std::string& body, std::string_view codings, std::size_t bytes_max);

}  // namespace tidegate::http
