#pragma once
/// Typed access to the fields of a credential file. A field has a snake-case and a kebab-case
/// spelling; the first wins, and null counts as absent. The first field of a wrong type or value
/// becomes the problem of the whole file; what follows it does not matter any more.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/time.hpp"
#include "provider/options.hpp"

namespace tidegate::provider {

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
  /// The first of the spellings of an expiry, also inside `token`; none for Go's zero time.
  std::optional<instant> expiry();

  void report(const std::string& problem);
  const std::string& problem() const { return problem_; }  ///< empty = none so far

 private:
  std::optional<instant> time_of(std::string_view name, const nlohmann::json& value);

  const nlohmann::json& object_;
  std::string problem_;
};

}  // namespace tidegate::provider
