#pragma once
/// What makes a request head wrong, and what its request line means. Pure; the reader acts on it.

#include <optional>
#include <string>
#include <string_view>

#include "http/net/asio.hpp"
#include "http/server/request.hpp"

namespace tidegate::http {

/// The answer that a mistake deserves; the text is ours and holds no byte of the request.
struct problem {
  int status;
  const char* message;
};

/// Of an error of Beast's parser inside a head; `input` is what it did not take.
problem problem_of(const error_code& ec, std::string_view input);

/// False for bytes that cannot start a request, such as a TLS hello on a plain port.
bool begins_like_a_method(char c);

/// Origin form as it is; absolute form (a client that takes us for a proxy) without its authority.
void split_target(std::string_view target, std::string& path, std::string& query);

/// What is wrong with a head that Beast takes as well-formed. The framing of such a request is not
/// to be trusted, so that its connection ends.
std::optional<problem> framing_problem(const request& what, bool http10, bool chunked);

}  // namespace tidegate::http
