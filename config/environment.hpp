#pragma once
/// The outside world as the loader may see it, injected so that loading stays a pure function.

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/secret_string.hpp"

namespace tidegate::config {

struct environment {
  /// Value of an environment variable; an empty function means that none is set.
  std::function<std::optional<std::string>(std::string_view name)> variable;
  /// Content of the file behind a `file:PATH` secret; an empty function refuses them all.
  std::function<result<secret_string>(std::string_view path)> secret_file;
};

/// Replaces each `${NAME}` by its variable and each `$${` by `${`. Yields invalid_input for a
/// malformed name and not_found for an unset variable; the detail names it.
result<std::string> expand(std::string_view text, const environment& env);

/// The inverse for a literal text: what expand() turns back into `text`.
std::string escape(std::string_view text);

}  // namespace tidegate::config
