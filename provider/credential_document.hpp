#pragma once
/// A credential file's JSON for changing: read with its order, fields found in both spellings,
/// written in the layout that it had.

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace tidegate::provider {

inline constexpr std::size_t credential_text_bytes_max = 1024 * 1024;

class credential_document {
 public:
  using object = nlohmann::ordered_json;

  /// errc::invalid_input: no JSON object within the bounds.
  static result<credential_document> parse(std::string_view text);

  object& root() { return root_; }
  /// The nested `token` object; null when there is none.
  object* token();
  std::string type() const;  ///< lower case

  /// errc::invalid_input: it has grown beyond the bound.
  result<std::string> text() const;

 private:
  object root_;
  int indent_ = -1;  ///< -1 = on one line
  char blank_ = ' ';
  bool line_end_ = false;
};

/// `a-b` for `a_b`.
std::string kebab_case(std::string_view name);

/// Sets the field in each of its spellings that is there; false when there is none.
bool replace_field(nlohmann::ordered_json& in, std::string_view name,
                   const nlohmann::ordered_json& value);
/// The same, added in snake case when there is none.
void set_field(nlohmann::ordered_json& in, std::string_view name,
               const nlohmann::ordered_json& value);
/// Removes each of its spellings; whether there was one.
bool remove_field(nlohmann::ordered_json& in, std::string_view name);

}  // namespace tidegate::provider
