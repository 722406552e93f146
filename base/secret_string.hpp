#pragma once
/// The only type that may hold a secret (API key, token, password, proxy credentials). It has no
/// stream operator, no implicit conversion and no formatter; the bytes are wiped on destruction.

#include <string>
#include <string_view>

namespace tidegate {

class secret_string {
 public:
  secret_string() = default;
  explicit secret_string(std::string value) : value_(std::move(value)) {}
  secret_string(const secret_string&) = default;
  secret_string(secret_string&&) noexcept = default;
  secret_string& operator=(const secret_string&) = default;
  secret_string& operator=(secret_string&&) noexcept = default;
  ~secret_string();

  /// The bytes, for the one place that sends or compares them.
  std::string_view reveal() const noexcept { return value_; }
  bool empty() const noexcept { return value_.empty(); }

  /// For people: the first and last four characters of a long secret, otherwise stars.
  std::string masked() const;

  /// Takes the same time wherever the first difference is.
  bool equals(std::string_view other) const noexcept;

  friend bool operator==(const secret_string& a, const secret_string& b) {
    return a.equals(b.value_);
  }

 private:
  std::string value_;
};

}  // namespace tidegate
