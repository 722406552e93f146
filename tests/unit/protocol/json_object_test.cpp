#include "protocol/json_object.hpp"

#include "protocol/json_text.hpp"
#include "protocol/splice.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/protocol/json_maker.hpp"

#include <nlohmann/json.hpp>
#include <rapidcheck.h>

using namespace tidegate;
using namespace tidegate::protocol;
using nlohmann::json;

namespace {

bool accepts(const std::string& text) { return read_object(text, text.size()).has_value(); }

std::string nested(int depth) {
  const auto count = static_cast<std::size_t>(depth - 1);
  return "{\"a\":" + std::string(count, '[') + std::string(count, ']') + "}";
}

}  // namespace

TEST_CASE("members are found with their exact bytes") {
  const std::string text = " {\"a\" : [1, {\"b\":2}] ,\"c\":\"x\\\"y\", \"d\":-1.5e3\n}\r\n";
  const auto read = read_object(text, text.size());
  REQUIRE(read);
  REQUIRE(read->members.size() == 3);
  CHECK(read->begin == 1);
  CHECK(text[read->end] == '}');
  CHECK(read->members[0].key == "a");
  CHECK(text[read->members[0].key_offset] == '"');
  CHECK(value_of(text, read->members[0]) == "[1, {\"b\":2}]");
  CHECK(value_of(text, read->members[1]) == "\"x\\\"y\"");
  CHECK(value_of(text, read->members[2]) == "-1.5e3");
}

TEST_CASE("what is not exactly one JSON object is refused") {
  const auto [name, text] = GENERATE(table<std::string, std::string>({
      {"nothing", ""},
      {"blanks", "  \n"},
      {"array", "[1]"},
      {"string", "\"a\""},
      {"number", "1"},
      {"byte order mark", "\xEF\xBB\xBF{}"},
      {"second object", "{}{}"},
      {"trailing word", "{\"a\":1} x"},
      {"trailing nul", std::string("{}\0", 3)},
      {"unclosed", "{\"a\":1"},
      {"unclosed string", "{\"a\":\"b}"},
      {"comma at the end", "{\"a\":1,}"},
      {"comma in front", "{,\"a\":1}"},
      {"no colon", "{\"a\" 1}"},
      {"no value", "{\"a\":}"},
      {"bare key", "{a:1}"},
      {"wrong bracket", "{\"a\":[1}"},
      {"wrong bracket inside", "{\"a\":[1},\"b\":2]}"},
      {"two values", "{\"a\":1 2}"},
      {"colon behind a string", "{\"a\":\"b\":1}"},
      {"colon behind an element", "{\"a\":[\"b\":1]}"},
      {"object behind a colon", "{\"a\":\"b\":{\"c\":1}}"},
      {"leading zero", "{\"a\":01}"},
      {"bare minus", "{\"a\":-}"},
      {"half a fraction", "{\"a\":1.}"},
      {"plus", "{\"a\":+1}"},
      {"bad literal", "{\"a\":nul}"},
      {"long literal", "{\"a\":truex}"},
      {"bad escape", "{\"a\":\"\\x\"}"},
      {"bad escape in a key", "{\"\\x\":1}"},
      {"short unicode escape", "{\"a\":\"\\u12\"}"},
      {"control character", "{\"a\":\"\x01\"}"},
      {"invalid UTF-8", "{\"a\":\"\xFF\"}"},
      {"overlong UTF-8", "{\"a\":\"\xC0\xAF\"}"},
      {"nested error", "{\"a\":{\"b\":[1,{\"c\":tru}]}}"},
      {"form feed", "{\"a\":1\f}"},
  }));
  CAPTURE(name);
  CHECK_FALSE(accepts(text));
}

TEST_CASE("nesting is accepted up to its bound and refused beyond it") {
  CHECK(accepts(nested(json_depth_max)));
  CHECK_FALSE(accepts(nested(json_depth_max + 2)));
  CHECK_FALSE(accepts(nested(100'000)));
  CHECK_FALSE(accepts("{\"a\":" + std::string(100'000, '[')));
}

TEST_CASE("members are accepted up to their bound and refused beyond it") {
  std::string text = "{\"k\":0";
  for (std::size_t i = 1; i < json_members_max; ++i) text += ",\"k\":0";
  CHECK(accepts(text + "}"));
  CHECK_FALSE(accepts(text + ",\"k\":0}"));
}

TEST_CASE("a text with padding behind it gives the same layout as one without") {
  REQUIRE(rc::check("padding", [](std::uint64_t seed) {
    std::string text = test::json_maker{seed}.object(4, {});
    const auto copied = read_object(text, text.size());
    text.reserve(text.size() + 256);
    const auto direct = read_object(text, text.capacity());
    RC_ASSERT(copied.has_value());
    RC_ASSERT(direct.has_value());
    RC_ASSERT(copied->members.size() == direct->members.size());
    RC_ASSERT(copied->end == direct->end);
    const json whole = json::parse(text);
    RC_ASSERT(whole.size() == direct->members.size());
    for (std::size_t i = 0; i < direct->members.size(); ++i) {
      const member& m = direct->members[i];
      RC_ASSERT(m.key_offset == copied->members[i].key_offset);
      RC_ASSERT(m.value_size == copied->members[i].value_size);
      RC_ASSERT(text.substr(m.key_offset + 1, m.key.size()) == m.key);
      RC_ASSERT(json::parse(value_of(text, m)) == whole.at(std::string{m.key}));
    }
  }));
}

TEST_CASE("a damaged text is accepted exactly when a full parser accepts it") {
  REQUIRE(rc::check("validity", [](std::uint64_t seed) {
    // Without `d` no surrogate escape arises; the full parser is stricter about those.
    constexpr std::string_view bytes = "{}[],:\"\\01.-+etrufalsn \n\x01\xC3";
    test::json_maker make{seed};
    std::string text = make.object(4, {});
    for (std::size_t n = 1 + make.below(3); n > 0 && !text.empty(); --n) {
      const std::size_t at = make.below(text.size());
      if (make.below(3) == 0) {
        text.erase(at, 1 + make.below(3));
      } else if (make.below(2) == 0) {
        text[at] = bytes[make.below(bytes.size())];
      } else {
        text.insert(at, 1, bytes[make.below(bytes.size())]);
      }
    }
    const json full = json::parse(text, nullptr, false);
    const bool ours = accepts(text);
    const bool huge_number = ours && full.is_discarded() && text.find('e') != std::string::npos;
    if (!huge_number) RC_ASSERT(ours == full.is_object());
  }));
}

TEST_CASE("peeking finds top-level members only, within its bound") {
  const std::string text = R"({"x":{"type":"inner"},"y":"type","type" : "outer","n":null})";
  CHECK(peek_string(text, "type", 1024) == "outer");
  CHECK(peek_string(text, "type", 30).empty());
  CHECK(peek_string(text, "n", 1024).empty());
  CHECK(peek_member(text, "n", 1024).value_or("").starts_with("null"));
  CHECK_FALSE(peek_member("[{\"type\":1}]", "type", 1024));
  CHECK(peek_string(R"({"type":"a\"b"})", "type", 1024).empty());
}

TEST_CASE("quoting and decoding are inverse for valid UTF-8") {
  CHECK(json_quote("a\"b\\\n\x01é") == "\"a\\\"b\\\\\\n\\u0001é\"");
  CHECK(json_quote("a\xFF") == "\"a\xEF\xBF\xBD\"");
  CHECK(json_quote("\xED\xA0\x80") == "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
  CHECK(decode_json_string(R"("\ud83d\ude00\u00E9\/")").value_or("") == "😀é/");
  CHECK_FALSE(decode_json_string(R"("\ud83d")"));
  CHECK_FALSE(decode_json_string(R"("\ude00")"));
  CHECK_FALSE(decode_json_string("\"a"));
  CHECK_FALSE(decode_json_string("12"));
  REQUIRE(rc::check("round trip", [](const std::string& bytes) {
    const std::string quoted = json_quote(bytes);
    RC_ASSERT(json::accept(quoted));
    RC_ASSERT(decode_json_string(quoted) == json::parse(quoted).get<std::string>());
    RC_ASSERT(json_quote(*decode_json_string(quoted)) == quoted);
  }));
}
