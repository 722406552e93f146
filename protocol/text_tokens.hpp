#pragma once
/// Walks a text run by run and adds up what the runs are likely to cost. Internal to
/// token_estimate.hpp.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tidegate::protocol {

class text_token_counter {
 public:
  /// `text` must outlive the object.
  explicit text_token_counter(std::string_view text) : text_(text) {}

  /// Tokens of the whole text, rounded; at least one when it is not empty.
  std::int64_t count();

 private:
  void blanks();
  void digits();
  void marks();
  /// A word ends where a capital follows a small letter, and before the last capital of several
  /// that small letters follow.
  void letters();
  bool foreign_letter();
  void foreign();
  char at(std::size_t position) const { return position < text_.size() ? text_[position] : '\0'; }

  std::string_view text_;
  std::size_t at_ = 0;
  std::int64_t cost_ = 0;  ///< in hundredths of a token
};

}  // namespace tidegate::protocol
