#pragma once
/// Credential entries as the configuration states them, one per key or account, already merged
/// with their group and validated. provider/credential.hpp turns them into live records.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/secret_string.hpp"

namespace tidegate::provider {

/// Upstream kinds this build can call.
enum class kind : std::uint8_t {
  codex,
  openai_compatibility,
  claude,
  gemini,
  vertex,
  antigravity,
  xai,
  kimi,
};

inline constexpr std::size_t kind_count = 8;

/// `codex`, `openai-compatibility`, `claude` and so on.
std::string_view to_string(kind k);
std::optional<kind> kind_from_string(std::string_view name);

/// A name and a value that can stand in a message, and not one of the headers that frame it.
bool is_header(std::string_view name, std::string_view value);

inline constexpr std::int64_t context_window_max = 100'000'000;
inline constexpr int concurrency_max = 100'000;

/// How a model can be told how much to think, in the operator's words.
struct model_thinking {
  std::vector<std::string> levels;  ///< none, minimal, low, medium, high, xhigh, max, auto
  std::int64_t budget_min = 0;      ///< tokens
  std::int64_t budget_max = 0;      ///< tokens; 0 = it takes no budget
  bool zero_allowed = false;
  bool dynamic_allowed = false;

  friend bool operator==(const model_thinking&, const model_thinking&) = default;
};

struct model_entry {
  std::string name;                 ///< upstream name
  std::string alias;                ///< client-visible name; equal to `name` when none was given
  bool force_mapping = false;       ///< report the alias back in the response
  bool fork = false;                ///< of an account's alias: `name` stays visible beside it
  std::string display_name = {};    ///< for model lists; empty = not given
  std::int64_t context_window = 0;  ///< tokens; 0 = not given
  std::vector<std::string> input_modalities = {};  ///< text, image, audio, video; empty = not given
  std::vector<std::string> output_modalities = {};
  std::optional<model_thinking> thinking = {};  ///< for model lists
  int max_concurrency = 0;  ///< requests at a time; 0 = no limit

  friend bool operator==(const model_entry&, const model_entry&) = default;
};

/// `request-scoped-errors` rule, in the order of the file.
struct error_rule {
  int status = 0;                        ///< must equal the upstream status
  std::vector<std::string> match;        ///< case-sensitive substrings of the raw body
  std::vector<std::string> match_regex;  ///< RE2 patterns
  std::string action;  ///< stop, stop-and-cooldown, continue, continue-and-cooldown

  friend bool operator==(const error_rule&, const error_rule&) = default;
};

using header_list = std::vector<std::pair<std::string, std::string>>;

struct key_entry {
  kind provider = kind::codex;
  std::string name;                          ///< group name; compat: the provider's own name
  secret_string api_key;                     ///< may be empty when base_url is set
  std::string base_url;                      ///< no trailing slash; empty = the provider's own
  secret_string proxy_url;                   ///< empty = requests.proxy-url; `direct` bypasses it
  std::string prefix;                        ///< model namespace without slashes
  header_list headers;                       ///< `$Name` copies the client's header
  std::vector<model_entry> models;           ///< empty = what the kind lists by itself
  std::vector<std::string> excluded_models;  ///< exact, `x*`, `*x`, `*x*`, lower case
  int priority = 0;
  std::int64_t weight = 1;  ///< 0 = never picked under the weighted strategy
  bool disabled = false;
  std::optional<bool> disable_cooling;
  std::optional<int> request_retry;
  int max_concurrency = 0;                  ///< requests at a time; 0 = no limit
  std::vector<error_rule> error_rules;
};

/// How one provider's account logins and token renewals are addressed. Empty fields stand for the
/// documented defaults of the provider.
struct oauth_client {
  std::string client_id;
  secret_string client_secret;  ///< vendors that want one do not make it public: never built in
  std::string authorize_url;
  std::string token_url;
  std::string device_url;  ///< where a device login begins

  friend bool operator==(const oauth_client&, const oauth_client&) = default;
};

/// The documented defaults; empty fields where a provider has none.
const oauth_client& default_oauth_client(kind k);

/// `own` with its empty fields filled from the defaults.
oauth_client with_defaults(kind k, oauth_client own);

struct credential_options {
  std::string auth_dir = "~/.tidegate";  ///< credential files and `.cds` files
  std::vector<key_entry> keys;
  std::vector<std::pair<kind, error_rule>> oauth_error_rules;
  std::vector<std::pair<kind, std::string>> oauth_excluded_models;
  std::vector<std::pair<kind, model_entry>> oauth_model_aliases;
  std::vector<std::pair<kind, oauth_client>> oauth_clients;  ///< at most one a kind
};

/// What the configuration says about a kind's client, with the defaults filled in.
oauth_client oauth_client_of(const credential_options& options, kind k);

}  // namespace tidegate::provider
