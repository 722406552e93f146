#pragma once
/// A provider's error body or in-band error frame, read once and leniently. Error bodies are
/// hostile: a text that is too long, too deep or not JSON is kept as plain text, nothing throws,
/// and a one-element array stands for its element (Google sends that form on streams).

#include <nlohmann/json.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tidegate::provider {

inline constexpr std::size_t error_body_bytes_max = 64 * 1024;
inline constexpr int error_body_depth_max = 32;

class error_body {
 public:
  /// `text` must outlive the object.
  explicit error_body(std::string_view text);

  bool is_json() const { return !root_.is_null(); }
  /// The document; null when the text is not a JSON object.
  const nlohmann::json& root() const { return root_; }
  std::string_view text() const { return text_; }

  /// The first object among `error`, `response.error`, `body.error`; nullptr when there is none.
  const nlohmann::json* error() const;
  /// Where codes and types may stand: `error`, the top level, `response.error`, `body.error`.
  /// Entries are nullptr when absent.
  std::array<const nlohmann::json*, 4> places() const;

  /// The first non-empty string under `key` in places(); empty when there is none.
  std::string_view first(const char* key) const;
  /// What the provider says to people: a message, a `detail`, or the text when it is not JSON.
  std::string_view message() const;

 private:
  std::string_view text_;
  nlohmann::json root_;
};

/// The member when `object` is an object that has it, else nullptr.
const nlohmann::json* member_of(const nlohmann::json* object, const char* key);

/// The string member, without surrounding blanks; empty when it is absent or no string.
std::string_view string_of(const nlohmann::json* object, const char* key);

/// A number or numeric string as a whole number, fractions cut off; nullopt when out of range.
std::optional<std::int64_t> whole_number_of(const nlohmann::json* object, const char* key);

/// A number or numeric string; nullopt when it is neither or not finite.
std::optional<double> number_of(const nlohmann::json* object, const char* key);

/// A whole text as a finite decimal number; nullopt otherwise.
std::optional<double> number_from(std::string_view text);

}  // namespace tidegate::provider
