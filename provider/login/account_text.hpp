#pragma once
/// What is written when an account logs in again: the file that is there with the new tokens, so
/// that the settings which a person made in it stay. Pure.

#include <string>
#include <string_view>

#include "base/time.hpp"

namespace tidegate::provider::login {

struct account_text {
  std::string text;
  bool merged = false;  ///< false: nothing of the former text is in it
};

/// `present`: the text that lies under the name now; `made`: the new one, of account_file_of or
/// import_account. A present text that cannot be read, or is of another type, gives way.
account_text text_over(std::string_view present, std::string_view made, instant now);

}  // namespace tidegate::provider::login
