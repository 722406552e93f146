#include "provider/credential_parts.hpp"

#include "provider/text_match.hpp"

namespace tidegate::provider {

std::string_view default_base_url(kind k) {
  switch (k) {
    case kind::codex: return "https://chatgpt.com/backend-api/codex";
    case kind::openai_compatibility: return "";
    case kind::claude: return "https://api.anthropic.com";
    case kind::gemini: return "https://generativelanguage.googleapis.com";
    case kind::vertex: return "https://aiplatform.googleapis.com";
    case kind::antigravity: return "https://daily-cloudcode-pa.googleapis.com";
    case kind::xai: return "https://api.x.ai/v1";
    case kind::kimi: return "https://api.kimi.com/coding";
  }
  return "";
}

std::string effective_base_url(std::string_view given, kind k) {
  std::string_view url = trimmed(given);
  while (url.ends_with('/')) url.remove_suffix(1);
  return std::string{url.empty() ? default_base_url(k) : url};
}

std::string clean_prefix(std::string_view prefix) {
  std::string_view clean = trimmed(prefix);
  while (clean.starts_with('/')) clean.remove_prefix(1);
  while (clean.ends_with('/')) clean.remove_suffix(1);
  return clean.find('/') == std::string_view::npos ? std::string{clean} : std::string{};
}

std::vector<std::string> clean_patterns(const std::vector<std::string>& patterns) {
  std::vector<std::string> clean;
  for (const auto& pattern : patterns) {
    std::string text = lower(trimmed(pattern));
    if (!text.empty()) clean.push_back(std::move(text));
  }
  return clean;
}

}  // namespace tidegate::provider
