#include <nlohmann/json.hpp>

#include <random>

#include "tests/unit/protocol/canonical_gemini_maker.hpp"

using namespace gemini_test;

namespace {

std::string framed(std::string_view json) {
  return "data: " + std::string{json} + "\n\n";
}

/// A chunk with these parts; `more` are further members of the candidate.
std::string chunk(std::string_view parts, std::string_view more = {},
                  std::string_view outside = {}) {
  return framed(R"({"candidates":[{"content":{"parts":[)" + std::string{parts} +
                R"(],"role":"model"})" + std::string{more} + R"(,"index":0}])" +
                std::string{outside} + R"(,"modelVersion":"gemini-x","responseId":"r1"})");
}

const std::string stop = R"(,"finishReason":"STOP")";
const std::string tokens = R"(,"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":4,)"
                           R"("thoughtsTokenCount":3,"cachedContentTokenCount":2})";
const start_event started{"r1", "gemini-x", 0};

item_start opened(std::uint32_t index, item_kind kind) {
  item_start out;
  out.index = index;
  out.kind = kind;
  return out;
}

const std::string rich =
    chunk(R"({"text":"th","thought":true})") +
    chunk(R"({"text":"","thought":true,"thoughtSignature":"EgsKCQEAAAAAAAAAAAA="})") +
    chunk(R"({"text":"h\u00e9"})") + ": ping\n\n" + chunk(R"({"text":"llo"})") +
    chunk(R"({"functionCall":{"id":"c1","name":"f","args":{"a":1}},"thoughtSignature":"sg"})") +
    chunk(
        R"({"functionCall":{"name":"g","args":{}}},{"inlineData":{"mimeType":"image/png","data":"QQ=="}})") +
    chunk(R"({"text":""})", stop, tokens);

const failed_event& failure(const std::vector<event>& events) {
  REQUIRE_FALSE(events.empty());
  const auto* found = std::get_if<failed_event>(&events.back());
  REQUIRE(found != nullptr);
  return *found;
}

finish_event ending(const std::vector<event>& events) {
  for (const auto& one : events) {
    if (const auto* end = std::get_if<finish_event>(&one)) return *end;
  }
  FAIL("no finish");
  return {};
}

}  // namespace

TEST_CASE("canonical Gemini: from Gemini: parts of one kind in a row are one item") {
  auto first_call = opened(2, item_kind::tool_call);
  first_call.call_id = "c1";
  first_call.name = "f";
  auto events = read_stream(rich);
  CHECK(order_fault(events).empty());
  REQUIRE(events.size() == 21);
  auto second_call = std::get<item_start>(events[13]);
  CHECK(second_call.call_id.starts_with("call_"));
  CHECK(second_call.name == "g");
  const std::vector<event> expected{
      started,
      opened(0, item_kind::reasoning),
      reasoning_delta{0, 0, "th"},
      signature_event{0, token_owner::gemini, false, "EgsKCQEAAAAAAAAAAAA="},
      item_end{0},
      opened(1, item_kind::text),
      text_delta{1, "hé"},
      text_delta{1, "llo"},
      item_end{1},
      first_call,
      arguments_delta{2, R"({"a":1})"},
      signature_event{2, token_owner::gemini, false, "sg"},
      item_end{2},
      second_call,
      arguments_delta{3, "{}"},
      item_end{3},
      opened(4, item_kind::image),
      image_chunk{4, false, "image/png", "QQ=="},
      item_end{4},
      usage_event{{10, 2, {}, 7, 3}},
      finish_event{finish_reason::tool_use, "", "STOP"}};
  CHECK(events == expected);
}

TEST_CASE("canonical Gemini: from Gemini: events do not depend on how the bytes were cut") {
  const auto whole = read_stream(rich);
  for (const std::size_t piece : {1U, 2U, 3U, 7U, 64U, 500U}) {
    CAPTURE(piece);
    CHECK(read_stream(rich, {}, piece) == whole);
  }
}

TEST_CASE("canonical Gemini: from Gemini: a stream that is cut has failed, in legal order") {
  for (std::size_t size = 0; size + 1 < rich.size(); ++size) {
    const auto events = read_stream(rich.substr(0, size));
    REQUIRE(order_fault(events).empty());
    CHECK(failure(events).status == 502);
  }
}

TEST_CASE(
    "canonical Gemini: from Gemini: frames in any order and broken frames keep the order of "
    "events") {
  std::vector<std::string> frames;
  sse_splitter split(1 << 20);
  REQUIRE(split.feed(rich));
  for (sse_frame frame; split.next(frame);) frames.emplace_back(frame.raw);
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::ranges::shuffle(frames, random);
    std::string all;
    for (const auto& frame : frames) all += frame;
    if (round % 2 == 0) all[random() % all.size()] = "{}[],:\"x"[random() % 8];
    const auto events = read_stream(all);
    CAPTURE(all);
    REQUIRE(order_fault(events).empty());
  }
}

TEST_CASE("canonical Gemini: from Gemini: every finish reason has a meaning") {
  const auto [word, calls, reason] = GENERATE(table<std::string, bool, finish_reason>({
      {"STOP", false, finish_reason::stop},
      {"STOP", true, finish_reason::tool_use},
      {"MAX_TOKENS", false, finish_reason::length},
      {"MAX_TOKENS", true, finish_reason::length},
      {"SAFETY", true, finish_reason::content_filter},
      {"RECITATION", false, finish_reason::content_filter},
      {"BLOCKLIST", false, finish_reason::content_filter},
      {"PROHIBITED_CONTENT", false, finish_reason::content_filter},
      {"SPII", false, finish_reason::content_filter},
      {"IMAGE_SAFETY", false, finish_reason::content_filter},
      {"OTHER", false, finish_reason::other},
      {"MALFORMED_FUNCTION_CALL", true, finish_reason::tool_use},
  }));
  const std::string parts = calls ? R"({"functionCall":{"name":"f"}})" : R"({"text":"a"})";
  const auto events = read_stream(chunk(parts, R"(,"finishReason":")" + word + "\""));
  CHECK(order_fault(events).empty());
  CHECK(ending(events) == finish_event{reason, "", word});
}

TEST_CASE(
    "canonical Gemini: from Gemini: a blocked prompt and an answer without content end filtered") {
  const auto blocked = read_stream(framed(
      R"({"promptFeedback":{"blockReason":"OTHER"},"usageMetadata":{"promptTokenCount":3}})"));
  CHECK(blocked == std::vector<event>{start_event{}, usage_event{{3, {}, {}, {}, {}}},
                                      finish_event{finish_reason::content_filter, "", "OTHER"}});
  const auto empty = read_stream(framed(R"({"candidates":[{"finishReason":"SAFETY","index":0}]})"));
  CHECK(ending(empty).reason == finish_reason::content_filter);
}

TEST_CASE(
    "canonical Gemini: from Gemini: only the first candidate counts, and usage may come late") {
  const auto events = read_stream(
      framed(R"({"candidates":[{"content":{"parts":[{"text":"b"}]},"index":1},)"
             R"({"content":{"parts":[{"text":"a"}]},"finishReason":"STOP","index":0}]})") +
      framed(R"({"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":0}})") +
      chunk(R"({"text":"late"})"));
  CHECK(order_fault(events).empty());
  CHECK(events[2] == event{text_delta{0, "a"}});
  CHECK(events.back() == event{usage_event{{1, {}, {}, 0, {}}}});
}

TEST_CASE("canonical Gemini: from Gemini: errors in the stream end it") {
  const auto [frame, status, message] = GENERATE(table<std::string, int, std::string>({
      {R"({"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED"}})", 429, "m"},
      {R"([{"error":{"code":503,"message":"m"}}])", 503, "m"},
      {R"({"error":"text"})", 502, "text"},
  }));
  const auto events =
      read_stream(chunk(R"({"text":"a"})") + framed(frame) + chunk(R"({"text":"b"})", stop));
  CHECK(order_fault(events).empty());
  CHECK(failure(events).status == status);
  CHECK(failure(events).message == message);
}

TEST_CASE("canonical Gemini: from Gemini: what is no chunk fails") {
  const auto frame = GENERATE(as<std::string>{}, "7", "{", "nope", R"({"candidates":[1]})",
                              R"({} x)", R"({"candidates":[{"content":{"parts":[{"text":"a"})");
  CAPTURE(frame);
  const auto events = read_stream(framed(frame));
  CHECK(order_fault(events).empty());
  CHECK(failure(events).status == 502);
}

TEST_CASE("canonical Gemini: from Gemini: Code Assist's wrapping is looked through") {
  const auto events = read_stream(framed(
      R"({"response":{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}],)"
      R"("responseId":"w"},"traceId":"t"})"));
  CHECK(order_fault(events).empty());
  CHECK(events.front() == event{start_event{"w", "", 0}});
  CHECK(ending(events).reason == finish_reason::stop);
}

TEST_CASE("canonical Gemini: from Gemini: names find their way back, custom input is unwrapped") {
  const tool_names names{{"ns__f", "f", "ns", tool_kind::function},
                         {"p", "p", "", tool_kind::custom}};
  const auto events =
      read_stream(chunk(R"({"functionCall":{"id":"1","name":"ns__f","args":{"input":"x"}}},)"
                        R"({"functionCall":{"id":"2","name":"p","args":{"input":"a\nb"}}},)"
                        R"({"functionCall":{"id":"3","name":"p","args":{"other":1}}})",
                        stop),
                  names);
  CHECK(std::get<item_start>(events[1]).name_space == "ns");
  CHECK(events[2] == event{arguments_delta{0, R"({"input":"x"})"}});
  CHECK(std::get<item_start>(events[4]).tool == tool_kind::custom);
  CHECK(events[5] == event{arguments_delta{1, "a\nb"}});
  CHECK(events[8] == event{arguments_delta{2, R"({"other":1})"}});
}

TEST_CASE("canonical Gemini: from Gemini: grounding becomes citations in characters") {
  const auto events = read_stream(
      chunk(R"({"text":"é ab"})") +
      chunk("", R"(,"groundingMetadata":{"groundingChunks":[{"web":{"uri":"u","title":"t"}}],)"
                R"("groundingSupports":[{"segment":{"startIndex":3,"endIndex":5,"text":"ab"},)"
                R"("groundingChunkIndices":[0,9,-1]}]})" +
                    stop));
  CHECK(order_fault(events).empty());
  CHECK(events[3] == event{citation_added{0, "u", "t", 2, 4}});
}

TEST_CASE("canonical Gemini: from Gemini: a search is an item with its sources") {
  const auto events = read_stream(
      chunk(R"({"text":"a"})") +
      chunk("", R"(,"groundingMetadata":{"webSearchQueries":["p","","q"],)"
                R"("groundingChunks":[{"web":{"uri":"u","title":"t"}},{"web":{}}]})" +
                    stop));
  CHECK(order_fault(events).empty());
  const auto search = std::ranges::find_if(events, [](const event& one) {
    const auto* const start = std::get_if<item_start>(&one);
    return start != nullptr && start->kind == item_kind::server_tool;
  });
  REQUIRE(events.end() - search > 3);
  CHECK(std::get<item_start>(*search).name == "web_search");
  CHECK(search[1] == event{arguments_delta{1, R"({"query":"p, q"})"}});
  CHECK(search[2] == event{citation_added{1, "u", "t", {}, {}}});
  CHECK(search[3] == event{item_end{1}});
}

TEST_CASE("canonical Gemini: to Gemini: a stream in full") {
  auto made = opened(1, item_kind::tool_call);
  made.call_id = "c1";
  made.name = "f";
  const std::vector<event> events{start_event{"r1", "up", 0},
                                  opened(0, item_kind::text),
                                  text_delta{0, "h\"i"},
                                  made,
                                  arguments_delta{1, "{\"a\":\n"},
                                  text_delta{0, "!"},
                                  item_end{0},
                                  arguments_delta{1, "1}"},
                                  item_end{1},
                                  finish_event{finish_reason::tool_use, "", "tool_calls"},
                                  usage_event{{10, 2, {}, 7, 3}}};
  answer_context with;
  with.model = "m";
  const std::string tail = R"(,"index":0}],"modelVersion":"m","responseId":"r1"})"
                           "\n\n";
  const std::string head = R"(data: {"candidates":[{"content":{"parts":[)";
  CHECK(write_stream(events, with) ==
        head + R"({"text":"h\"i"}],"role":"model"})" + tail + head +
            R"({"text":"!"}],"role":"model"})" + tail + head +
            R"({"functionCall":{"id":"c1","name":"f","args":{"a": 1}},)"
            R"("thoughtSignature":"skip_thought_signature_validator"}],"role":"model"})" +
            tail + head +
            R"({"text":""}],"role":"model"},"finishReason":"STOP","index":0}],)"
            R"("usageMetadata":{"promptTokenCount":10,"cachedContentTokenCount":2,)"
            R"("candidatesTokenCount":4,"thoughtsTokenCount":3,"totalTokenCount":17},)"
            R"("modelVersion":"m","responseId":"r1"})"
            "\n\n");
}

TEST_CASE("canonical Gemini: to Gemini: a failure is the last frame and no success follows") {
  const std::vector<event> events{start_event{},      opened(0, item_kind::text),
                                  text_delta{0, "a"}, failed_event{400, "t", "c", "why"},
                                  text_delta{0, "b"}, item_end{0},
                                  finish_event{}};
  const auto out = write_stream(events, {});
  CHECK(
      out.ends_with("data: {\"error\":{\"code\":400,\"message\":\"why\","
                    "\"status\":\"INVALID_ARGUMENT\"}}\n\n"));
  CHECK(out.find("finishReason") == std::string::npos);
  CHECK(out.find("\"b\"") == std::string::npos);
  CHECK(write_stream({start_event{}}, {}).find("\"code\":502") != std::string::npos);
}

TEST_CASE("canonical Gemini: to Gemini: every reason to finish has a word") {
  const auto [reason, word] = GENERATE(table<finish_reason, std::string>({
      {finish_reason::stop, "STOP"},
      {finish_reason::stop_sequence, "STOP"},
      {finish_reason::length, "MAX_TOKENS"},
      {finish_reason::tool_use, "STOP"},
      {finish_reason::content_filter, "SAFETY"},
      {finish_reason::refusal, "SAFETY"},
      {finish_reason::pause, "STOP"},
      {finish_reason::context_exceeded, "MAX_TOKENS"},
      {finish_reason::other, "OTHER"},
  }));
  const auto out = write_stream({start_event{}, finish_event{reason, "", ""}}, {});
  CHECK(out.find(R"("finishReason":")" + word + "\"") != std::string::npos);
}

TEST_CASE("canonical Gemini: to Gemini: only the first call of an unsigned answer is signed") {
  const std::vector<event> events{start_event{},
                                  item_start{0, item_kind::tool_call, "", "c1", "f", "", tool_kind::function},
                                  item_end{0},
                                  item_start{1, item_kind::tool_call, "", "c2", "g", "", tool_kind::function},
                                  item_end{1},
                                  finish_event{finish_reason::tool_use, "", ""}};
  const auto out = write_stream(events, {});
  const std::string sign = "skip_thought_signature_validator";
  const auto first = out.find(sign);
  REQUIRE(first != std::string::npos);
  CHECK(first < out.find(R"("name":"g")"));
  CHECK(out.find(sign, first + 1) == std::string::npos);
}

TEST_CASE("canonical Gemini: to Gemini and back, a stream says the same") {
  const auto events = read_stream(rich);
  answer_context with;
  with.model = "gemini-x";
  const auto again = read_stream(write_stream(events, with));
  CHECK(order_fault(again).empty());
  CHECK(again == events);
}

TEST_CASE("canonical Gemini: whole answers: one object, an array of one, an array of chunks") {
  const std::string one = R"({"candidates":[{"content":{"parts":[{"text":"a"}],"role":"model"},)"
                          R"("finishReason":"STOP","index":0}],"responseId":"r"})";
  const auto plain_body = gemini_codec.decode_answer(padded(one), {});
  REQUIRE(plain_body);
  CHECK(order_fault(*plain_body).empty());
  CHECK(gemini_codec.decode_answer(padded("[" + one + "]"), {}).value() == *plain_body);
  const std::string first = R"({"candidates":[{"content":{"parts":[{"text":"b"}]},"index":0}]})";
  const auto chunks = gemini_codec.decode_answer(padded("[" + first + "," + one + "]"), {});
  REQUIRE(chunks);
  CHECK(std::ranges::count_if(
            *chunks, [](const event& e) { return std::holds_alternative<text_delta>(e); }) == 2);
}

TEST_CASE("canonical Gemini: whole answers: what is no answer is refused") {
  const auto body =
      GENERATE(as<std::string>{}, "", "[]", "{}", "7", R"({"error":{"code":400,"message":"m"}})",
               R"({"candidates":[{"content":{"parts":[{"text":"a"}]}}]})");
  CAPTURE(body);
  const auto read = gemini_codec.decode_answer(padded(body), {});
  REQUIRE_FALSE(read);
  CHECK(read.error().code == errc::invalid_input);
}

TEST_CASE("canonical Gemini: whole answers: nothing behind a failure counts") {
  for (const char* behind : {R"("usageMetadata":{"promptTokenCount":1})", R"("candidates":[{}])",
                             R"("promptFeedback":{"blockReason":"SAFETY"})"}) {
    CAPTURE(behind);
    const auto body = std::string{R"({"error":"down",)"} + behind + "}";
    CHECK_FALSE(gemini_codec.decode_answer(padded(body), {}));
  }
}

TEST_CASE("canonical Gemini: whole answers: the fold of the events") {
  const auto events = read_stream(rich);
  answer_context with;
  with.model = "m";
  const auto id = std::get<item_start>(events[13]).call_id;
  const auto body = gemini_codec.encode_answer(events, with);
  CHECK(
      body ==
      R"({"candidates":[{"content":{"parts":[{"text":"th","thought":true,)"
      R"("thoughtSignature":"EgsKCQEAAAAAAAAAAAA="},{"text":"héllo"},{"functionCall":{"id":"c1",)"
      R"("name":"f","args":{"a":1}},"thoughtSignature":"sg"},{"functionCall":{"id":")" +
          id +
          R"(","name":"g","args":{}}},{"inlineData":{"mimeType":"image/png","data":"QQ=="}}],)"
          R"("role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":10,)"
          R"("cachedContentTokenCount":2,"candidatesTokenCount":4,"thoughtsTokenCount":3,)"
          R"("totalTokenCount":17},"modelVersion":"m","responseId":"r1"})");
  const auto back = gemini_codec.decode_answer(padded(body), {});
  REQUIRE(back);
  CHECK(gemini_codec.encode_answer(*back, with) == body);
}

TEST_CASE("canonical Gemini: whole answers: citations, empty answers and failures") {
  const std::vector<event> cited{start_event{"r", "", 0},
                                 opened(0, item_kind::text),
                                 text_delta{0, "a"},
                                 citation_added{0, "u", "t", 0, 1},
                                 citation_added{0, "u", "t", 0, 1},
                                 item_end{0},
                                 finish_event{}};
  const auto body = gemini_codec.encode_answer(cited, {});
  CHECK(body.find(R"("groundingMetadata":{"groundingChunks":[{"web":{"uri":"u","title":"t"}}]})") !=
        std::string::npos);
  answer_context with;
  with.id = "made";
  const auto empty = gemini_codec.encode_answer({start_event{}, finish_event{}}, with);
  CHECK(empty.find(R"("parts":[{"text":""}])") != std::string::npos);
  CHECK(empty.find(R"("responseId":"made")") != std::string::npos);
  CHECK(gemini_codec.encode_answer({start_event{}}, with).starts_with(R"({"error":{"code":502)"));
}
