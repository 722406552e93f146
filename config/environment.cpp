#include "config/environment.hpp"

#include "config/diagnostic.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tidegate::config {
namespace {

bool is_variable_name(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && letter(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

}  // namespace

result<std::string> expand(std::string_view text, const environment& env) {
  std::string out;
  while (true) {
    const auto start = text.find("${");
    if (start == std::string_view::npos) return out.append(text);
    if (start > 0 && text[start - 1] == '$') {
      out.append(text.substr(0, start - 1)).append("${");
      text.remove_prefix(start + 2);
      continue;
    }
    const auto end = text.find('}', start);
    const auto name = text.substr(start + 2, end == std::string_view::npos ? 0 : end - start - 2);
    if (!is_variable_name(name)) {
      return failed(errc::invalid_input,
                    "${...} must hold the name of an environment variable; write $${ for a "
                    "literal ${");
    }
    const auto value = env.variable ? env.variable(name) : std::nullopt;
    if (!value) {
      return failed(errc::not_found,
                    fmt::format("the environment variable {} is not set", shown(name)));
    }
    out.append(text.substr(0, start)).append(*value);
    text.remove_prefix(end + 1);
  }
}

std::string escape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '$' && i + 1 < text.size() && text[i + 1] == '{') out += '$';
    out += text[i];
  }
  return out;
}

}  // namespace tidegate::config
