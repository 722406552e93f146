#include "protocol/answer_shape.hpp"
#include "tests/support/catch.hpp"

#include <rapidcheck.h>
#include <nlohmann/json.hpp>

using namespace tidegate::protocol;

namespace {

std::string shaped(std::initializer_list<std::string> pieces) {
  const auto shape = make_event_array();
  std::string out;
  for (const auto& one : pieces) shape->frames(one, out);
  shape->end(out);
  return out;
}

}  // namespace

TEST_CASE("the events of a stream are the elements of one array, separated by line ends") {
  CHECK(shaped({"data: {\"a\":1}\n\n", "data: {\"b\":2}\n\ndata: {\"c\":3}\n\n"}) ==
        "[{\"a\":1},\n{\"b\":2},\n{\"c\":3}]\n");
  CHECK(shaped({}) == "[]\n");
}

TEST_CASE("comments, blank frames and [DONE] are no elements") {
  CHECK(shaped({": keep-alive\n\n\n", "data: [DONE]\n\n", "data: {}\n\n"}) == "[{}]\n");
}

TEST_CASE("an error is the last element, and stands in no array of its own") {
  CHECK(shaped({"data: {\"a\":1}\n\n", "data: [{\"error\":{\"code\":503}}]\n\n"}) ==
        "[{\"a\":1},\n{\"error\":{\"code\":503}}]\n");
}

TEST_CASE("a whole answer is an array of one, an array stays") {
  const auto shape = make_event_array();
  std::string one = R"({"candidates":[]})";
  shape->whole(one);
  CHECK(one == "[{\"candidates\":[]}]\n");
  std::string many = R"([{"candidates":[]}])";
  shape->whole(many);
  CHECK(many == R"([{"candidates":[]}])");
}

TEST_CASE("any stream of events becomes an array of them, however it is cut into frames") {
  rc::check("array", [] {
    const auto numbers = *rc::gen::container<std::vector<std::vector<int>>>(
        rc::gen::container<std::vector<int>>(rc::gen::arbitrary<int>()));
    const auto shape = make_event_array();
    nlohmann::json expected = nlohmann::json::array();
    std::string out;
    for (const auto& piece : numbers) {
      std::string frames;
      for (const int one : piece) {
        frames += "data: {\"n\":" + std::to_string(one) + "}\n\n";
        expected.push_back({{"n", one}});
      }
      shape->frames(frames, out);
    }
    shape->end(out);
    RC_ASSERT(nlohmann::json::parse(out) == expected);
  });
}
