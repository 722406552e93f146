#include "provider/classify.hpp"
#include "provider/claude/provider.hpp"
#include "provider/codex/body.hpp"
#include "provider/codex/provider.hpp"
#include "provider/gemini/provider.hpp"
#include "provider/openai_compatibility/provider.hpp"

#include <algorithm>
#include <array>

namespace tidegate::provider {

using protocol::thinking_dialect;
using protocol::wire;

std::span<const descriptor> registry() {
  static const std::array<descriptor, kind_count> rows{{
      {kind::codex, "codex", wire::openai_responses, thinking_dialect::codex, codex::serves,
       codex::build_request, codex::classify, codex::classify_frame, codex::windows,
       codex::frame_windows, codex::listed_models(), codex::is_family},
      {kind::openai_compatibility, "openai-compatibility", wire::openai_chat,
       thinking_dialect::chat, openai_compatibility::serves, openai_compatibility::build_request,
       openai_compatibility::classify, openai_compatibility::classify_frame, no_windows,
       no_frame_windows, openai_compatibility::listed_models(), openai_compatibility::is_family},
      {kind::claude, "claude", wire::anthropic_messages, thinking_dialect::claude, claude::serves,
       claude::build_request, claude::classify, claude::classify_frame, claude::windows,
       no_frame_windows, claude::listed_models(), claude::is_family},
      {kind::gemini, "gemini", wire::gemini, thinking_dialect::gemini, gemini::serves,
       gemini::build_request, gemini::classify, gemini::classify_frame, no_windows,
       no_frame_windows, gemini::listed_models(), gemini::is_family},
  }};
  return rows;
}

bool stores_nothing(const credential& who) {
  return who.provider == kind::codex && codex::is_chatgpt_backend(who);
}

bool can_serve(const descriptor& who, protocol::surface s) {
  return who.serves(s) || protocol::generates(s);
}

const descriptor& descriptor_of(kind k) {
  const auto rows = registry();
  const auto at =
      std::find_if(rows.begin(), rows.end(), [k](const auto& row) { return row.id == k; });
  TG_ASSERT(at != rows.end());
  return *at;
}

}  // namespace tidegate::provider
