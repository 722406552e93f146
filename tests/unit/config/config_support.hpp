#pragma once
/// Shared by the configuration tests: an environment with a few variables and secret files, and
/// short ways to load a text.

#include "config/check.hpp"
#include "config/load.hpp"

#include <string>
#include <string_view>

namespace tidegate::config::test {

inline environment sample_environment() {
  environment env;
  env.variable = [](std::string_view name) -> std::optional<std::string> {
    if (name == "SAMPLE_PORT") return "9100";
    if (name == "SAMPLE_KEY") return "sk-sample-from-variable";
    if (name == "EMPTY_NAME") return "";
    return std::nullopt;
  };
  env.secret_file = [](std::string_view path) -> result<secret_string> {
    if (path == "/etc/sample/key") return secret_string{"sk-sample-from-file\n"};
    if (path == "/etc/sample/empty") return secret_string{"\n"};
    return failed(errc::not_found, "no such file");
  };
  return env;
}

inline load_result load(std::string_view yaml) {
  return load_text(yaml, "sample.yaml", sample_environment());
}

/// Every finding on a line of its own, without the file name.
inline std::string findings(const load_result& r) {
  std::string out;
  for (const auto& d : r.diagnostics) out += format_diagnostic("f", d) + "\n";
  return out;
}

inline std::string findings(std::string_view yaml) {
  return findings(load(yaml));
}

}  // namespace tidegate::config::test
