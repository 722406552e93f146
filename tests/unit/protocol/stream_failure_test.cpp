#include "protocol/failure.hpp"
#include "protocol/stream.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

using namespace tidegate;
using namespace tidegate::protocol;
using namespace std::chrono_literals;

namespace {

constexpr instant t0 = from_unix(1'800'000'000);

failure cut() {
  failure what;
  what.kind = failure_kind::upstream_failure;
  what.message = "upstream stream closed";
  return what;
}

failure exhausted() {
  failure what;
  what.kind = failure_kind::usage_limit;
  what.model = "m";
  what.reset_at = t0 + 2h;
  what.window = 300min;
  return what;
}

constexpr wire all_forms[] = {wire::openai_responses, wire::openai_chat, wire::anthropic_messages,
                              wire::gemini};

}  // namespace

TEST_CASE("a stream that fails after its first byte ends in its protocol's own way [T90]") {
  CHECK(encode_stream_failure(wire::openai_responses, cut(), t0, false) ==
        "event: error\n"
        R"j(data: {"type":"error","code":"internal_server_error","message":"upstream strea)j"
        R"j(m closed","sequence_number":0})j"
        "\n\n");
  CHECK(encode_stream_failure(wire::openai_responses, cut(), t0, true) ==
        "event: response.failed\n"
        R"j(data: {"type":"response.failed","sequence_number":0,"response":{"status":"fail)j"
        R"j(ed","error":{"message":"upstream stream closed","type":"server_error","code":")j"
        R"j(internal_server_error"}}})j"
        "\n\n");
  for (const bool codex : {false, true}) {
    CHECK_THAT(encode_stream_failure(wire::openai_responses, cut(), t0, codex, 5),
               ContainsSubstring(R"("sequence_number":5)"));
  }
  CHECK(encode_stream_failure(wire::openai_chat, cut(), t0, false) ==
        R"j(data: {"error":{"message":"upstream stream closed","type":"server_error","code)j"
        R"j(":"internal_server_error"}})j"
        "\n\n");
  CHECK(encode_stream_failure(wire::anthropic_messages, cut(), t0, false) ==
        "event: error\n"
        R"j(data: {"type":"error","error":{"type":"api_error","message":"upstream stream c)j"
        R"j(losed"}})j"
        "\n\n");
  CHECK(encode_stream_failure(wire::gemini, cut(), t0, false) ==
        R"j(data: {"error":{"code":502,"message":"upstream stream closed","status":"UNAVAI)j"
        R"j(LABLE"}})j"
        "\n\n");
}

TEST_CASE("a usage limit keeps its reset in the terminal event [A20]") {
  CHECK(encode_stream_failure(wire::openai_responses, exhausted(), t0, false) ==
        "event: error\n"
        R"j(data: {"type":"error","code":"usage_limit_reached","message":"All credentials )j"
        R"j(for model m are cooling down","sequence_number":0,"resets_at":1800007200,"retr)j"
        R"j(yable":false})j"
        "\n\n");
  for (const auto form : all_forms) {
    const std::string text = encode_stream_failure(form, exhausted(), t0, true);
    CHECK_THAT(text, ContainsSubstring("\"resets_at\":1800007200"));
    CHECK_THAT(text, ContainsSubstring("\"retryable\":false"));
  }
  CHECK_THAT(encode_stream_failure(wire::openai_responses, exhausted(), t0, true),
             ContainsSubstring("\"type\":\"usage_limit_reached\""));
  CHECK_THAT(encode_stream_failure(wire::anthropic_messages, exhausted(), t0, true),
             ContainsSubstring("(reset after 2h0m0s)\",\"resets_at\""));
}

TEST_CASE("every terminal event is one well-formed error frame of its format") {
  for (const auto form : all_forms) {
    for (const bool codex : {false, true}) {
      for (int kind = 0; kind <= static_cast<int>(failure_kind::draining); ++kind) {
        failure what = exhausted();
        what.kind = static_cast<failure_kind>(kind);
        what.message = "a\nb";
        const std::string text = encode_stream_failure(form, what, t0, codex);
        sse_splitter splitter(text.size());
        REQUIRE(splitter.feed(text));
        sse_frame frame;
        REQUIRE(splitter.next(frame));
        CHECK(nlohmann::json::accept(frame.data));
        CHECK(role_of(form, frame) == frame_role::error);
        CHECK(splitter.rest().empty());
        const reply answer = encode_failure(form, what, t0);
        CHECK(nlohmann::json::accept(answer.body));
        CHECK(answer.status >= 400);
      }
    }
  }
}
