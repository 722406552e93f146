#pragma once
/// A credential file's JSON for reading and for changing. What is changed keeps every byte of the
/// rest; fields are found in both spellings.

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "provider/object_text.hpp"

namespace tidegate::provider {

inline constexpr std::size_t credential_text_bytes_max = 1024 * 1024;

/// The file as a JSON object. A number beyond what a double holds, which only a field that nobody
/// here knows may be, is read as the largest double. errc::invalid_input: no JSON object within the
/// bounds, or one with a name twice.
result<nlohmann::ordered_json> credential_json(std::string_view text);

class credential_document {
 public:
  /// errc::invalid_input: as credential_json.
  static result<credential_document> parse(std::string_view text);

  object_text& root() { return root_; }
  /// The nested `token` object, to be put back with put_token; none when there is none.
  std::optional<object_text> token() const;
  void put_token(const object_text& token) { root_.set("token", token.str()); }
  std::string type() const;  ///< lower case

  /// The text of a value in the layout of the file.
  std::string laid_out(const nlohmann::ordered_json& value) const;

  /// errc::invalid_input: it has grown beyond the bound.
  result<std::string> text() const;

 private:
  object_text root_;
};

/// `a-b` for `a_b`.
std::string kebab_case(std::string_view name);

/// Sets the field to JSON text in each of its spellings that is there; false when there is none.
bool replace_field(object_text& in, std::string_view name, const std::string& raw);
/// The same, added in snake case when there is none.
void set_field(object_text& in, std::string_view name, const std::string& raw);
/// Removes each of its spellings; whether there was one.
bool remove_field(object_text& in, std::string_view name);

}  // namespace tidegate::provider
