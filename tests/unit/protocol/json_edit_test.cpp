#include "protocol/json_edit.hpp"

#include "tests/support/catch.hpp"

namespace tidegate::protocol {
namespace {

std::optional<std::string> changed(std::string_view list) {
  return with_elements(list, [](std::string_view element) -> std::optional<std::string> {
    if (element == "0") return "";
    if (element == "1") return "[1,1]";
    return std::nullopt;
  });
}

}  // namespace

TEST_CASE("elements go with one comma, and the bytes around the others stay") {
  CHECK(changed("[0]") == "[]");
  CHECK(changed("[ 0 ]") == "[  ]");
  CHECK(changed("[0, 2]") == "[2]");
  CHECK(changed("[2 ,0 ]") == "[2 ]");
  CHECK(changed("[2 , 0 ,\n3]") == "[2 ,\n3]");
  CHECK(changed("[0,0,0]") == "[]");
  CHECK(changed("[2, 1,0]") == "[2, [1,1]]");
  CHECK(changed(R"(["0",[0],{"0":0},1])") == R"(["0",[0],{"0":0},[1,1]])");
}

TEST_CASE("a list that stays as it is, and what is no list, is nothing new") {
  for (const auto* text : {"[]", "[2,3]", "", "0", R"({"0":0})", "[0", "null"}) {
    CAPTURE(text);
    CHECK_FALSE(changed(text));
  }
}

}  // namespace tidegate::protocol
