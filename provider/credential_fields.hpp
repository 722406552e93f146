#pragma once
/// Typed access to the fields of a credential file. A field has a snake-case and a kebab-case
/// spelling; the first wins, and null counts as absent. The first field of a wrong type or value
/// becomes the problem of the whole file; what follows it does not matter any more.

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/time.hpp"
#include "provider/options.hpp"

namespace tidegate::provider {

/// Spellings of the time at which an access token ends, the first one counts; each also with
/// hyphens, and within `token`.
inline constexpr std::array<std::string_view, 6> expiry_names{
    "expired", "expire", "expires_at", "expiresAt", "expiry", "expires"};

/// Spellings of the time at which the tokens were given out.
inline constexpr std::array<std::string_view, 5> refresh_names{
    "last_refresh", "lastRefresh", "last_refreshed_at", "lastRefreshedAt", "timestamp"};

class credential_fields {
 public:
  /// `object` must be a JSON object and outlive this one.
  explicit credential_fields(const nlohmann::json& object) : object_(object) {}

  const nlohmann::json* find(std::string_view name) const;

  std::string text(std::string_view name);  ///< trimmed; empty when absent
  bool flag(std::string_view name);
  std::optional<bool> switch_of(std::string_view name);  ///< bool, number, or a word such as `true`
  /// A whole number or its text.
  std::optional<std::int64_t> integer(std::string_view name, std::int64_t low, std::int64_t high);
  std::vector<std::string> texts(std::string_view name);
  header_list headers(std::string_view name);
  std::vector<model_entry> aliases(std::string_view name);
  std::vector<error_rule> rules(std::string_view name);
  std::optional<instant> time(std::string_view name);  ///< nullopt when absent or Go's zero time
  /// The first of the spellings of an expiry, also inside `token`; none for Go's zero time. Each
  /// that is there must be a time.
  std::optional<instant> expiry();
  /// When the tokens were given out; the same.
  std::optional<instant> last_refresh();
  /// `refresh_interval_seconds` or `refresh_interval`; none for zero and less.
  std::optional<std::chrono::seconds> refresh_interval();

  void report(const std::string& problem);
  const std::string& problem() const { return problem_; }  ///< empty = none so far

 private:
  std::optional<instant> time_of(std::string_view name, const nlohmann::json& value);

  const nlohmann::json& object_;
  std::string problem_;
};

}  // namespace tidegate::provider
