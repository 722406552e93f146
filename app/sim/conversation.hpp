#pragma once
/// A request as the simulated model hears it, in no protocol's words. Hearing is as strict as the
/// vendor's API: shape of the body (vendor_shapes.hpp), order of roles, tool results that belong to
/// calls, thinking with its own token, limits of fields. Pure.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/sim/call.hpp"
#include "base/error.hpp"

namespace tidegate::sim {

struct heard_result {
  std::string name;  ///< of the tool
  std::string text;
};

struct conversation {
  std::string system;                ///< all of it, joined by newlines
  std::string order;                 ///< text of the last user turn that is no tool result
  std::vector<std::string> media;    ///< since then: `image/png 70 bytes`, `url https://...`
  std::vector<heard_result> results; ///< since then
  int rounds = 0;                    ///< batches of results since then
  int signed_thoughts = 0;           ///< tokens of thinking in the whole conversation
  std::vector<std::string> tools;    ///< names of the declared functions
  std::optional<nlohmann::ordered_json> schema;  ///< the answer has to be an instance of it
  bool thinks = false;               ///< thinking was asked for
  bool shows_thinking = false;       ///< and its text, too
  bool wants_token = false;          ///< and the token
};

/// errc::invalid_input with the vendor's objection when its API would refuse the request.
result<conversation> hear(protocol::wire form, const incoming& request, bool stream);

using heard = result<conversation>;
heard hear_chat(const nlohmann::ordered_json& body);
heard hear_responses(const nlohmann::ordered_json& body);
heard hear_messages(const nlohmann::ordered_json& body);
heard hear_gemini(const nlohmann::ordered_json& body);

}  // namespace tidegate::sim
