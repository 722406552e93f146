#include "provider/options.hpp"

#include <array>

namespace tidegate::provider {

namespace {

constexpr std::array<kind, kind_count> all_kinds{kind::codex, kind::openai_compatibility,
                                                 kind::claude, kind::gemini, kind::vertex,
                                                 kind::antigravity, kind::xai, kind::kimi};

}  // namespace

std::string_view to_string(kind k) {
  switch (k) {
    case kind::codex: return "codex";
    case kind::openai_compatibility: return "openai-compatibility";
    case kind::claude: return "claude";
    case kind::gemini: return "gemini";
    case kind::vertex: return "vertex";
    case kind::antigravity: return "antigravity";
    case kind::xai: return "xai";
    case kind::kimi: return "kimi";
  }
  return "unknown";
}

std::optional<kind> kind_from_string(std::string_view name) {
  for (const kind k : all_kinds) {
    if (to_string(k) == name) return k;
  }
  return std::nullopt;
}

}  // namespace tidegate::provider
