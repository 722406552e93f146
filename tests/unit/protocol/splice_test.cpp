#include "protocol/splice.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/protocol/json_maker.hpp"

#include <nlohmann/json.hpp>
#include <rapidcheck.h>

#include <algorithm>

using namespace tidegate;
using namespace tidegate::protocol;
using nlohmann::ordered_json;

namespace {

envelope head_of(const std::string& body) {
  auto head = read_envelope(body);
  REQUIRE(head);
  return std::move(*head);
}

}  // namespace

TEST_CASE("only the edited bytes change") {
  const std::string body = "{ \"a\" : 1.50 ,\n \"b\":[ 2 ],\"c\" : null }";
  const envelope head = head_of(body);
  splice edits(body, head);
  SECTION("nothing") { CHECK(edits.str() == body); }
  SECTION("set in place") {
    edits.set("b", "7");
    CHECK(edits.str() == "{ \"a\" : 1.50 ,\n \"b\":7,\"c\" : null }");
  }
  SECTION("append") {
    edits.set("d", "true");
    CHECK(edits.str() == "{ \"a\" : 1.50 ,\n \"b\":[ 2 ],\"c\" : null,\"d\":true }");
  }
  SECTION("remove the first") {
    edits.remove("a");
    CHECK(edits.str() == "{ \"b\":[ 2 ],\"c\" : null }");
  }
  SECTION("remove the middle") {
    edits.remove("b");
    CHECK(edits.str() == "{ \"a\" : 1.50 ,\"c\" : null }");
  }
  SECTION("remove the last") {
    edits.remove("c");
    CHECK(edits.str() == "{ \"a\" : 1.50 ,\n \"b\":[ 2 ] }");
  }
  SECTION("remove the first two") {
    edits.remove("b");
    edits.remove("a");
    CHECK(edits.str() == "{ \"c\" : null }");
  }
  SECTION("remove the last two and append") {
    edits.remove("b");
    edits.remove("c");
    edits.set("d", "4");
    edits.set("e", "5");
    CHECK(edits.str() == "{ \"a\" : 1.50,\"d\":4,\"e\":5  }");
  }
  SECTION("remove everything") {
    for (const char* key : {"a", "b", "c"}) edits.remove(key);
    CHECK(edits.str() == "{  }");
  }
  SECTION("remove everything and append") {
    for (const char* key : {"a", "b", "c"}) edits.remove(key);
    edits.set("d", "4");
    CHECK(ordered_json::parse(edits.str()) == ordered_json::parse("{\"d\":4}"));
  }
  SECTION("replace inside a value") {
    edits.replace(body.find('2'), 1, "3, 4");
    CHECK(edits.str() == "{ \"a\" : 1.50 ,\n \"b\":[ 3, 4 ],\"c\" : null }");
  }
  SECTION("a replacement inside a removed member is dropped") {
    edits.replace(body.find('2'), 1, "3");
    edits.remove("b");
    CHECK(edits.str() == "{ \"a\" : 1.50 ,\"c\" : null }");
  }
  SECTION("the last edit of a key wins") {
    edits.remove("a");
    edits.set("a", "9");
    edits.set("z", "1");
    edits.remove("z");
    CHECK(edits.str() == "{ \"a\" : 9 ,\n \"b\":[ 2 ],\"c\" : null }");
  }
  SECTION("removing an unknown key changes nothing") {
    edits.remove("z");
    CHECK(edits.str() == body);
  }
  CHECK(edits.size() == edits.str().size());
}

TEST_CASE("a member is appended to an empty object without a comma") {
  const std::string body = " { } ";
  const envelope head = head_of(body);
  splice edits(body, head);
  edits.set("a", "1");
  CHECK(edits.str() == " {\"a\":1 } ");
}

TEST_CASE("a key that occurs twice is set once and removed everywhere") {
  const std::string body = R"({"a":1,"b":2,"a":3})";
  const envelope head = head_of(body);
  splice set(body, head);
  set.set("a", "9");
  CHECK(set.str() == R"({"a":9,"b":2})");
  splice removed(body, head);
  removed.remove("a");
  CHECK(removed.str() == R"({"b":2})");
}

TEST_CASE("pieces of an unedited stretch point into the body") {
  const std::string body = R"({"model":"m","input":"long"})";
  const envelope head = head_of(body);
  splice edits(body, head);
  edits.set("model", "\"n\"");
  const auto pieces = edits.pieces();
  REQUIRE(pieces.size() == 3);
  CHECK(pieces[0].data() == body.data());
  CHECK(pieces[2].data() == body.data() + body.find(",\"input\""));
}

TEST_CASE("edits of the text equal the same edits of a parsed document") {
  REQUIRE(rc::check("splice", [](std::uint64_t seed) {
    test::json_maker make{seed};
    std::vector<std::string> keys{"other"};
    for (std::size_t i = 0, n = make.below(6); i < n; ++i) keys.push_back("k" + std::to_string(i));
    std::swap(keys.front(), keys[make.below(keys.size())]);
    if (make.below(2) == 0) keys.erase(std::find(keys.begin(), keys.end(), "other"));
    const std::string body = make.blanks() + make.object(3, keys) + make.blanks();
    const auto head = read_envelope(body);
    RC_ASSERT(head.has_value());
    ordered_json expected = ordered_json::parse(body);
    splice edits(body, *head);
    std::vector<std::string> touched;
    for (std::size_t i = 0, n = make.below(6); i < n; ++i) {
      const std::string key = "k" + std::to_string(make.below(8));
      touched.push_back(key);
      if (make.below(2) == 0) {
        edits.remove(key);
        expected.erase(key);
      } else {
        const std::string raw = make.value(2);
        edits.set(key, raw);
        expected[key] = ordered_json::parse(raw);
      }
    }
    const std::string text = edits.str();
    RC_ASSERT(edits.size() == text.size());
    // Order of a key removed and set again differs, its content does not.
    RC_ASSERT(nlohmann::json::parse(text) == nlohmann::json::parse(expected.dump()));
    for (const member& m : head->members) {
      if (std::find(touched.begin(), touched.end(), m.key) != touched.end()) continue;
      const std::string whole =
          body.substr(m.key_offset, m.value_offset + m.value_size - m.key_offset);
      RC_ASSERT(text.find(whole) != std::string::npos);
    }
  }));
}
