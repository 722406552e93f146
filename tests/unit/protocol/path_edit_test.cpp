#include "protocol/path_edit.hpp"

#include <rapidcheck.h>

#include <nlohmann/json.hpp>

#include "protocol/json_items.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/protocol/json_maker.hpp"

using namespace tidegate;
using namespace tidegate::protocol;

namespace {

/// The edited text, or the same text where nothing changes.
std::string after(std::string_view text, std::string_view path, edit_kind how,
                  std::string_view raw = "9") {
  const auto parsed = parse_json_path(path);
  REQUIRE(parsed);
  const auto out = edited(text, parsed->steps, how, raw);
  REQUIRE(out);
  return out->value_or(std::string{text});
}

struct row {
  std::string text;
  std::string path;
  std::string expected;
};

}  // namespace

TEST_CASE("set replaces what is there and creates what is not") {
  const auto each = GENERATE(
      row{R"({ "a" : 1 , "b":2 })", "a", R"({ "a" : 9 , "b":2 })"},
      row{R"({ "a" : {"b" : [1, 2]} })", "a.b.1", R"({ "a" : {"b" : [1, 9]} })"},
      row{R"({"a":1})", "b", R"({"a":1,"b":9})"}, row{R"({ })", "a.b", R"({"a":{"b":9} })"},
      row{R"({"a":{"x":1 } })", "a.b.c", R"({"a":{"x":1,"b":{"c":9} } })"},
      row{R"({"a":null})", "a.b", R"({"a":{"b":9}})"},
      row{R"({"a":"text"})", "a.b", R"({"a":{"b":9}})"}, row{R"({"a":[]})", "a.-1", R"({"a":[9]})"},
      row{R"({"a":[1, 2 ]})", "/a/-", R"({"a":[1, 2,9 ]})"},
      row{R"({"a":[1]})", "a.1", R"({"a":[1,9]})"}, row{R"({"a":[1]})", "a.2", R"({"a":[1]})"},
      row{R"({})", "a.0.b", R"({"a":[{"b":9}]})"}, row{R"({})", "a.-1.b", R"({"a":[{"b":9}]})"},
      row{R"({})", "a.3", R"({})"}, row{R"({})", "a.:0", R"({"a":{"0":9}})"},
      row{R"({"a":{"0":1}})", "a.0", R"({"a":{"0":9}})"},
      row{R"({"a":[1]})", "a.b", R"({"a":[1]})"},
      row{R"({"a":[{"n":1},{},3]})", "a.#.n", R"({"a":[{"n":9},{"n":9},{"n":9}]})"},
      row{R"({"a":[1,2]})", "a.#", R"({"a":[9,9]})"}, row{R"({"a":{}})", "a.#.n", R"({"a":{}})"},
      row{R"({})", "a.#.n", R"({})"},
      row{R"({"a":[{"t":"x"},{"t":"y"},{"t":"x"}]})", R"(a.#(t=="x").n)",
          R"({"a":[{"t":"x","n":9},{"t":"y"},{"t":"x"}]})"},
      row{R"({"a":[{"t":"x"},{"t":"y"},{"t":"x"}]})", R"(a.#(t=="x")#.t)",
          R"({"a":[{"t":9},{"t":"y"},{"t":9}]})"},
      row{R"({"\u0061":1})", "a", R"({"\u0061":9})"},
      row{R"({"a":1,"a":2})", "a", R"({"a":9,"a":9})"});
  CAPTURE(each.text, each.path);
  CHECK(after(each.text, each.path, edit_kind::set) == each.expected);
}

TEST_CASE("fill sets only what is absent") {
  const auto each = GENERATE(
      row{R"({"a":1})", "a", R"({"a":1})"}, row{R"({"a":null})", "a", R"({"a":null})"},
      row{R"({"a":null})", "a.b", R"({"a":{"b":9}})"},
      row{R"({"a":"text"})", "a.b", R"({"a":"text"})"},
      row{R"({"a":{}})", "a.b", R"({"a":{"b":9}})"}, row{R"({"a":[1]})", "a.0", R"({"a":[1]})"},
      row{R"({"a":[{"n":1},{}]})", "a.#.n", R"({"a":[{"n":1},{"n":9}]})"});
  CAPTURE(each.text, each.path);
  CHECK(after(each.text, each.path, edit_kind::fill) == each.expected);
}

TEST_CASE("remove takes a member or an element with its comma") {
  const auto each = GENERATE(
      row{R"({ "a" : 1 , "b":2 })", "a", R"({ "b":2 })"},
      row{R"({ "a" : 1 , "b":2 })", "b", R"({ "a" : 1  })"}, row{R"({"a":1})", "a", R"({})"},
      row{R"({"a":[1, 2, 3]})", "a.1", R"({"a":[1, 3]})"},
      row{R"({"a":[1]})", "a.0", R"({"a":[]})"}, row{R"({"a":[1,2]})", "a.#", R"({"a":[]})"},
      row{R"({"a":1})", "b.c", R"({"a":1})"}, row{R"({"a":[1]})", "a.-1", R"({"a":[1]})"},
      row{R"({"a":[{"t":"x"},{"t":"y"},{"t":"x"}]})", R"(a.#(t=="x")#)", R"({"a":[{"t":"y"}]})"},
      row{R"({"a":[{"t":"x"},{"t":"y"},{"t":"x"}]})", R"(a.#(t=="x"))",
          R"({"a":[{"t":"y"},{"t":"x"}]})"},
      row{R"({"a":[{"n":1,"m":2},{"n":3}]})", "a.#.n", R"({"a":[{"m":2},{}]})"},
      row{R"({"a":1,"b":2,"a":3})", "a", R"({"b":2})"});
  CAPTURE(each.text, each.path);
  CHECK(after(each.text, each.path, edit_kind::remove) == each.expected);
}

TEST_CASE("queries compare texts, numbers and words") {
  const std::string text =
      R"({"a":[{"v":"x\u0041"},{"v":1.0},{"v":true},{"v":null},{"w":{"v":"in"}},"plain",{"v":[1]}]})";
  const auto [query, places] = GENERATE(table<std::string, std::vector<int>>({
      {R"(v=="xA")", {0}},
      {"v==1", {1}},
      {"v==true", {2}},
      {"v==null", {3}},
      {"w.v==in", {4}},
      {R"(=="plain")", {5}},
      {R"(%"pl*")", {5}},
      {R"(v%"x*")", {0}},
      {R"(v!%"y*")", {0}},
      {"v", {0, 1, 2, 3, 6}},
      {"v!=1", {0, 2, 3, 6}},
      {R"(v=="true")", {2}},
  }));
  CAPTURE(query);
  const auto path = parse_json_path("a.#(" + query + ")#");
  REQUIRE(path);
  const auto all = nlohmann::json::parse(text)["a"];
  std::vector<int> found;
  for (const auto value : find_values(text, path->steps)) {
    for (int i = 0; i < static_cast<int>(all.size()); ++i) {
      if (nlohmann::json::parse(value) == all[static_cast<std::size_t>(i)]) found.push_back(i);
    }
  }
  CHECK(found == places);
}

TEST_CASE("an edit that would add too much is refused before it is made") {
  std::string text = R"({"a":[)";
  for (int i = 0; i < 2000; ++i) text += (i == 0 ? "0" : ",0");
  text += "]}";
  const auto path = parse_json_path("a.#");
  const auto out = edited(text, path->steps, edit_kind::set, '"' + std::string(60'000, 'x') + '"');
  REQUIRE_FALSE(out);
  CHECK(out.error().code == errc::limit_exceeded);
}

TEST_CASE("items are found whatever the blanks, and broken text has none") {
  const auto members = items_of(R"({ "a" : [1,{"x":"}"}] , "b":"\"" })");
  REQUIRE(members);
  REQUIRE(members->size() == 2);
  CHECK((*members)[0].key == "a");
  CHECK((*members)[1].size == 4);
  CHECK(items_of("[ ]")->empty());
  const auto* const broken = GENERATE("", "1", "{", "[", "[1", "[1,", "[,]", R"({"a")", R"({"a":)",
                                      R"({"a":})", R"({"a)", R"(["a)", R"(["\)", "[[1]", "{1:2}");
  CAPTURE(broken);
  CHECK_FALSE(items_of(broken));
}

TEST_CASE("edits of any JSON agree with a document's") {
  REQUIRE(rc::check("set, fill and remove of random members", [](std::uint64_t seed) {
    test::json_maker maker{seed};
    const auto text = maker.object(3, {"k0", "k1", "k2"});
    static const std::vector<std::string> paths{"/k0",       "/k1/k0", "/k2/0",
                                                "/k0/k1/k2", "/k1/-",  "/n/m"};
    const auto& path = paths[maker.below(paths.size())];
    const auto steps = parse_json_path(path)->steps;
    const auto before = nlohmann::json::parse(text);
    for (const auto how : {edit_kind::set, edit_kind::fill, edit_kind::remove}) {
      const auto out = edited(text, steps, how, "[\"new\"]");
      RC_ASSERT(out.has_value());
      if (!*out) continue;
      RC_ASSERT(nlohmann::json::accept(**out));
      const auto now = nlohmann::json::parse(**out);
      for (const auto& [key, value] : before.items()) {
        if (key != steps.front().key) RC_ASSERT(now.at(key) == value);
      }
      const auto again = edited(**out, steps, how, "[\"new\"]");
      const bool appends = steps.back().what == path_step::kind::append;
      if (!appends && steps.back().key != "0") RC_ASSERT(again.has_value() && !*again);
    }
  }));
}
