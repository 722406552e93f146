#include "protocol/stream.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

using namespace tidegate;
using namespace tidegate::protocol;

namespace {

std::string item(int index, const std::string& name) {
  return R"({"type":"response.output_item.done","output_index":)" + std::to_string(index) +
         R"(,"item":{"id":")" + name + R"("}})";
}

result<std::string> fold(const std::vector<std::string>& events, std::size_t bound = 10'000) {
  responses_fold folder(bound);
  for (const auto& data : events) {
    if (auto added = folder.add({data, {}, data}); !added) return std::unexpected{added.error()};
  }
  return folder.finish();
}

const std::string empty_end =
    R"({"type":"response.completed","response":{"id":"r","output": [ ],"usage":{"a":1.0}}})";

}  // namespace

TEST_CASE("the response of the terminal event is the body, byte for byte") {
  CHECK(fold({item(0, "a"),
              R"({"type":"response.completed","response":{"id":"r", "output":[{"id":"own"}]}})"})
            .value() == R"({"id":"r", "output":[{"id":"own"}]})");
  CHECK(fold({empty_end}).value() == R"({"id":"r","output": [ ],"usage":{"a":1.0}})");
}

TEST_CASE("an empty output is refilled by index, then by arrival") {
  const std::string loose = R"({"type":"response.output_item.done","item":{"id":"z"}})";
  CHECK(fold({loose, item(2, "c"), item(0, "a"), item(0, "b"), empty_end}).value() ==
        R"({"id":"r","output": [{"id":"a"},{"id":"b"},{"id":"c"},{"id":"z"}],"usage":{"a":1.0}})");
}

TEST_CASE("a missing or null output is refilled too") {
  const auto missing = fold({item(0, "a"), R"({"type":"response.done","response":{"id":"r"}})"});
  CHECK(missing.value() == R"({"id":"r","output":[{"id":"a"}]})");
  const auto null =
      fold({item(0, "a"), R"({"type":"response.incomplete","response":{"output":null}})"});
  CHECK(null.value() == R"({"output":[{"id":"a"}]})");
}

TEST_CASE("event names work without a type in the data") {
  responses_fold folder(1000);
  REQUIRE(folder.add({"", "response.output_item.done", R"({"item":{"id":"a"}})"}));
  REQUIRE(folder.add({"", "response.output_text.delta", "not even json"}));
  REQUIRE(folder.add({"", "response.completed", R"({"response":{"output":[]}})"}));
  REQUIRE(folder.add({"", "response.completed", R"({"response":{"output":[1]}})"}));
  CHECK(folder.finish().value() == R"({"output":[{"id":"a"}]})");
}

TEST_CASE("a stream without a terminal event has no body") {
  CHECK(fold({item(0, "a")}).error().code == errc::invalid_input);
  CHECK(fold({R"({"type":"response.failed","response":{"output":[]}})"}).error().code ==
        errc::invalid_input);
}

TEST_CASE("malformed events are refused") {
  const auto data = GENERATE(as<std::string>{}, R"({"type":"response.completed"})",
                             R"({"type":"response.completed","response":[]})",
                             R"({"type":"response.completed","response":{})",
                             R"({"type":"response.output_item.done"})",
                             R"({"type":"response.output_item.done","item":"a"})");
  CAPTURE(data);
  CHECK(fold({data, empty_end}).error().code == errc::invalid_input);
}

TEST_CASE("everything kept is bounded") {
  CHECK(fold({item(0, "a"), item(1, "b")}, 19).error().code == errc::limit_exceeded);
  CHECK(fold({item(0, "a"), empty_end}, 20).error().code == errc::limit_exceeded);
  CHECK(fold({item(0, "a"), item(1, "b")}, 20).error().code == errc::invalid_input);
}
