#include "protocol/canonical/chat/chat.hpp"
#include "protocol/canonical/event_order.hpp"

#include <random>

#include "tests/support/catch.hpp"

using namespace tidegate;
using namespace tidegate::protocol;

namespace {

using events = std::vector<event>;

void check_order(const events& got) {
  event_order order;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto wrong = order.check(got[i]);
    CAPTURE(i, got.size(), wrong.value_or(""));
    REQUIRE_FALSE(wrong);
  }
  const auto missing = order.check_end();
  CAPTURE(missing.value_or(""));
  REQUIRE_FALSE(missing);
}

/// Feeds the bytes in pieces of this size.
events decoded(std::string_view bytes, const tool_names& names = {}, std::size_t piece = 4096) {
  sse_splitter splitter{1 << 20};
  const auto decoder = chat_codec.make_decoder(names);
  events out;
  sse_frame frame;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    REQUIRE(splitter.feed(bytes.substr(at, piece)));
    while (splitter.next(frame)) decoder->feed(frame, out);
  }
  decoder->finish(out);
  check_order(out);
  return out;
}

std::string frames(const std::vector<std::string>& data) {
  std::string out;
  for (const auto& one : data) out += "data: " + one + "\n\n";
  return out;
}

std::string delta(const std::string& members, const std::string& finish = "null") {
  return R"({"id":"r1","object":"chat.completion.chunk","created":5,"model":"gpt-x","choices":[)"
         R"({"index":0,"delta":{)" +
         members + R"(},"finish_reason":)" + finish + "}]}";
}

item_start item(std::uint32_t index, item_kind kind) {
  item_start out;
  out.index = index;
  out.kind = kind;
  return out;
}

item_start call(std::uint32_t index, std::string id, std::string name) {
  item_start out = item(index, item_kind::tool_call);
  out.call_id = std::move(id);
  out.name = std::move(name);
  return out;
}

const start_event start{"r1", "gpt-x", 5};

template <class Event>
std::vector<Event> all(const events& from) {
  std::vector<Event> out;
  for (const auto& one : from) {
    if (const auto* hit = std::get_if<Event>(&one)) out.push_back(*hit);
  }
  return out;
}

const std::string rich = frames(
    {delta(R"("role":"assistant","content":"")"), delta(R"("reasoning_content":"th")"),
     delta(R"("reasoning_content":"ink")"), delta(R"("content":"a\n\ud83d\ude00")"),
     delta(R"("content":"b")"),
     delta(R"("annotations":[{"type":"url_citation","url_citation":{"url":"u","start_index":1}}])"),
     delta(
         R"("tool_calls":[{"index":0,"id":"c0","type":"function","function":{"name":"f",)"
         R"("arguments":""}}])"),
     delta(R"("tool_calls":[{"index":0,"function":{"arguments":"{\"a\""}}])"),
     delta(
         R"("tool_calls":[{"index":1,"id":"c1","type":"function","function":{"name":"g",)"
         R"("arguments":""}}])"),
     delta(R"("tool_calls":[{"index":0,"function":{"arguments":":1}"}}])"),
     delta("", R"("tool_calls")"),
     R"({"id":"r1","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":4,)"
     R"("total_tokens":14,)"
     R"("prompt_tokens_details":{"cached_tokens":3},"completion_tokens_details":)"
     R"({"reasoning_tokens":2}}})",
     "[DONE]", delta(R"("content":"late")")});

const events rich_events{
    start,
    item(0, item_kind::reasoning),
    reasoning_delta{0, 0, "th"},
    reasoning_delta{0, 0, "ink"},
    item_end{0},
    item(1, item_kind::text),
    text_delta{1, "a\n\xF0\x9F\x98\x80"},
    text_delta{1, "b"},
    citation_added{1, "u", "", 1, std::nullopt},
    item_end{1},
    call(2, "c0", "f"),
    arguments_delta{2, "{\"a\""},
    call(3, "c1", "g"),
    arguments_delta{2, ":1}"},
    item_end{2},
    arguments_delta{3, "{}"},
    item_end{3},
    usage_event{{10, 3, std::nullopt, 4, 2}},
    finish_event{finish_reason::tool_use, "", "tool_calls"},
};

}  // namespace

TEST_CASE("a Chat stream as events") {
  CHECK(decoded(rich) == rich_events);
}

TEST_CASE("events of a Chat stream do not depend on how its bytes were cut") {
  for (const std::size_t piece : {1U, 2U, 3U, 7U, 64U}) {
    CHECK(decoded(rich, {}, piece) == rich_events);
  }
}

TEST_CASE("a Chat stream cut anywhere is whole only when its answer is") {
  const auto answer_end = rich.find(R"("finish_reason":"tool_calls")");
  for (std::size_t size = 0; size < rich.size(); ++size) {
    CAPTURE(size);
    const auto got = decoded(std::string_view{rich}.substr(0, size));
    const bool failed = std::holds_alternative<failed_event>(got.back());
    const auto frame_end = rich.find("\n\n", answer_end) + 2;
    CHECK(failed == (size < frame_end));
  }
}

TEST_CASE("a server's ping between the frames says nothing") {
  const std::string said = frames({delta(R"("content":"a")"), delta("", R"("stop")"), "[DONE]"});
  const std::string ping = frames({R"({"type":"ping"})"});
  CHECK(decoded(ping + said) == decoded(said));
  const auto behind_first = said.find("\n\n") + 2;
  auto between = said;
  CHECK(decoded(between.insert(behind_first, ping)) == decoded(said));
  CHECK(decoded("event: ping\ndata: {}\n\n" + said) == decoded(said));
  CHECK(std::holds_alternative<failed_event>(decoded(frames({R"({"type":"pong"})"})).back()));
}

TEST_CASE("frames in any order make legal events") {
  std::vector<std::string> data;
  for (std::size_t at = 0; at < rich.size();) {
    const auto end = rich.find("\n\n", at) + 2;
    data.push_back(rich.substr(at, end - at));
    at = end;
  }
  std::mt19937 random{7};
  for (int round = 0; round < 300; ++round) {
    std::ranges::shuffle(data, random);
    std::string bytes;
    for (const auto& one : data) bytes += one;
    (void)decoded(bytes);
  }
}

TEST_CASE("damaged bytes of a Chat stream make legal events") {
  std::mt19937 random{11};
  for (int round = 0; round < 500; ++round) {
    std::string bytes = rich;
    for (int i = 0; i < 3; ++i) bytes[random() % bytes.size()] = static_cast<char>(random() % 256);
    (void)decoded(bytes);
  }
}

TEST_CASE("how a Chat stream ends") {
  struct row {
    std::vector<std::string> data;
    finish_reason reason;
    bool failed;
  };
  const std::string say = delta(R"("content":"a")");
  const std::string use =
      delta(R"("tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{}"}}])");
  const std::string half =
      delta(R"("tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{"}}])");
  const std::string think = delta(R"("reasoning_content":"a")");
  const std::vector<row> rows{
      {{say, delta("", R"("stop")"), "[DONE]"}, finish_reason::stop, false},
      {{say, delta("", R"("stop")")}, finish_reason::stop, false},
      {{say, "[DONE]"}, finish_reason::stop, false},
      {{say}, finish_reason::other, true},
      {{"[DONE]"}, finish_reason::other, true},
      {{}, finish_reason::other, true},
      {{think, "[DONE]"}, finish_reason::other, true},
      {{think, delta("", R"("stop")")}, finish_reason::stop, false},
      {{use, "[DONE]"}, finish_reason::tool_use, false},
      {{half, "[DONE]"}, finish_reason::other, true},
      {{half, delta("", R"("length")")}, finish_reason::length, false},
      {{use, delta("", R"("stop")")}, finish_reason::tool_use, false},
      {{use, delta("", R"("content_filter")")}, finish_reason::content_filter, false},
      {{say, delta("", R"("tool_calls")")}, finish_reason::stop, false},
      {{delta(R"("refusal":"no")"), delta("", R"("stop")")}, finish_reason::refusal, false},
      {{say, delta("", R"("weird")")}, finish_reason::other, false},
      {{say, delta("", R"("")"), "[DONE]"}, finish_reason::stop, false},
      {{say, "not json"}, finish_reason::other, true},
      {{say, R"({"type":"response.created"})"}, finish_reason::other, true},
      {{say, R"({"error":{"message":"m","type":"t","code":429}})"}, finish_reason::other, true},
      {{say, delta("", R"("stop")"), R"({"error":"boom"})"}, finish_reason::other, true},
  };
  for (const auto& row : rows) {
    const std::string bytes = frames(row.data);
    CAPTURE(bytes);
    const auto got = decoded(bytes);
    const auto finished = all<finish_event>(got);
    CHECK(all<failed_event>(got).size() == (row.failed ? 1 : 0));
    REQUIRE(finished.size() == (row.failed ? 0 : 1));
    if (!row.failed) CHECK(finished[0].reason == row.reason);
  }
}

TEST_CASE("an error in a Chat stream keeps its status, type and words") {
  const auto got = decoded(frames({R"({"error":{"message":"m","type":"t","code":429}})"}));
  CHECK(got == events{failed_event{429, "t", "", "m"}});
  const auto by_word =
      decoded(frames({R"({"error":{"message":"m","type":"rate_limit_error","code":null}})"}));
  CHECK(by_word == events{failed_event{429, "rate_limit_error", "", "m"}});
}

TEST_CASE("a tool call opens when its id and name are known") {
  const auto calls = [](const std::vector<std::string>& pieces) {
    std::vector<std::string> data;
    for (const auto& piece : pieces) data.push_back(delta("\"tool_calls\":[" + piece + "]"));
    data.push_back(delta("", R"("tool_calls")"));
    return decoded(frames(data));
  };
  const auto late_name = calls({R"({"index":0,"id":"c","function":{"name":null,"arguments":"{"}})",
                                R"({"index":0,"function":{"name":7,"arguments":"}"}})",
                                R"({"index":0,"function":{"name":"f"}})",
                                R"({"index":0,"id":"c","function":{"name":"f"}})"});
  CHECK(late_name == events{start, call(0, "c", "f"), arguments_delta{0, "{}"}, item_end{0},
                            finish_event{finish_reason::tool_use, "", "tool_calls"}});
  const auto no_name = calls({R"({"index":0,"id":"c","function":{"arguments":"{}"}})"});
  CHECK(all<item_start>(no_name) == std::vector{call(0, "c", "tool_0")});
  const auto no_id = calls({R"({"index":0,"function":{"name":"f","arguments":"{}"}})"});
  REQUIRE(all<item_start>(no_id).size() == 1);
  CHECK(all<item_start>(no_id)[0].call_id.starts_with("call_"));
  const auto nothing = calls({R"({"index":0})"});
  CHECK(all<item_start>(nothing).empty());
  CHECK(all<finish_event>(nothing)[0].reason == finish_reason::stop);
}

TEST_CASE("calls are told apart by index, and by id where the index does not help") {
  const auto same_index = decoded(frames(
      {delta(R"("tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}])"),
       delta(R"("tool_calls":[{"index":0,"id":"b","function":{"name":"g","arguments":"[]"}}])"),
       "[DONE]"}));
  CHECK(all<item_start>(same_index) == std::vector{call(0, "a", "f"), call(1, "b", "g")});
  const auto no_index = decoded(frames(
      {delta(R"("tool_calls":[{"id":"a","function":{"name":"f","arguments":"{"}}])"),
       delta(R"("tool_calls":[{"function":{"arguments":"}"}}])"),
       delta(R"("tool_calls":[{"id":"b","function":{"name":"g","arguments":"{}"}}])"), "[DONE]"}));
  CHECK(all<item_start>(no_index) == std::vector{call(0, "a", "f"), call(1, "b", "g")});
  CHECK(all<arguments_delta>(no_index) ==
        std::vector<arguments_delta>{{0, "{"}, {0, "}"}, {1, "{}"}});
}

TEST_CASE("names of a Chat stream go back to the client's, and custom input is unwrapped") {
  const tool_names names{{"apply", "apply", "", tool_kind::custom},
                         {"files__read", "read", "files", tool_kind::function}};
  const auto got = decoded(
      frames(
          {delta(R"("tool_calls":[{"index":0,"id":"a","function":{"name":"files__read"}}])"),
           delta(
               R"("tool_calls":[{"index":1,"id":"b","function":{"name":"apply","arguments":)"
               R"("{\"in"}}])"),
           delta(R"("tool_calls":[{"index":1,"function":{"arguments":"put\":\"x\\ny\"}"}}])"),
           delta("", R"("tool_calls")"), "[DONE]"}),
      names);
  const auto items = all<item_start>(got);
  REQUIRE(items.size() == 2);
  CHECK(items[0].name == "read");
  CHECK(items[0].name_space == "files");
  CHECK(items[1].tool == tool_kind::custom);
  CHECK(all<arguments_delta>(got) == std::vector<arguments_delta>{{0, "{}"}, {1, "x\ny"}});
}

TEST_CASE("only the first choice of a Chat stream counts") {
  const auto got = decoded(frames(
      {R"({"choices":[{"delta":{"content":"no"},"index":1},{"index":0,"delta":{"content":"a"}}]})",
       R"({"choices":[{"index":1,"delta":{},"finish_reason":"length"}]})",
       R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})", "[DONE]"}));
  CHECK(got == events{start_event{}, item(0, item_kind::text), text_delta{0, "a"}, item_end{0},
                      finish_event{finish_reason::stop, "", "stop"}});
}

TEST_CASE("usage of Chat: all the places where servers put it") {
  const auto counts = [](const std::string& json) {
    const auto got = decoded(frames({delta(R"("content":"a")", R"("stop")"),
                                     R"({"choices":[],"usage":)" + json + "}", "[DONE]"}));
    const auto said = all<usage_event>(got);
    REQUIRE(said.size() == 1);
    return said[0].counts;
  };
  CHECK(counts(R"({"prompt_tokens":5,"completion_tokens":2})") == usage{5, {}, {}, 2, {}});
  CHECK(counts(R"({"prompt_tokens":5,"prompt_cache_hit_tokens":4,"completion_tokens":2})") ==
        usage{5, 4, {}, 2, {}});
  CHECK(
      counts(
          R"({"prompt_tokens":5,"prompt_tokens_details":{"cached_tokens":0,)"
          R"("cached_creation_tokens":0}})") ==
      usage{5, 0, 0, {}, {}});
  CHECK(
      counts(
          R"({"prompt_tokens":5,"completion_tokens":2,"total_tokens":10,)"
          R"("completion_tokens_details":{"reasoning_tokens":3}})") ==
      usage{5, {}, {}, 5, 3});
  CHECK(counts(R"({"prompt_tokens":-5,"completion_tokens":1e30})") == usage{});
}

TEST_CASE("images of a Chat stream are items of their own") {
  const auto got = decoded(frames(
      {delta(
           R"("content":"a","images":[{"type":"image_url","image_url":{"url":)"
           R"("data:image/png;base64,QQ=="}}])"),
       delta("", R"("stop")"), "[DONE]"}));
  CHECK(got == events{start, item(0, item_kind::text), text_delta{0, "a"}, item_end{0},
                      item(1, item_kind::image), image_chunk{1, false, "image/png", "QQ=="},
                      item_end{1}, finish_event{finish_reason::stop, "", "stop"}});
}
