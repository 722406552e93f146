#include "config/parse.hpp"

#include "config/load.hpp"
#include "config/print.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/config/config_support.hpp"

#include <rapidcheck.h>

#include <map>
#include <random>
#include <set>

using namespace tidegate::config;
using namespace tidegate::config::test;

namespace {

std::string repeated(std::string_view piece, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += piece;
  return out;
}

}  // namespace

TEST_CASE("a small text of aliases cannot become a large tree") {
  std::string yaml = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const auto last = "*a" + std::to_string(i - 1);
    const auto name = "a" + std::to_string(i);
    yaml += name + ": &" + name + " [" + last;
    for (int j = 1; j < 10; ++j) yaml += ", " + last;
    yaml += "]\n";
  }
  CHECK_THAT(findings(yaml), ContainsSubstring("error: more than 200000 values once aliases"));
}

TEST_CASE("merge keys cannot become a large tree") {
  std::string yaml = "m0: &m0 {k0: [x, x, x, x, x, x, x, x]}\n";
  for (int i = 1; i < 30; ++i) {
    const auto n = std::to_string(i);
    const auto last = "*m" + std::to_string(i - 1);
    yaml += "m" + n + ": &m" + n + " {<<: " + last + ", k" + n + ": " + last + "}\n";
  }
  CHECK_THAT(findings(yaml), ContainsSubstring("error: "));
}

TEST_CASE("chained aliases cannot become a deep tree") {
  std::string yaml = "a0: &a0 [x]\n";
  for (int i = 1; i < 60; ++i) {
    yaml += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) +
            "]\n";
  }
  CHECK_THAT(findings(yaml), ContainsSubstring("nested more than 32 levels deep"));
}

TEST_CASE("an alias inside its own anchor is an error") {
  CHECK_THAT(findings("a: &a [*a]"), ContainsSubstring("f:1:8: error: an alias stands inside"));
}

TEST_CASE("keys that are no text are errors") {
  CHECK_THAT(findings("[a]: 1"), ContainsSubstring("error: a key must be text"));
  CHECK_THAT(findings("a: &x b\n*x : 1"), ContainsSubstring("error: an alias cannot be a key"));
  CHECK_THAT(findings("~: 1"), ContainsSubstring("error: a key is missing"));
}

TEST_CASE("a text beyond the byte bound is refused") {
  const std::string yaml(input_bytes_max + 1, '#');
  CHECK_THAT(findings(yaml), ContainsSubstring("longer than 16777216 bytes"));
}

TEST_CASE("hostile texts of a megabyte end with findings") {
  const auto piece =
      GENERATE(as<std::string>{}, "[", "{a: ", "- ", "? ", "a: ", "&a ", "!a ", "*a ", "- - \n",
               "\"", "'", "|\n", ": ", "\t", "%", "---\n", "a: b\n", "\\");
  CAPTURE(piece);
  const auto r = load(repeated(piece, 1'000'000 / piece.size()));
  CHECK_FALSE(r.snapshot);
  CHECK_FALSE(r.diagnostics.empty());
}

TEST_CASE("a megabyte of random bytes ends with findings") {
  const auto seed = GENERATE(1u, 2u, 3u);
  CAPTURE(seed);
  std::mt19937 random(seed);
  std::string yaml(1'000'000, ' ');
  for (auto& c : yaml) c = static_cast<char>(random() & 0xff);
  CHECK_FALSE(load(yaml).snapshot);
}

TEST_CASE("loading never throws whatever the bytes") {
  REQUIRE(rc::check("arbitrary bytes", [](const std::string& bytes) { load(bytes); }));
  REQUIRE(rc::check("pieces of YAML", [] {
    const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
        "a", "b", ": ", ":\n", "- ", "\n", "  ", "\"", "'", "{", "}", "[", "]", ",", "&x ", "*x ",
        "<<", "!", "!!str ", "|\n", ">\n", "#", "---\n", "...\n", "%", "?", "~", "api-keys", "port",
        "routing", "codex", "keys", "${", "}", "\t", "\r", "1", "true"));
    std::string yaml;
    for (const auto& piece : pieces) yaml += piece;
    load(yaml);
  }));
}

TEST_CASE("any tree printed as YAML reads back as the same tree") {
  REQUIRE(rc::check("flow and block", [](const std::map<std::string, std::string>& pairs) {
    const auto ascii = [](std::string text) {
      for (char& c : text) c = static_cast<char>(c & 0x7f);
      return text;
    };
    std::vector<member> members;
    std::set<std::string> keys;
    for (const auto& [key, value] : pairs) {
      if (!keys.insert(ascii(key)).second) continue;
      members.push_back(
          {ascii(key), true, {}, list_node({text_node(ascii(value)), text_node(ascii(key))})});
    }
    RC_PRE(!members.empty());
    const auto tree = map_node(std::move(members));
    report out;
    RC_ASSERT(same(parse_document(to_yaml(*tree), environment{}, out), tree));
    RC_ASSERT(same(parse_document(to_flow(*tree), environment{}, out), tree));
  }));
}
