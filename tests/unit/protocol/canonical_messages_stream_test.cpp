#include <rapidcheck.h>

#include <nlohmann/json.hpp>

#include "protocol/canonical/event_order.hpp"
#include "tests/unit/protocol/canonical_messages_samples.hpp"

using namespace tidegate;
using namespace tidegate::protocol;
using namespace tidegate::protocol::samples;

namespace {

using events = std::vector<event>;

std::string frame(const std::string& data) {
  const auto type = nlohmann::json::parse(data)["type"].get<std::string>();
  return "event: " + type + "\ndata: " + data + "\n\n";
}

std::string stream_of(const std::vector<std::string>& datas) {
  std::string out;
  for (const auto& one : datas) out += frame(one);
  return out;
}

const std::string message_start =
    R"({"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant",)"
    R"("model":"claude-x","content":[],"stop_reason":null,"usage":{"input_tokens":10,)"
    R"("cache_creation_input_tokens":2,"cache_read_input_tokens":3,"output_tokens":1}}})";

std::string block_start(int index, const std::string& block) {
  return R"({"type":"content_block_start","index":)" + std::to_string(index) +
         R"(,"content_block":)" + block + '}';
}
std::string delta(int index, const std::string& what) {
  return R"({"type":"content_block_delta","index":)" + std::to_string(index) + R"(,"delta":)" +
         what + '}';
}
std::string block_stop(int index) {
  return R"({"type":"content_block_stop","index":)" + std::to_string(index) + '}';
}
std::string message_delta(const std::string& reason) {
  return R"({"type":"message_delta","delta":{"stop_reason":")" + reason +
         R"(","stop_sequence":null},"usage":{"output_tokens":20}})";
}
const std::string message_stop = R"({"type":"message_stop"})";
const std::string ping = R"({"type":"ping"})";

events decode(const std::string& bytes, std::vector<std::size_t> portions = {},
              tool_names names = {}) {
  events out;
  const auto decoder = messages::make_decoder(std::move(names));
  sse_splitter splitter(1 << 20);
  std::size_t at = 0;
  portions.push_back(bytes.size());
  for (const std::size_t portion : portions) {
    const std::string piece = bytes.substr(at, portion);
    at += piece.size();
    REQUIRE(splitter.feed(piece).has_value());
    for (sse_frame one; splitter.next(one);) decoder->feed(one, out);
  }
  decoder->finish(out);
  return out;
}

void check_order(const events& all) {
  event_order order;
  for (const event& one : all) {
    const auto wrong = order.check(one);
    INFO(wrong.value_or(""));
    CHECK(!wrong);
  }
  CHECK(!order.check_end());
}

std::string encode(const events& all, answer_context with) {
  const auto encoder = messages::make_encoder(std::move(with));
  std::string out;
  for (const event& one : all) encoder->on(one, out);
  encoder->finish(out);
  encoder->finish(out);
  for (const event& one : all) encoder->on(one, out);
  return out;
}

answer_context context() {
  answer_context out;
  out.model = "asked";
  out.id = "made";
  return out;
}

item_start item(std::uint32_t index, item_kind kind, std::string call_id = {},
                std::string name = {}) {
  item_start out;
  out.index = index;
  out.kind = kind;
  out.call_id = std::move(call_id);
  out.name = std::move(name);
  return out;
}

/// Deltas of one item next to each other joined, so that portions do not matter.
events joined(const events& all) {
  events out;
  for (const event& one : all) {
    bool merged = false;
    if (!out.empty()) {
      const auto join = [&](auto* last, const auto* next) {
        if (last == nullptr || next == nullptr || last->index != next->index) return;
        last->text += next->text;
        merged = true;
      };
      join(std::get_if<text_delta>(&out.back()), std::get_if<text_delta>(&one));
      join(std::get_if<reasoning_delta>(&out.back()), std::get_if<reasoning_delta>(&one));
      join(std::get_if<arguments_delta>(&out.back()), std::get_if<arguments_delta>(&one));
    }
    if (!merged) out.push_back(one);
  }
  return out;
}

const std::vector<std::string> full_stream = {
    message_start,
    ping,
    block_start(0, R"({"type":"thinking","thinking":"","signature":""})"),
    delta(0, R"({"type":"thinking_delta","thinking":"h\u00e4"})"),
    delta(0, R"({"type":"signature_delta","signature":"EqoBCkYIBBgCKkDhabc"})"),
    block_stop(0),
    block_start(1, R"({"type":"redacted_thinking","data":"rrr"})"),
    block_stop(1),
    block_start(2, R"({"type":"text","text":""})"),
    delta(2, R"({"type":"text_delta","text":"say \"hi\"\n"})"),
    delta(2, R"({"type":"citations_delta","citation":{"type":"web_search_result_location",)"
             R"("url":"https://a","title":"A"}})"),
    block_stop(2),
    block_start(3, R"({"type":"server_tool_use","id":"srvtoolu_1","name":"web_search",)"
                   R"("input":{}})"),
    delta(3, R"({"type":"input_json_delta","partial_json":"{\"query\":\"q\"}"})"),
    block_stop(3),
    block_start(4, R"({"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]})"),
    block_stop(4),
    block_start(5, R"({"type":"tool_use","id":"t1","name":"f","input":{}})"),
    delta(5, R"({"type":"input_json_delta","partial_json":""})"),
    delta(5, R"({"type":"input_json_delta","partial_json":"{\"a\""})"),
    delta(5, R"({"type":"input_json_delta","partial_json":":1}"})"),
    block_stop(5),
    block_start(6, R"({"type":"tool_use","id":"t2","name":"g","input":{}})"),
    block_stop(6),
    message_delta("tool_use"),
    message_stop,
};

events full_events() {
  usage first{15, 3, 2, 1, {}};
  usage last = first;
  last.output_total = 20;
  auto search = item(3, item_kind::server_tool, "srvtoolu_1", "web_search");
  search.tool = tool_kind::server;
  return {start_event{"msg_1", "claude-x", 0},
          usage_event{first},
          item(0, item_kind::reasoning),
          reasoning_delta{0, 0, "h\xC3\xA4"},
          signature_event{0, token_owner::claude, false, "EqoBCkYIBBgCKkDhabc"},
          item_end{0},
          item(1, item_kind::reasoning),
          signature_event{1, token_owner::claude, true, "rrr"},
          item_end{1},
          item(2, item_kind::text),
          text_delta{2, "say \"hi\"\n"},
          citation_added{2, "https://a", "A", {}, {}},
          item_end{2},
          search,
          arguments_delta{3, R"({"query":"q"})"},
          item_end{3},
          item(4, item_kind::tool_call, "t1", "f"),
          arguments_delta{4, R"({"a":1})"},
          item_end{4},
          item(5, item_kind::tool_call, "t2", "g"),
          arguments_delta{5, "{}"},
          item_end{5},
          usage_event{last},
          finish_event{finish_reason::tool_use, "", "tool_use"}};
}

}  // namespace

TEST_CASE("canonical Messages: a stream as events") {
  const auto got = decode(stream_of(full_stream));
  check_order(got);
  CHECK(joined(got) == full_events());
}

TEST_CASE("canonical Messages: events do not depend on how the bytes were cut") {
  const std::string bytes = stream_of(full_stream);
  const auto expected = decode(bytes);
  rc::check("any portions", [&] {
    const auto portions =
        *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, 200));
    RC_ASSERT(decode(bytes, portions) == expected);
  });
}

TEST_CASE("canonical Messages: a stream cut anywhere ends once, in order") {
  const std::string bytes = stream_of(full_stream);
  const std::size_t whole = bytes.find("event: message_stop");
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto got = decode(bytes.substr(0, size));
    check_order(got);
    REQUIRE(!got.empty());
    CHECK(std::holds_alternative<finish_event>(got.back()) == (size >= whole));
  }
}

TEST_CASE("canonical Messages: frames in any order are events in a legal one") {
  rc::check("shuffled, doubled, lost", [] {
    const auto picks = *rc::gen::container<std::vector<std::size_t>>(
        rc::gen::inRange<std::size_t>(0, full_stream.size()));
    std::string bytes = *rc::gen::arbitrary<bool>() ? frame(message_start) : std::string{};
    for (const std::size_t pick : picks) bytes += frame(full_stream[pick]);
    event_order order;
    for (const event& one : decode(bytes)) RC_ASSERT(!order.check(one));
    RC_ASSERT(!order.check_end());
  });
}

TEST_CASE("canonical Messages: frames that are no events of it fail the stream") {
  const std::string bad = GENERATE(
      R"({"type":"content_block_start","x":ta": {"type":"text_delta","text":"One."}})",
      R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta" "text":"a"}})",
      R"({"type":"message_delta","delta":{"stop_reason":}})", "[]", "{", "[DONE]",
      R"({"type":"message_start"})", R"({"type":"content_block_start"})",
      R"({"type":"content_block_stop","index":0})", R"({"type":"message_stop"})",
      R"({"type":"content_block_delta","index":7,"delta":{"type":"text_delta","text":"x"}})");
  const auto got = decode("event: x\ndata: " + bad + "\n\n" + stream_of(full_stream));
  CAPTURE(bad);
  REQUIRE(got.size() == 1);
  CHECK(std::get<failed_event>(got[0]).status == 502);
}

TEST_CASE("canonical Messages: an error event ends the stream with its status") {
  const auto got = decode(stream_of(
      {message_start, R"({"type":"error","error":{"type":"overloaded_error","message":"busy"}})",
       message_stop}));
  check_order(got);
  CHECK(std::get<failed_event>(got.back()) ==
        failed_event{529, "overloaded_error", "", "busy"});
}

TEST_CASE("canonical Messages: stop reasons") {
  using row = std::tuple<std::string, bool, finish_reason>;
  const auto [word, with_call, expected] = GENERATE(table<std::string, bool, finish_reason>({
      row{"end_turn", false, finish_reason::stop},
      row{"end_turn", true, finish_reason::tool_use},
      row{"stop_sequence", false, finish_reason::stop_sequence},
      row{"max_tokens", true, finish_reason::length},
      row{"tool_use", true, finish_reason::tool_use},
      row{"tool_use", false, finish_reason::stop},
      row{"refusal", true, finish_reason::refusal},
      row{"sensitive", false, finish_reason::content_filter},
      row{"pause_turn", false, finish_reason::pause},
      row{"model_context_window_exceeded", false, finish_reason::context_exceeded},
      row{"new_word", false, finish_reason::other},
  }));
  CAPTURE(word);
  std::vector<std::string> frames = {message_start};
  if (with_call) {
    frames.push_back(block_start(0, R"({"type":"tool_use","id":"t","name":"f","input":{}})"));
    frames.push_back(block_stop(0));
  }
  frames.push_back(message_delta(word));
  const auto finish = std::get<finish_event>(decode(stream_of(frames)).back());
  CHECK(finish.reason == expected);
  CHECK(finish.native == word);
}

TEST_CASE("canonical Messages: calls get their own names back, custom input is unwrapped") {
  const tool_names names = {{"ns__f", "f", "ns", tool_kind::function},
                            {"patch", "patch", "", tool_kind::custom}};
  const auto got = decode(
      stream_of({message_start,
                 block_start(0, R"({"type":"tool_use","id":"a","name":"ns__f","input":{"x":1}})"),
                 block_stop(0),
                 block_start(1, R"({"type":"tool_use","id":"b","name":"patch","input":{}})"),
                 delta(1, R"({"type":"input_json_delta","partial_json":"{\"input\":\"a"})"),
                 delta(1, R"({"type":"input_json_delta","partial_json":"\\nb\"}"})"), block_stop(1),
                 message_delta("tool_use"), message_stop}),
      {}, names);
  check_order(got);
  const auto first = std::get<item_start>(got[2]);
  CHECK(first.name == "f");
  CHECK(first.name_space == "ns");
  CHECK(std::get<arguments_delta>(got[3]).text == R"({"x":1})");
  CHECK(std::get<item_start>(got[5]).tool == tool_kind::custom);
  CHECK(std::get<arguments_delta>(got[6]).text == "a\nb");
}

TEST_CASE("canonical Messages: a stream begins with the estimate unless the provider has counted") {
  auto with = context();
  with.input_estimate = 70;
  const events uncounted = {start_event{"r", "up", 0}, item(0, item_kind::text), text_delta{0, "a"},
                            item_end{0}, finish_event{}, usage_event{{5, {}, {}, 3, {}}}};
  const auto frames = encode(uncounted, with);
  CHECK_THAT(frames, ContainsSubstring(R"("usage":{"input_tokens":70,"output_tokens":0})"));
  CHECK_THAT(frames, ContainsSubstring(R"("usage":{"input_tokens":5,"output_tokens":3})"));
  events counted = uncounted;
  counted.insert(counted.begin() + 1, usage_event{{5, {}, {}, {}, {}}});
  CHECK_THAT(encode(counted, with), !ContainsSubstring("70"));
}

TEST_CASE("canonical Messages: a small answer as frames") {
  const events all = {start_event{"r", "up", 0}, item(0, item_kind::text), text_delta{0, "a\"b"},
                      item_end{0}, finish_event{}, usage_event{{5, 2, {}, 3, {}}}};
  CHECK(encode(all, context()) ==
        "event: message_start\n"
        R"(data: {"type":"message_start","message":{"id":"r","type":"message","role":"assistant",)"
        R"("model":"asked","content":[],"stop_reason":null,"stop_sequence":null,)"
        R"("usage":{"input_tokens":0,"output_tokens":0}}})"
        "\n\nevent: content_block_start\n"
        R"(data: {"type":"content_block_start","index":0,)"
        R"("content_block":{"type":"text","text":""}})"
        "\n\nevent: content_block_delta\n"
        R"(data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta",)"
        R"("text":"a\"b"}})"
        "\n\nevent: content_block_stop\n"
        R"(data: {"type":"content_block_stop","index":0})"
        "\n\nevent: message_delta\n"
        R"(data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},)"
        R"("usage":{"input_tokens":3,"cache_read_input_tokens":2,"output_tokens":3}})"
        "\n\nevent: message_stop\n"
        R"(data: {"type":"message_stop"})"
        "\n\n");
  CHECK(messages::encode_answer(all, context()) ==
        R"({"id":"r","type":"message","role":"assistant","model":"asked","content":)"
        R"([{"type":"text","text":"a\"b"}],"stop_reason":"end_turn","stop_sequence":null,)"
        R"("usage":{"input_tokens":3,"cache_read_input_tokens":2,"output_tokens":3}})");
}

TEST_CASE("canonical Messages: items that are open together become blocks one by one") {
  const events all = {start_event{},
                      item(0, item_kind::tool_call, "c.1", "f"),
                      item(1, item_kind::tool_call, "", "g"),
                      arguments_delta{1, "{\"b\":"},
                      item(2, item_kind::text),
                      arguments_delta{0, "{\"a\":1}"},
                      text_delta{2, "t"},
                      arguments_delta{1, "2}"},
                      item_end{1},
                      item_end{0},
                      text_delta{2, "u"},
                      item_end{2},
                      finish_event{finish_reason::stop, "", ""}};
  const auto got = joined(decode(encode(all, context())));
  check_order(got);
  const events expected = {
      start_event{"made", "asked", 0}, usage_event{{0, {}, {}, 0, {}}},
      item(0, item_kind::tool_call, "c_1", "f"), arguments_delta{0, "{\"a\":1}"}, item_end{0},
      item(1, item_kind::tool_call, "toolu_made_1", "g"), arguments_delta{1, "{\"b\":2}"},
      item_end{1}, item(2, item_kind::text), text_delta{2, "tu"}, item_end{2},
      usage_event{{0, {}, {}, 0, {}}}, finish_event{finish_reason::tool_use, "", "tool_use"}};
  CHECK(got == expected);
}

TEST_CASE("canonical Messages: reasoning parts are joined, empty items make no block") {
  const events all = {start_event{},
                      item(0, item_kind::text),
                      item_end{0},
                      item(1, item_kind::reasoning),
                      reasoning_delta{1, 0, "a"},
                      signature_event{1, token_owner::gpt, false, "gAAAAold"},
                      reasoning_delta{1, 1, "b"},
                      signature_event{1, token_owner::gpt, false, "gAAAAnew"},
                      item_end{1},
                      item(2, item_kind::reasoning),
                      item_end{2},
                      item(3, item_kind::reasoning),
                      signature_event{3, token_owner::grok, false, "T"},
                      item_end{3},
                      item(4, item_kind::image),
                      image_chunk{4, false, "image/png", "QQ"},
                      item_end{4},
                      finish_event{}};
  const auto content = nlohmann::json::parse(messages::encode_answer(all, context()))["content"];
  CHECK(content.dump() ==
        R"([{"signature":"gAAAAnew","thinking":"a\n\nb","type":"thinking"},)"
        R"({"signature":"v1.grok.standalone.any.T","thinking":"","type":"thinking"}])");
}

TEST_CASE("canonical Messages: a call's token rides behind it and comes back to it") {
  const events all = {start_event{}, item(0, item_kind::tool_call, "t", "f"),
                      signature_event{0, token_owner::gemini, false, "TOKEN"}, item_end{0},
                      finish_event{}};
  const auto answer = nlohmann::json::parse(messages::encode_answer(all, context()));
  const std::string body =
      body_of(R"({"role":"assistant","content":)" + answer["content"].dump() + "}");
  const auto back = messages::decode_request(body, "m");
  REQUIRE(back.has_value());
  REQUIRE(back->turns[0].parts.size() == 1);
  const auto& call = std::get<tool_call_part>(back->turns[0].parts[0]);
  REQUIRE(call.signature.has_value());
  CHECK(call.signature->owner == token_owner::gemini);
  CHECK(call.signature->bytes.escaped == "TOKEN");
}

TEST_CASE("canonical Messages: nothing stands behind a text for its token") {
  const events all = {start_event{}, item(0, item_kind::text), text_delta{0, "done"},
                      signature_event{0, token_owner::gemini, false, "TOKEN"}, item_end{0},
                      finish_event{}};
  const auto answer = nlohmann::json::parse(messages::encode_answer(all, context()));
  CHECK(answer["content"].dump() == R"([{"text":"done","type":"text"}])");
  CHECK(encode(all, context()).find("TOKEN") == std::string::npos);
}

TEST_CASE("canonical Messages: a failure is the last frame and no success") {
  const events all = {start_event{}, item(0, item_kind::text), text_delta{0, "a"},
                      failed_event{429, "x", "y", "slow down"}};
  const std::string out = encode(all, context());
  CHECK(out.ends_with(
      "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\","
      "\"message\":\"slow down\"}}\n\n"));
  CHECK(out.find("message_stop") == std::string::npos);
  const std::string cut = encode({start_event{}, item(0, item_kind::text)}, context());
  CHECK(cut.find("message_stop") == std::string::npos);
  CHECK(cut.find("event: error") != std::string::npos);
}

TEST_CASE("canonical Messages: a call never finished does not stop for tools, one finished does") {
  CHECK(encode({start_event{}, finish_event{finish_reason::tool_use, "", ""}}, context())
            .find("\"stop_reason\":\"end_turn\"") != std::string::npos);
  CHECK(encode({start_event{}, finish_event{finish_reason::content_filter, "", ""}}, context())
            .find("\"stop_reason\":\"refusal\"") != std::string::npos);
  CHECK(encode({start_event{}, finish_event{finish_reason::stop, "END", ""}}, context())
            .find(R"("stop_reason":"stop_sequence","stop_sequence":"END")") != std::string::npos);
}

TEST_CASE("canonical Messages: usage known before the first item stands in message_start") {
  const events all = {start_event{}, usage_event{{9, {}, 0, {}, {}}}, item(0, item_kind::text),
                      item_end{0}, finish_event{}};
  CHECK(encode(all, context())
            .find(R"("usage":{"input_tokens":9,"cache_creation_input_tokens":0,)"
                  R"("output_tokens":0})") !=
        std::string::npos);
}

TEST_CASE("canonical Messages: what it decodes of a stream it spells again") {
  answer_context with;
  const auto again = joined(decode(encode(full_events(), with)));
  check_order(again);
  CHECK(again == full_events());
}

TEST_CASE("canonical Messages: a whole answer and its stream say the same") {
  const std::string body = messages::encode_answer(full_events(), {});
  const auto got = messages::decode_answer(body, {});
  CAPTURE(body);
  REQUIRE(got.has_value());
  check_order(*got);
  const auto content = [](const events& all) {
    events out;
    for (const event& one : joined(all)) {
      if (!std::holds_alternative<usage_event>(one)) out.push_back(one);
    }
    return out;
  };
  CHECK(content(*got) == content(full_events()));
  CHECK(content(decode(encode(full_events(), {}))) == content(*got));
}

TEST_CASE("canonical Messages: any events give the same blocks whole and streamed") {
  rc::check("interleaved items", [] {
    events all = {start_event{}};
    std::vector<std::uint32_t> open;
    std::uint32_t count = 0;
    const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 9));
    for (const int step : steps) {
      if (step < 3 || open.empty()) {
        const auto kind = *rc::gen::element(item_kind::text, item_kind::reasoning,
                                            item_kind::tool_call, item_kind::image);
        all.push_back(item(count, kind, step == 0 ? "" : "id" + std::to_string(count), "f"));
        open.push_back(count++);
        continue;
      }
      const auto at = *rc::gen::inRange<std::size_t>(0, open.size());
      const std::uint32_t index = open[at];
      if (step < 5) {
        all.push_back(item_end{index});
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(at));
      } else {
        all.push_back(text_delta{index, "t"});
        all.push_back(reasoning_delta{index, static_cast<std::uint32_t>(step), "r"});
        if (step == 8) all.push_back(signature_event{index, token_owner::gpt, false, "gAAAAx"});
      }
    }
    for (const auto index : open) all.push_back(item_end{index});
    all.push_back(finish_event{});
    const auto streamed = decode(encode(all, context()));
    event_order order;
    for (const event& one : streamed) RC_ASSERT(!order.check(one));
    const auto whole = messages::decode_answer(messages::encode_answer(all, context()), {});
    RC_ASSERT(whole.has_value());
    const auto items = [](const events& from) {
      events out;
      for (const event& one : joined(from)) {
        if (!std::holds_alternative<usage_event>(one)) out.push_back(one);
      }
      return out;
    };
    RC_ASSERT(items(streamed) == items(*whole));
  });
}

TEST_CASE("canonical Messages: a body that is no answer is invalid") {
  const std::string body = GENERATE("", "[]", "{}", R"({"type":"message"})",
                                    R"({"type":"message","content":{}})",
                                    R"({"type":"message","content":[1]})",
                                    R"({"type":"error","error":{"type":"api_error"}})",
                                    R"({"type":"message","content":[{"type":"text","text":"a)");
  CAPTURE(body);
  const auto got = messages::decode_answer(body, {});
  REQUIRE(!got.has_value());
  CHECK(got.error().code == errc::invalid_input);
}

TEST_CASE("canonical Messages: the codec is whole") {
  CHECK(messages_codec.form == wire::anthropic_messages);
  CHECK(messages_codec.make_decoder({}) != nullptr);
  CHECK(messages_codec.make_encoder({}) != nullptr);
}
