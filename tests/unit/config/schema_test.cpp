#include "config/schema.hpp"

#include "config/diff.hpp"
#include "config/document.hpp"
#include "config/load.hpp"
#include "config/print.hpp"
#include "config/suggest.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/config/config_support.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

using namespace tidegate;
using namespace tidegate::config;
using namespace tidegate::config::test;

namespace {

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("one row is enough for reading, printing, the summary and the documentation") {
  schema extended = gateway_schema();
  extended.keys.push_back({"invented.limit",
                           {"invented-limit"},
                           applies::restart,
                           "An invented key.",
                           bind<snapshot>(TG_FIELD(generation), integer({.min = 0, .max = 50})),
                           {}});
  const auto env = sample_environment();
  const auto r = load_text(extended, "invented-limit: 7", "f", env);
  REQUIRE(r.snapshot);
  CHECK(r.diagnostics.empty());
  CHECK(r.snapshot->generation == 7);

  CHECK(findings(load_text(extended, "invented: {limit: 70}", "f", env)) ==
        "f:1:19: error: invented.limit: must be between 0 and 50\n");
  CHECK(findings(load_text(extended, "invented: {limt: 7}", "f", env)) ==
        "f:1:12: warning: invented.limt: unknown key; ignored (did you mean invented.limit?)\n");
  CHECK_THAT(print_config(extended, *r.snapshot, visibility::masked),
             ContainsSubstring("invented:\n  limit: 7\n"));
  const auto summary = summarize_changes(extended, snapshot{}, *r.snapshot);
  CHECK(summary.lines == std::vector<std::string>{"invented.limit: 0 -> 7"});
  CHECK(summary.restart_line() == "restart required for: invented.limit");
  CHECK_THAT(
      document(extended),
      ContainsSubstring("| `invented.limit` | integer, 0 to 50 | `0` | restart | An invented "
                        "key. | `invented-limit` |\n"));
}

TEST_CASE("no name stands in the table twice and every row is complete") {
  std::set<std::string> seen;
  for (const auto& row : gateway_schema().keys) {
    CAPTURE(row.path);
    CHECK(seen.insert(row.path).second);
    for (const auto& older : row.older) CHECK(seen.insert(older.path).second);
    CHECK(row.value.read);
    CHECK(row.value.write);
    CHECK_FALSE(row.value.type.empty());
    CHECK(row.text.ends_with('.'));
  }
  for (const auto& row : gateway_schema().retired) {
    for (const auto& path : row.paths) {
      CAPTURE(path);
      CHECK(seen.insert(path).second);
    }
  }
}

TEST_CASE("the default of every key is accepted by its own reader") {
  const auto r = load(print_config(snapshot{}, visibility::revealed));
  CHECK(findings(r).empty());
}

TEST_CASE("a number out of its range is refused, reported or documented") {
  const std::string mark = "integer, ";
  for (const auto& row : gateway_schema().keys) {
    const auto& type = row.value.type;
    if (!type.starts_with(mark)) continue;
    CAPTURE(row.path, type);
    const auto least = std::stoll(type.substr(mark.size()));
    const auto most = std::stoll(type.substr(type.find(" to ") + 4));
    const auto set = [&](long long value) {
      std::string yaml;
      std::string_view rest = row.path;
      std::string indent;
      for (auto dot = rest.find('.'); dot != rest.npos; dot = rest.find('.')) {
        yaml += indent + std::string{rest.substr(0, dot)} + ":\n";
        indent += "  ";
        rest.remove_prefix(dot + 1);
      }
      return yaml + indent + std::string{rest} + ": " + std::to_string(value) + "\n";
    };
    CHECK_FALSE(load(set(most + 1)).snapshot);
    CHECK(load(set(least)).diagnostics.empty());
    const bool told = type.find("; less counts as " + std::to_string(least)) != type.npos;
    CHECK((told || !load(set(least - 1)).diagnostics.empty()));
  }
}

TEST_CASE("the checked-in documentation equals the generated one") {
  const std::string path = std::string{TIDEGATE_SOURCE_DIR} + "/docs/configuration.md";
  if (std::getenv("TG_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << document(gateway_schema());
  }
  const auto generated = document(gateway_schema());
  CHECK((content(path) == generated));
}

TEST_CASE("the example file loads without a finding and holds the defaults") {
  const auto text = content(std::string{TIDEGATE_SOURCE_DIR} + "/examples/config.yaml");
  auto env = sample_environment();
  env.variable = [](std::string_view) { return std::optional<std::string>{"sample-value"}; };
  const auto r = load_text(text, "config.yaml", env);
  CHECK(findings(r).empty());
  REQUIRE(r.snapshot);
  const auto summary = summarize_changes(snapshot{}, *r.snapshot);
  CHECK(summary.lines.empty());
}

TEST_CASE("the nearest name is found and a far one is not") {
  const auto [name, expected] = GENERATE(table<std::string, std::string>({
      {"prot", "port"},
      {"hots", "host"},
      {"debgu", "debug"},
      {"prt", "port"},
      {"completely-else", ""},
  }));
  CAPTURE(name);
  CHECK(nearest(name, {"port", "host", "debug"}).value_or("") == expected);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("ab", "ba") == 1);
}

TEST_CASE("diagnostics are counted and formatted for editors") {
  const std::vector<diagnostic> list{{severity::error, "port", 3, 7, "is wrong"},
                                     {severity::warning, "", 0, 0, "is odd"}};
  CHECK(format_diagnostics("a.yaml", list) ==
        "a.yaml:3:7: error: port: is wrong\na.yaml: warning: is odd\n");
  CHECK(count_diagnostics(list) == "1 error, 1 warning");
  CHECK(count_diagnostics({}) == "0 errors, 0 warnings");
}
