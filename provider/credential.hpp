#pragma once
/// A live credential's immutable record: what is needed to call its provider. Made from a
/// configuration entry or a credential file; shared as `shared_ptr<const credential>`.

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/secret_string.hpp"
#include "base/time.hpp"
#include "provider/options.hpp"
#include "quota/options.hpp"

namespace tidegate::provider {

enum class auth_kind : std::uint8_t { api_key, account };

/// What a Google service account signs its token requests with.
struct service_account {
  std::string client_email;
  std::string private_key_id;
  secret_string private_key;            ///< PEM, line breaks restored
  std::string token_uri;

  friend bool operator==(const service_account&, const service_account&) = default;
};

struct credential {
  credential_id id;
  std::string auth_index;               ///< 16 lower-case hex, spec/quota.md 1.2; management only
  kind provider = kind::codex;
  std::string provider_name;            ///< shown to clients: `codex`, `claude`, the compat entry's name
  auth_kind auth = auth_kind::api_key;
  std::string label;                    ///< e-mail or entry name, for people
  std::string source;                   ///< `config:codex[0]` or the file's path
  std::string file;                     ///< path relative to auth-dir; empty for a config key
  secret_string secret;                 ///< API key or access token
  std::string account_id;               ///< Codex: ChatGPT account
  std::string plan_type;                ///< Codex: from the id token or the file
  std::optional<instant> subscribed_from;   ///< Codex: of the plan, from the id token
  std::optional<instant> subscribed_until;  ///< the same
  std::optional<instant> expires_at;    ///< of the access token
  std::optional<instant> refreshed_at;  ///< when the tokens were given out; its lifetime follows
  secret_string refresh_token;          ///< empty = the access token cannot be renewed with one
  std::optional<service_account> signer;  ///< renews the access token instead of a refresh token
  std::optional<std::chrono::seconds> refresh_interval;  ///< of the file; replaces the lead time
  std::string project_id;               ///< Vertex, Antigravity
  std::string location;                 ///< Vertex; never empty there
  std::string device_id;                ///< Kimi: of the login
  std::string base_url;                 ///< never empty, no trailing slash
  secret_string proxy_url;              ///< empty = use the global one; `direct` = none
  std::string prefix;
  header_list headers;
  std::vector<model_entry> models;      ///< empty = what the kind lists by itself
  std::vector<std::string> excluded_models;
  int priority = 0;
  std::int64_t weight = 1;
  bool disabled = false;                ///< operator switch: not a candidate
  bool status_disabled = false;         ///< life cycle: candidate that vetoes
  std::optional<bool> disable_cooling;
  std::optional<int> request_retry;
  int max_concurrency = 0;              ///< requests at a time; 0 = no limit
  std::vector<error_rule> error_rules;
  std::string note;

  friend bool operator==(const credential&, const credential&) = default;
};

using credential_ptr = std::shared_ptr<const credential>;

/// Records of all entries of the configuration, ids unique (`-1`, `-2` on collision), in order.
std::vector<credential> from_config(const credential_options& options);

/// The record of one credential file. `relative_path` is its path below auth-dir and becomes the
/// id; `text` the file's bytes. errc::not_found: a type that this build does not serve (the detail
/// names it); errc::invalid_input: unreadable, with what is wrong.
result<credential> from_file(std::string_view relative_path, std::string_view absolute_path,
                             std::string_view text, const credential_options& options);

/// 16 hex digits of spec/quota.md 1.2.
std::string auth_index_of(std::string_view seed);

}  // namespace tidegate::provider
