/// The configurations that users copy: every YAML block of the documents, every example file. A
/// text with a `rules` key is a script of the simulated provider, one with `limits` a part of one
/// (docs/sim.md); every other text is a configuration, whole or a part, and loads without a finding.

#include "config/parse.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/config/config_support.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

using namespace tidegate;
using namespace tidegate::config;
using namespace tidegate::config::test;

namespace {

struct sample {
  std::string place;  ///< file, and line of the block
  std::string text;
};

std::vector<std::filesystem::path> files_of(const std::string& folder, const std::string& ending) {
  std::vector<std::filesystem::path> out;
  const auto root = std::filesystem::path{TIDEGATE_SOURCE_DIR} / folder;
  for (const auto& entry : std::filesystem::directory_iterator{root}) {
    if (entry.is_regular_file() && entry.path().extension() == ending) out.push_back(entry.path());
  }
  return out;
}

/// What stands between "```yaml" and "```".
void add_blocks(const std::filesystem::path& file, std::vector<sample>& out) {
  std::ifstream in(file, std::ios::binary);
  bool inside = false;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (inside && line == "```") {
      inside = false;
    } else if (inside) {
      out.back().text += line + '\n';
    } else if (line == "```yaml" || line == "```yml") {
      inside = true;
      out.push_back({file.filename().string() + ":" + std::to_string(number), {}});
    }
  }
}

std::vector<sample> samples() {
  std::vector<sample> out;
  for (const auto* folder : {".", "docs", "docs/decisions"}) {
    for (const auto& file : files_of(folder, ".md")) add_blocks(file, out);
  }
  for (const auto& file : files_of("examples", ".yaml")) {
    std::ifstream in(file, std::ios::binary);
    out.push_back({file.filename().string(), {std::istreambuf_iterator<char>(in), {}}});
  }
  return out;
}

/// Every variable is set, every secret file is there.
environment generous_environment() {
  environment env;
  env.variable = [](std::string_view name) { return std::optional{"value-of-" + std::string{name}}; };
  env.secret_file = [](std::string_view path) -> result<secret_string> {
    return secret_string{"content-of-" + std::string{path}};
  };
  return env;
}

bool is_script(std::string_view text) {
  report ignored;
  const auto root = parse_document(text, environment{}, ignored);
  return root && (root->find("rules") != nullptr || root->find("limits") != nullptr);
}

}  // namespace

TEST_CASE("every configuration in the documents and examples loads without a finding") {
  const auto env = generous_environment();
  std::vector<std::string> loaded;
  for (const auto& [place, text] : samples()) {
    if (is_script(text)) continue;
    INFO(place << '\n' << text);
    CHECK(findings(load_text(text, place, env)).empty());
    loaded.push_back(place.substr(0, place.find(':')));
  }
  for (const auto* expected : {"README.md", "management.md", "config.yaml", "demo.yaml"}) {
    CAPTURE(expected);
    CHECK(std::ranges::count(loaded, expected) > 0);
  }
}
