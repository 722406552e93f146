#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <set>

#include "protocol/canonical/codec.hpp"
#include "tests/support/catch.hpp"

using namespace tidegate;
using namespace tidegate::protocol;

namespace {

/// So many that work for each pair of them would never end.
constexpr std::size_t many = 20'000;

std::string wire_of(name_map& names, std::string_view name) {
  return names.wire_name(name, {}, tool_kind::function);
}

canonical_request decoded(const std::string& body) {
  auto out = chat_codec.decode_request(body, "m");
  CAPTURE(out ? "" : out.error().detail);
  REQUIRE(out);
  return std::move(*out);
}

std::string body_of(std::string_view messages, std::string_view more = {}) {
  std::string out = R"({"model":"m","messages":[{"role":"user","content":"hi"})";
  return out.append(messages).append("]").append(more).append("}");
}

/// `piece` for each number, which stands where it has a `#`.
std::string repeated(std::string_view piece, std::string_view between = ",") {
  std::string out;
  for (std::size_t i = 0; i < many; ++i) {
    if (i > 0) out += between;
    for (const char c : piece) c == '#' ? out += std::to_string(i) : out += c;
  }
  return out;
}

std::string call_of(std::string_view id, std::string_view name) {
  std::string out = R"({"type":"function","id":")";
  return out.append(id).append(R"(","function":{"name":")").append(name).append(R"("}})");
}

constexpr std::array codecs{&chat_codec, &responses_codec, &messages_codec, &gemini_codec};

}  // namespace

TEST_CASE("a spelling that is taken gets the next number of its beginning") {
  name_map names{name_rules{}};
  CHECK(wire_of(names, "a.") == "a_");
  CHECK(wire_of(names, "a,") == "a__1");
  CHECK(wire_of(names, "a;") == "a__2");
  CHECK(wire_of(names, "a,") == "a__1");
  CHECK(wire_of(names, "a__3") == "a__3");
  CHECK(wire_of(names, "a:") == "a__4");
}

TEST_CASE("names that begin alike stay apart within the limit, however many they are") {
  name_map names{name_rules{}};
  std::set<std::string> seen;
  for (std::size_t i = 0; i < many; ++i) {
    const auto wire = wire_of(names, std::string(64, 'a') + std::to_string(i));
    if (wire.size() <= 64) seen.insert(wire);
  }
  CHECK(seen.size() == many);
  const auto changed = names.changed();
  CHECK(std::ranges::all_of(
      changed, [&](const tool_name& one) { return find_tool(changed, one.wire) == &one; }));
  CHECK(find_tool(changed, "nobody") == nullptr);
}

TEST_CASE("names whose ends are cut into each other stay apart, however many they are") {
  name_map names{name_rules{}};
  std::set<std::string> seen;
  for (std::size_t i = 0; i < many; ++i) {
    const std::string end = std::to_string(10'000 + i / 2).substr(1) + (i % 2 == 0 ? "." : ",");
    seen.insert(wire_of(names, std::string(59, 'a') + end));
  }
  CHECK(seen.size() == many);
}

TEST_CASE("a request with very many odd names is written for every provider") {
  const auto results = repeated(R"({"role":"tool","tool_call_id":"#","content":"x"})");
  const auto body =
      body_of(R"(,{"role":"assistant","content":null,"tool_calls":[)" +
                  repeated(call_of("#", "nobody")) + "]}," + results,
              R"(,"tools":[)" +
                  repeated("{\"type\":\"function\",\"function\":{\"name\":\"a\u4e00#\"}}") + "]");
  const auto call = decoded(body);
  for (const auto* const to : codecs) CHECK(to->encode_request(call, "m", {}).body.size() > many);
}

TEST_CASE("an id that is used in very many rounds stays one call's in each") {
  const auto round = R"({"role":"assistant","content":null,"tool_calls":[)" + call_of("a", "f") +
                     R"(]},{"role":"tool","tool_call_id":"a","content":"x"})";
  const auto body = body_of("," + repeated(round));
  const auto made = messages_codec.encode_request(decoded(body), "m", {}).body;
  const auto last = "\"a_" + std::to_string(many) + '"';
  CHECK(made.find(R"("tool_use_id":)" + last) != std::string::npos);
}

TEST_CASE("a schema of very many members is written for every provider") {
  const auto names = repeated("\"p#\"");
  const auto branches = repeated(R"({"properties":{"p#":{}},"required":["p#"]})");
  const std::array<std::string, 2> schemas{
      R"({"properties":{)" + repeated(R"("p#":{})") + R"(},"required":[)" + names + "]}",
      R"({"type":"object","anyOf":[)" + branches + R"(],"allOf":[)" + branches + "]}"};
  for (const auto& schema : schemas) {
    const auto body = body_of(
        "",
        R"(,"tools":[{"type":"function","function":{"name":"f","parameters":)" + schema +
            R"(}}],"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":)" +
            schema + "}}");
    const auto call = decoded(body);
    for (const auto* const to : codecs) {
      CHECK(nlohmann::json::accept(to->encode_request(call, "m", {}).body));
    }
  }
}
