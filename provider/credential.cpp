#include "provider/credential.hpp"

#include "base/hash.hpp"
#include "provider/credential_parts.hpp"
#include "provider/text_match.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

namespace tidegate::provider {

namespace {

constexpr std::size_t id_digits = 12;
constexpr std::size_t auth_index_digits = 16;

/// Sorted by lower-case name, so that the order in the file does not change the identity.
std::string serialised(const header_list& headers) {
  std::vector<std::string> lines;
  for (const auto& [name, value] : headers) {
    lines.push_back(lower(trimmed(name)) + ":" + std::string{trimmed(value)});
  }
  std::sort(lines.begin(), lines.end());
  return fmt::format("{}", fmt::join(lines, "\n"));
}

std::string id_of(std::string_view id_kind, const std::vector<std::string_view>& parts) {
  std::string seed{id_kind};
  for (const auto part : parts) {
    seed.push_back('\0');
    seed.append(trimmed(part));
  }
  return std::string{id_kind} + ":" + sha256_hex(seed).substr(0, id_digits);
}

std::string id_of(const key_entry& entry) {
  const auto key = entry.api_key.reveal();
  const auto proxy = entry.proxy_url.reveal();
  if (entry.provider == kind::openai_compatibility) {
    const std::string id_kind = "openai-compatibility:" + lower(trimmed(entry.name));
    if (key.empty()) return id_of(id_kind, {entry.base_url});
    return id_of(id_kind, {key, entry.base_url, proxy});
  }
  if (entry.provider == kind::vertex) return id_of("vertex", {key, entry.base_url, proxy});
  const std::string headers = serialised(entry.headers);
  return id_of(to_string(entry.provider), {key, entry.base_url, proxy, entry.prefix, headers});
}

/// Empty: the index is made from the id.
std::string_view index_family(kind k) {
  switch (k) {
    case kind::codex: return "codex-api-key";
    case kind::openai_compatibility: return "openai-compatibility";
    case kind::claude: return "claude-api-key";
    case kind::gemini: return "gemini-api-key";
    case kind::vertex: return "vertex-api-key";
    case kind::antigravity: return "antigravity-api-key";
    case kind::xai: return "xai-api-key";
    case kind::kimi: return "kimi-api-key";
  }
  return "";
}

/// Gives the second and further users of an id `-1`, `-2`, ...
class unique_ids {
 public:
  std::string take(std::string id) {
    if (used_.insert(id).second) return id;
    for (int& next = next_[id];;) {
      std::string candidate = fmt::format("{}-{}", id, ++next);
      if (used_.insert(candidate).second) return candidate;
    }
  }

 private:
  std::unordered_set<std::string> used_;
  std::unordered_map<std::string, int> next_;
};

credential record_of(const key_entry& entry) {
  credential made;
  const auto family = index_family(entry.provider);
  if (!family.empty()) {
    made.auth_index =
        auth_index_of(fmt::format("{}:{}+{}", family, entry.base_url, entry.api_key.reveal()));
  }
  made.provider = entry.provider;
  const bool compat = entry.provider == kind::openai_compatibility;
  made.provider_name =
      compat && !entry.name.empty() ? entry.name : std::string{to_string(entry.provider)};
  made.auth = auth_kind::api_key;
  made.label = entry.name.empty() ? std::string{to_string(entry.provider)} : entry.name;
  made.secret = entry.api_key;
  made.base_url = effective_base_url(entry.base_url, entry.provider);
  made.proxy_url = entry.proxy_url;
  made.prefix = clean_prefix(entry.prefix);
  made.headers = entry.headers;
  made.models = entry.models;
  made.excluded_models = clean_patterns(entry.excluded_models);
  made.priority = entry.priority;
  made.weight = entry.weight > 0 && entry.weight <= weight_max ? entry.weight : 0;
  made.disabled = entry.disabled;
  made.disable_cooling = entry.disable_cooling;
  if (entry.request_retry && *entry.request_retry >= 0) made.request_retry = entry.request_retry;
  made.max_concurrency = entry.max_concurrency;
  made.error_rules = entry.error_rules;
  return made;
}

}  // namespace

std::string auth_index_of(std::string_view seed) {
  return sha256_hex(seed).substr(0, auth_index_digits);
}

std::vector<credential> from_config(const credential_options& options) {
  std::vector<credential> made;
  unique_ids ids;
  std::array<std::size_t, kind_count> position{};
  for (const auto& entry : options.keys) {
    const std::size_t index = position[static_cast<std::size_t>(entry.provider)]++;
    credential record = record_of(entry);
    const bool nothing_to_call = record.base_url.empty();
    if (nothing_to_call || (entry.api_key.empty() && trimmed(entry.base_url).empty())) continue;
    record.id.value = ids.take(id_of(entry));
    if (record.auth_index.empty()) record.auth_index = auth_index_of("id:" + record.id.value);
    record.source = fmt::format("config:{}[{}]", to_string(entry.provider), index);
    made.push_back(std::move(record));
  }
  return made;
}

}  // namespace tidegate::provider
