#pragma once
/// Answers that the HTTP layer itself gives, in the shape of the path's protocol where it is known
/// and as `{"error":{"message":...,"type":"invalid_request_error"}}` where it is not. Pure.

#include <optional>
#include <string_view>

#include "protocol/failure.hpp"

namespace tidegate::http {

/// `message` is a fixed text of ours, never bytes of the request unless they were checked.
protocol::reply refusal(int status, std::string_view message, std::optional<protocol::wire> form,
                        protocol::failure_kind kind = protocol::failure_kind::invalid_request);

}  // namespace tidegate::http
