#include "provider/credential.hpp"

#include "provider/claims.hpp"
#include "provider/credential_checks.hpp"
#include "provider/credential_document.hpp"
#include "provider/credential_fields.hpp"
#include "provider/credential_parts.hpp"
#include "provider/provider.hpp"
#include "provider/text_match.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <unordered_set>

namespace tidegate::provider {

namespace {

using nlohmann::json;

constexpr std::size_t shown_type_bytes_max = 64;

/// The file's own aliases first; a channel-wide one only for a name that the file leaves alone.
std::vector<model_entry> with_channel_aliases(std::vector<model_entry> own, kind k,
                                              const credential_options& options) {
  std::unordered_set<std::string> taken;
  for (const auto& entry : own) taken.insert(lower(entry.alias));
  for (const auto& [channel, entry] : options.oauth_model_aliases) {
    if (channel == k && !taken.contains(lower(entry.alias))) own.push_back(entry);
  }
  return own;
}

void read_settings(credential& made, credential_fields& fields, const credential_options& options) {
  made.base_url = effective_base_url(base_url_of(fields), made.provider);
  made.proxy_url = proxy_url_of(fields);
  made.prefix = prefix_of(fields);
  made.headers = headers_of(fields);
  made.note = fields.text("note");
  made.disabled = fields.flag("disabled");
  made.status_disabled = lower(fields.text("status")) == "disabled";
  made.disable_cooling = fields.switch_of("disable_cooling");

  using int_limits = std::numeric_limits<int>;
  made.priority = static_cast<int>(
      fields.integer("priority", int_limits::min(), int_limits::max()).value_or(0));
  const auto weight =
      fields.integer("weight", std::numeric_limits<std::int64_t>::min(), weight_max).value_or(1);
  made.weight = std::max<std::int64_t>(weight, 0);
  const auto retry = fields.integer("request_retry", int_limits::min(), int_limits::max());
  if (retry && *retry >= 0) made.request_retry = static_cast<int>(*retry);
  made.refresh_interval = fields.refresh_interval();

  made.max_concurrency =
      static_cast<int>(fields.integer("max_concurrency", 0, concurrency_max).value_or(0));

  made.excluded_models = clean_patterns(patterns_of(fields));
  for (const auto& [channel, pattern] : options.oauth_excluded_models) {
    if (channel == made.provider) made.excluded_models.push_back(lower(trimmed(pattern)));
  }
  made.models = with_channel_aliases(fields.aliases("model_aliases"), made.provider, options);
  made.error_rules = fields.rules("request_scoped_errors");
  for (const auto& [channel, rule] : options.oauth_error_rules) {
    if (channel == made.provider) made.error_rules.push_back(rule);
  }
}

std::unexpected<error> unserved(const std::string& type) {
  // Somebody else's file may hold anything; only a short plain word is worth repeating.
  const bool plain =
      type.size() <= shown_type_bytes_max &&
      std::all_of(type.begin(), type.end(), [](char c) { return c > ' ' && c < 0x7f; });
  if (type.empty()) return failed(errc::not_found, "no credential: it has no `type`");
  return failed(errc::not_found, fmt::format("credential type `{}` is not served by this build",
                                             plain ? type : std::string{"(unprintable)"}));
}

}  // namespace

result<credential> from_file(std::string_view relative_path, std::string_view absolute_path,
                             std::string_view text, const credential_options& options) {
  if (relative_path.empty()) return failed(errc::invalid_input, "a credential file needs a path");
  const auto parsed = credential_json(text);
  if (!parsed) return std::unexpected{parsed.error()};
  const json document = *parsed;
  credential_fields fields{document};
  const std::string type = lower(fields.text("type"));
  if (!fields.problem().empty()) return failed(errc::invalid_input, fields.problem());
  const auto served = kind_from_string(type);
  const auto* of = served ? &descriptor_of(*served) : nullptr;
  if (of == nullptr || of->read_account == nullptr) return unserved(type);

  credential made;
  made.id.value = std::string{relative_path};
  made.file = made.id.value;
  made.source = std::string{absolute_path};
  made.provider = *served;
  made.provider_name = type;
  made.auth = auth_kind::account;
  const std::filesystem::path path{absolute_path};
  made.auth_index = auth_index_of(type + ":" + path.lexically_normal().string());
  read_settings(made, fields, options);
  of->read_account(made, fields);
  if (made.label.empty()) made.label = made.file;
  check_account(made, fields);
  const bool renewable = !made.refresh_token.empty() || made.signer;
  if (made.secret.empty() && !renewable) fields.report("`access_token` is missing");
  if (!fields.problem().empty()) return failed(errc::invalid_input, fields.problem());
  return made;
}

}  // namespace tidegate::provider
