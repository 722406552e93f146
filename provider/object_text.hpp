#pragma once
/// The members of a JSON object as text: what is not touched keeps every byte, its blanks, the
/// spelling of its numbers and strings included. For small files that others write too. Pure.

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace tidegate::provider {

class object_text {
 public:
  struct member {
    std::string lead;  ///< blanks before the name
    std::string key;   ///< the name as it is written, with its quotes
    std::string name;  ///< what that says
    std::string gap;   ///< the colon with the blanks around it
    std::string raw;   ///< the value
    std::string tail;  ///< blanks behind the value
  };

  /// `text` must be valid JSON. errc::invalid_input: no object, or a name that is there twice.
  static result<object_text> parse(std::string_view text);

  /// Null when there is none.
  const member* find(std::string_view name) const;
  const std::vector<member>& members() const { return members_; }
  bool empty() const { return members_.empty(); }

  /// Puts a value in the member's place, or a new member behind the last one, laid out like it.
  void set(std::string_view name, std::string raw);
  bool erase(std::string_view name);

  /// Blanks that one level of the layout begins a line with; empty when all stands on one line.
  std::string indent() const;
  std::string str() const;

 private:
  std::string before_;  ///< blanks and the brace
  std::string after_;   ///< the brace and blanks
  std::vector<member> members_;
};

/// The text of a value that is a JSON string; empty when it is something else.
std::string text_of(const object_text::member* member);

}  // namespace tidegate::provider
