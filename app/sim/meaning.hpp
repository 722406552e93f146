#pragma once
/// What an error of the script means before it takes a provider's form, and the words each
/// provider has for it. Pure.

#include <string>
#include <string_view>

#include "app/sim/script.hpp"
#include "protocol/surface.hpp"

namespace tidegate::sim {

struct meaning {
  int status = 500;
  std::string type;  ///< OpenAI error.type
  std::string code;  ///< OpenAI error.code; empty = null
  std::string message;
  std::string reason;  ///< Google ErrorInfo.reason; empty = no details
};

/// The preset or status of `spec` on `form`, with the script's own words put in.
meaning meaning_of(const failure_spec& spec, protocol::wire form);

/// The protocol whose body `spec` has: a preset of one provider keeps its dialect on any path.
protocol::wire dialect_of(const failure_spec& spec, protocol::wire form);

std::string_view anthropic_type(int status);
std::string_view google_status(int status);

}  // namespace tidegate::sim
