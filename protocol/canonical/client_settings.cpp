#include "protocol/canonical/client_settings.hpp"

#include <algorithm>
#include <array>

namespace tidegate::protocol {
namespace {

struct known_member {
  std::string_view key;
  std::string_view rule;
};
constexpr std::array known_members{known_member{"audio", setting::audio},
                                   known_member{"container", setting::container},
                                   known_member{"context_management", setting::context_management},
                                   known_member{"inference_geo", setting::inference_geo},
                                   known_member{"logit_bias", setting::logit_bias},
                                   known_member{"max_tool_calls", setting::max_tool_calls},
                                   known_member{"mcp_servers", setting::mcp_servers},
                                   known_member{"mediaResolution", setting::media_resolution},
                                   known_member{"media_resolution", setting::media_resolution},
                                   known_member{"prediction", setting::prediction},
                                   known_member{"retrievalConfig", setting::retrieval_config},
                                   known_member{"retrieval_config", setting::retrieval_config},
                                   known_member{"safetySettings", setting::safety_settings},
                                   known_member{"safety_settings", setting::safety_settings},
                                   known_member{"truncation", setting::truncation}};

/// How an answer is delivered or filed; the gateway reads some of them itself.
constexpr std::array<std::string_view, 12> beside_the_answer{"model",
                                                             "stream",
                                                             "stream_options",
                                                             "background",
                                                             "conversation",
                                                             "prompt",
                                                             "betas",
                                                             "client_metadata",
                                                             "session_id",
                                                             "previous_response_id",
                                                             "prompt_cache_options",
                                                             "generate"};

}  // namespace

void note_setting(canonical_request& of, std::string_view rule) {
  if (std::ranges::find(of.unsaid, rule) == of.unsaid.end()) of.unsaid.push_back(rule);
}

void note_member(canonical_request& of, std::string_view key) {
  if (std::ranges::find(beside_the_answer, key) != beside_the_answer.end()) return;
  const auto known = std::ranges::find(known_members, key, &known_member::key);
  note_setting(of, known == known_members.end() ? setting::other : known->rule);
}

}  // namespace tidegate::protocol
