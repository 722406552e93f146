#include "protocol/canonical/chat/chat.hpp"
#include "protocol/canonical/event_order.hpp"

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"

using namespace tidegate;
using namespace tidegate::protocol;

namespace {

using events = std::vector<event>;
using nlohmann::json;

const answer_context with{
    .model = "alias", .stream_usage = true, .now = 9, .id = "made", .request_body = {}};

item_start item(std::uint32_t index, item_kind kind) {
  item_start out;
  out.index = index;
  out.kind = kind;
  return out;
}

item_start call(std::uint32_t index, std::string id, std::string name, tool_kind kind) {
  item_start out = item(index, item_kind::tool_call);
  out.call_id = std::move(id);
  out.name = std::move(name);
  out.tool = kind;
  return out;
}

std::string streamed(const events& from, answer_context context) {
  const auto encoder = chat_codec.make_encoder(std::move(context));
  std::string out;
  for (const auto& one : from) encoder->on(one, out);
  encoder->finish(out);
  encoder->finish(out);
  encoder->on(text_delta{0, "late"}, out);
  return out;
}

events decoded(const std::string& bytes) {
  sse_splitter splitter{1 << 20};
  const auto decoder = chat_codec.make_decoder({});
  events out;
  sse_frame frame;
  REQUIRE(splitter.feed(bytes));
  while (splitter.next(frame)) decoder->feed(frame, out);
  decoder->finish(out);
  return out;
}

/// Neighbouring deltas of one item as one, and usage before the finish: what a fold cannot tell.
events folded(const events& from) {
  events out;
  for (const auto& one : from) {
    auto* last = out.empty() ? nullptr : &out.back();
    const auto joins = [&]<class Event>(const Event* next) {
      auto* before = last != nullptr ? std::get_if<Event>(last) : nullptr;
      if (next == nullptr || before == nullptr || before->index != next->index) return false;
      before->text += next->text;
      return true;
    };
    if (joins(std::get_if<text_delta>(&one)) || joins(std::get_if<reasoning_delta>(&one)) ||
        joins(std::get_if<arguments_delta>(&one))) {
      continue;
    }
    out.push_back(one);
  }
  return out;
}

const events rich{
    start_event{"r1", "gpt-x", 5},
    item(0, item_kind::reasoning),
    reasoning_delta{0, 0, "one"},
    reasoning_delta{0, 1, "two"},
    item_end{0},
    item(1, item_kind::text),
    text_delta{1, "a\n\"b\""},
    citation_added{1, "u", "t", 1, 2},
    item_end{1},
    call(2, "c0", "f", tool_kind::function),
    call(3, "c1", "g", tool_kind::custom),
    arguments_delta{2, "{\"a\":"},
    arguments_delta{3, "in"},
    arguments_delta{2, "1}"},
    signature_event{2, token_owner::gemini, false, "sig"},
    item_end{3},
    item_end{2},
    item(4, item_kind::image),
    image_chunk{4, true, "image/png", "QQ=="},
    image_chunk{4, false, "image/png", "QUI="},
    item_end{4},
    usage_event{{10, 3, std::nullopt, std::nullopt, std::nullopt}},
    finish_event{finish_reason::tool_use, "", "tool_use"},
    usage_event{{std::nullopt, std::nullopt, std::nullopt, 4, 2}},
};

}  // namespace

TEST_CASE("a Chat stream as it is written") {
  const std::string head = R"(data: {"id":"r1","object":"chat.completion.chunk","created":5,)"
                           R"("model":"alias","choices":[)";
  const auto chunk = [&](const std::string& members) {
    return head + R"({"index":0,"delta":{)" + members + R"(},"finish_reason":null}]})" + "\n\n";
  };
  CHECK(
      streamed(rich, with) ==
      chunk(R"("role":"assistant","content":"")") + chunk(R"("reasoning_content":"one")") +
          chunk(R"("reasoning_content":"\n\ntwo")") + chunk(R"("content":"a\n\"b\"")") +
          chunk(R"("annotations":[{"type":"url_citation","url_citation":{"url":"u",)"
                R"("title":"t","start_index":1,"end_index":2}}])") +
          chunk(R"("tool_calls":[{"index":0,"id":"c0","type":"function",)"
                R"("function":{"name":"f","arguments":""}}])") +
          chunk(R"("tool_calls":[{"index":1,"id":"c1","type":"custom",)"
                R"("custom":{"name":"g","input":""}}])") +
          chunk(R"("tool_calls":[{"index":0,"function":{"arguments":"{\"a\":"}}])") +
          chunk(R"("tool_calls":[{"index":1,"custom":{"input":"in"}}])") +
          chunk(R"("tool_calls":[{"index":0,"function":{"arguments":"1}"}}])") +
          chunk(
              R"("tool_calls":[{"index":0,"extra_content":{"google":{"thought_signature":)"
              R"("sig"}}}])") +
          chunk(R"("images":[{"index":0,"type":"image_url",)"
                R"("image_url":{"url":"data:image/png;base64,QUI="}}])") +
          head +
          R"({"index":0,"delta":{},"finish_reason":"tool_calls",)"
          R"("native_finish_reason":"tool_use"}]})"
          "\n\n"
          R"(data: {"id":"r1","object":"chat.completion.chunk","created":5,"model":"alias",)"
          R"("choices":[],"usage":{"prompt_tokens":10,"completion_tokens":4,"total_tokens":14,)"
          R"("prompt_tokens_details":{"cached_tokens":3},)"
          R"("completion_tokens_details":{"reasoning_tokens":2}}})"
          "\n\ndata: [DONE]\n\n");
}

TEST_CASE("usage is written only when the client asked for it") {
  answer_context quiet = with;
  quiet.stream_usage = false;
  CHECK(streamed(rich, quiet).find("usage") == std::string::npos);
}

TEST_CASE("a whole Chat answer as it is written") {
  CHECK(
      chat_codec.encode_answer(rich, with) ==
      R"({"id":"r1","object":"chat.completion","created":5,"model":"alias","choices":[{"index":0,)"
      R"("message":{"role":"assistant","content":"a\n\"b\"","reasoning_content":"one\n\ntwo",)"
      R"("tool_calls":[{"id":"c0","type":"function","function":{"name":"f","arguments":)"
      R"("{\"a\":1}"},"extra_content":{"google":{"thought_signature":"sig"}}},)"
      R"({"id":"c1","type":"custom","custom":{"name":"g","input":"in"}}],)"
      R"("images":[{"index":0,"type":"image_url","image_url":{"url":)"
      R"("data:image/png;base64,QUI="}}],)"
      R"("annotations":[{"type":"url_citation","url_citation":{"url":"u","title":"t",)"
      R"("start_index":1,"end_index":2}}]},)"
      R"("finish_reason":"tool_calls","native_finish_reason":"tool_use"}],)"
      R"("usage":{"prompt_tokens":10,"completion_tokens":4,"total_tokens":14,)"
      R"("prompt_tokens_details":{"cached_tokens":3},)"
      R"("completion_tokens_details":{"reasoning_tokens":2}}})");
}

TEST_CASE("a whole Chat answer says what its stream says") {
  const auto whole = chat_codec.decode_answer(chat_codec.encode_answer(rich, with), {});
  REQUIRE(whole);
  event_order order;
  for (const auto& one : *whole) REQUIRE_FALSE(order.check(one));
  REQUIRE_FALSE(order.check_end());
  std::string a = chat_codec.encode_answer(*whole, with);
  std::string b = chat_codec.encode_answer(decoded(streamed(rich, with)), with);
  CHECK(json::parse(a) == json::parse(b));
}

TEST_CASE("what a Chat stream spells comes back as the same events") {
  const events plain{
      start_event{"r1", "alias", 5},
      item(0, item_kind::reasoning),
      reasoning_delta{0, 0, "x"},
      item_end{0},
      item(1, item_kind::text),
      text_delta{1, "y"},
      item_end{1},
      item(2, item_kind::refusal),
      text_delta{2, "z"},
      item_end{2},
      call(3, "c", "f", tool_kind::function),
      arguments_delta{3, "{}"},
      item_end{3},
      usage_event{{1, 2, 3, 4, 5}},
      finish_event{finish_reason::tool_use, "", "tool_calls"},
  };
  CHECK(decoded(streamed(plain, with)) == plain);
  const auto whole = chat_codec.decode_answer(chat_codec.encode_answer(plain, with), {});
  REQUIRE(whole);
  CHECK(folded(*whole) == plain);
}

TEST_CASE("finish reasons in Chat's words") {
  const std::vector<std::pair<finish_reason, std::string>> rows{
      {finish_reason::stop, "stop"},
      {finish_reason::stop_sequence, "stop"},
      {finish_reason::length, "length"},
      {finish_reason::tool_use, "tool_calls"},
      {finish_reason::content_filter, "content_filter"},
      {finish_reason::refusal, "content_filter"},
      {finish_reason::pause, "stop"},
      {finish_reason::context_exceeded, "length"},
      {finish_reason::other, "stop"},
  };
  for (const auto& [reason, word] : rows) {
    const events short_answer{start_event{}, finish_event{reason, "", ""}};
    const std::string expected = R"("finish_reason":")" + word + '"';
    CHECK(chat_codec.encode_answer(short_answer, with).find(expected) != std::string::npos);
    CHECK(streamed(short_answer, with).find(expected) != std::string::npos);
  }
}

TEST_CASE("a failed answer has no good ending") {
  const events failed{start_event{}, item(0, item_kind::text), text_delta{0, "a"},
                      failed_event{502, "t", "c", "broken"}};
  const events cut{start_event{}, item(0, item_kind::text), text_delta{0, "a"}};
  for (const auto& one : {failed, cut, events{}}) {
    const std::string stream = streamed(one, with);
    CHECK(stream.find("[DONE]") == std::string::npos);
    CHECK(stream.find("\"error\":") == stream.rfind("\"error\":"));
    CHECK(stream.rfind("data: {\"error\":") != std::string::npos);
    CHECK(chat_codec.encode_answer(one, with).starts_with("{\"error\":"));
  }
  CHECK(streamed(failed, with).find("broken") != std::string::npos);
}

TEST_CASE("a call without an id or arguments gets both, the same in stream and body") {
  const events short_call{start_event{"r", "", 1}, call(0, "", "f", tool_kind::function),
                          item_end{0}, finish_event{finish_reason::tool_use, "", ""}};
  const auto whole = chat_codec.decode_answer(chat_codec.encode_answer(short_call, with), {});
  REQUIRE(whole);
  const auto from_stream = decoded(streamed(short_call, with));
  const auto& a = std::get<item_start>(whole->at(1));
  const auto& b = std::get<item_start>(from_stream.at(1));
  CHECK(a.call_id.size() == 29);
  CHECK(a == b);
  CHECK(std::get<arguments_delta>(from_stream.at(2)).text == "{}");
}

TEST_CASE("calls of the provider's own tools are hidden") {
  const events hidden{start_event{},
                      call(0, "s", "web_search", tool_kind::server),
                      arguments_delta{0, "{}"},
                      item_end{0},
                      call(1, "c", "f", tool_kind::function),
                      item_end{1},
                      finish_event{finish_reason::tool_use, "", ""}};
  CHECK(streamed(hidden, with).find("web_search") == std::string::npos);
  CHECK(streamed(hidden, with).find(R"("index":1)") == std::string::npos);
  CHECK(chat_codec.encode_answer(hidden, with).find("web_search") == std::string::npos);
}

TEST_CASE("a body that is no Chat answer is refused") {
  const std::vector<std::string> rows{"",
                                      "[]",
                                      "{}",
                                      "not json",
                                      R"({"choices":[]})",
                                      R"({"error":{"message":"m"}})",
                                      R"({"choices":[{"index":0,"message":{"content":"a"}})"};
  for (const auto& body : rows) {
    CAPTURE(body);
    const auto got = chat_codec.decode_answer(body, {});
    REQUIRE_FALSE(got);
    CHECK(got.error().code == errc::invalid_input);
  }
}

TEST_CASE("a client that declared functions gets the first call as function_call") {
  answer_context old = with;
  old.request_body = R"({"functions":[{"name":"f"}],"messages":[]})";
  const events from{start_event{}, call(0, "c1", "f", tool_kind::function),
                    arguments_delta{0, "{}"}, item_end{0},
                    call(1, "c2", "g", tool_kind::function), arguments_delta{1, "{}"}, item_end{1},
                    finish_event{finish_reason::tool_use, "", ""}};
  const auto choice = json::parse(chat_codec.encode_answer(from, old))["choices"][0];
  CHECK(choice["message"]["function_call"] == json{{"name", "f"}, {"arguments", "{}"}});
  CHECK_FALSE(choice["message"].contains("tool_calls"));
  CHECK(choice["finish_reason"] == "function_call");
  const auto frames = streamed(from, old);
  CHECK(frames.find(R"("function_call":{"name":"f","arguments":""})") != std::string::npos);
  CHECK(frames.find(R"("function_call":{"arguments":"{}"})") != std::string::npos);
  CHECK(frames.find("tool_calls") == std::string::npos);
  CHECK(frames.find("\"g\"") == std::string::npos);
}
