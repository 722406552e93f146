#include "config/check.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tidegate::config {

std::string format_diagnostic(std::string_view file, const diagnostic& d) {
  const auto place =
      d.line > 0 ? fmt::format("{}:{}:{}", file, d.line, d.column) : std::string{file};
  const auto word = d.level == severity::error ? "error" : "warning";
  return d.key.empty() ? fmt::format("{}: {}: {}", place, word, d.text)
                       : fmt::format("{}: {}: {}: {}", place, word, d.key, d.text);
}

std::string format_diagnostics(std::string_view file, const std::vector<diagnostic>& list) {
  std::string out;
  for (const auto& d : list) out += format_diagnostic(file, d) + '\n';
  return out;
}

std::string count_diagnostics(const std::vector<diagnostic>& list) {
  const auto errors = std::ranges::count(list, severity::error, &diagnostic::level);
  const auto warnings = static_cast<std::ptrdiff_t>(list.size()) - errors;
  return fmt::format("{} error{}, {} warning{}", errors, errors == 1 ? "" : "s", warnings,
                     warnings == 1 ? "" : "s");
}

}  // namespace tidegate::config
