#include "protocol/canonical/error_words.hpp"

#include <array>

namespace tidegate::protocol {
namespace {

struct code_status {
  std::string_view code;
  int status;
};
constexpr std::array code_statuses{
    code_status{"rate_limit_exceeded", 429}, code_status{"rate_limit_error", 429},
    code_status{"usage_limit_reached", 429}, code_status{"usage_not_included", 429},
    code_status{"insufficient_quota", 429},  code_status{"invalid_request_error", 400},
    code_status{"invalid_prompt", 400},      code_status{"context_length_exceeded", 400},
    code_status{"cyber_policy", 400},        code_status{"bio_policy", 400},
    code_status{"invalid_api_key", 401},     code_status{"authentication_error", 401},
    code_status{"permission_error", 403},    code_status{"model_not_found", 404},
    code_status{"not_found_error", 404},     code_status{"server_is_overloaded", 503},
    code_status{"overloaded_error", 503},    code_status{"slow_down", 503},
    code_status{"server_error", 500},        code_status{"internal_server_error", 500}};

}  // namespace

int status_of_words(std::string_view type, std::string_view code) {
  for (const auto& one : code_statuses) {
    if (one.code == code || one.code == type) return one.status;
  }
  return 0;
}

}  // namespace tidegate::protocol
