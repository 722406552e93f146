#include "app/sim/plan.hpp"

#include <chrono>
#include <string>
#include <vector>

#include "app/sim/frames.hpp"
#include "tests/unit/sim/support.hpp"

namespace tidegate::sim {
namespace {

using namespace std::chrono_literals;

constexpr instant t0 = from_unix(1'800'000'000);

call streaming(protocol::wire form = protocol::wire::openai_chat) {
  call out;
  out.what = operation::generate;
  out.wire = form;
  out.stream = true;
  out.method = "POST";
  out.model = "m";
  return out;
}

plan planned(const std::string& reply, const call& request) {
  director brain{std::make_shared<const script>(script_of("rules: [{replies: [" + reply + "]}]"))};
  return compose(brain.decide(request, t0), request, 100, t0);
}

std::vector<step_kind> kinds(const plan& what) {
  std::vector<step_kind> out;
  for (const auto& step : what.steps) out.push_back(step.kind);
  return out;
}

std::string bytes_of(const plan& what) {
  std::string out;
  for (const auto& step : what.steps) out += step.bytes;
  return out;
}

std::size_t occurrences(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

const std::string chunk_mark = R"("delta":{"content":"p)";

TEST_CASE("an answer without pauses is one write that can be made once") {
  const auto plan = planned("{ok: {chunks: 3}}", streaming());
  CHECK(kinds(plan) == std::vector<step_kind>{step_kind::write});
  CHECK(plan.fixed);
  CHECK(plan.keep_alive);
  CHECK(plan.status == 200);
  CHECK(occurrences(bytes_of(plan), chunk_mark) == 3);
  CHECK(bytes_of(plan).ends_with("\r\n0\r\n\r\n"));
}

TEST_CASE("every marker is replaced by the request's number") {
  const auto plan = planned("{ok: {chunks: 3}}", streaming());
  REQUIRE(plan.steps.at(0).id_at.size() > 3);
  const auto sent = with_id(plan.steps[0], 0x2aU);
  CHECK(sent.find(id_marker) == std::string::npos);
  CHECK_THAT(sent, ContainsSubstring("chatcmpl-000000000000002a"));
  CHECK(sent.size() == plan.steps[0].bytes.size());
}

TEST_CASE("delays and gaps become pauses between the writes they separate") {
  const auto plan =
      planned("{ok: {chunks: 3, delay-ms: 7, first-chunk-ms: 5, gap-ms: 2}}", streaming());
  using enum step_kind;
  CHECK(kinds(plan) ==
        std::vector<step_kind>{pause, write, pause, write, pause, write, pause, write});
  CHECK(plan.steps[0].wait == 7ms);
  CHECK(plan.steps[2].wait == 5ms);
  CHECK(plan.steps[4].wait == 2ms);
}

TEST_CASE("a fault after N chunks sends exactly N and then what it names") {
  auto [fault, ending, clean] = GENERATE(table<std::string, std::optional<step_kind>, bool>({
      {"cut-after-chunks: 2", step_kind::close, false},
      {"reset-after-chunks: 2", step_kind::reset, false},
      {"stall-after-chunks: 2", step_kind::stall, false},
      {"malformed-chunk-after-chunks: 2", step_kind::close, false},
      {"bad-json-after-chunks: 2", std::nullopt, true},
      {"error-event-after-chunks: 2", std::nullopt, true},
  }));
  const auto plan = planned("{ok: {chunks: 5}, fault: {" + fault + "}}", streaming());
  CAPTURE(fault);
  CHECK(occurrences(bytes_of(plan), chunk_mark) == 2);
  CHECK(bytes_of(plan).ends_with("0\r\n\r\n") == clean);
  CHECK(occurrences(bytes_of(plan), "[DONE]") == 0);
  CHECK(kinds(plan).back() == ending.value_or(step_kind::write));
}

TEST_CASE("after the opening means lifecycle events and no text") {
  const auto plan = planned("{ok: {chunks: 5}, fault: {cut-after-chunks: opening}}",
                            streaming(protocol::wire::anthropic_messages));
  CHECK(occurrences(bytes_of(plan), "event: message_start") == 1);
  CHECK(occurrences(bytes_of(plan), "text_delta") == 0);
}

TEST_CASE("after no chunks means no event at all") {
  const auto plan = planned("{ok: {chunks: 5}, fault: {error-event-after-chunks: 0}}",
                            streaming(protocol::wire::anthropic_messages));
  CHECK(occurrences(bytes_of(plan), "event: ") == 1);
  CHECK(occurrences(bytes_of(plan), "event: error") == 1);
}

TEST_CASE("a Responses failure carries the next sequence number") {
  const auto plan = planned("{ok: {chunks: 5}, fault: {error-event-after-chunks: 2}}",
                            streaming(protocol::wire::openai_responses));
  CHECK_THAT(bytes_of(plan), ContainsSubstring(R"("type":"response.failed","sequence_number":6)"));
}

TEST_CASE("an error event asked for without a stream is the error itself") {
  auto request = streaming();
  request.stream = false;
  const auto plan = planned("{ok: {}, fault: {error-event: {preset: overloaded}}}", request);
  CHECK(plan.status == 503);
}

TEST_CASE("whole-answer faults need no bytes") {
  auto [fault, kind] = GENERATE(table<std::string, step_kind>({
      {"never-answer: true", step_kind::stall},
      {"reset: true", step_kind::reset},
      {"close: true", step_kind::close},
  }));
  const auto plan = planned("{fault: {" + fault + "}}", streaming());
  CHECK(kinds(plan) == std::vector<step_kind>{kind});
  CHECK(plan.status == 0);
}

TEST_CASE("a missing terminator ends the body cleanly without the last event") {
  const auto plan = planned("{fault: {no-terminator: true}}", streaming());
  CHECK(occurrences(bytes_of(plan), "[DONE]") == 0);
  CHECK(occurrences(bytes_of(plan), "finish_reason\":\"stop") == 1);
  CHECK(bytes_of(plan).ends_with("0\r\n\r\n"));
}

TEST_CASE("an empty stream is a head and an end") {
  const auto plan = planned("{fault: {empty-stream: true}}", streaming());
  CHECK(bytes_of(plan).ends_with("\r\n\r\n0\r\n\r\n"));
  CHECK(occurrences(bytes_of(plan), "data:") == 0);
}

TEST_CASE("a cut inside the bytes stops at that byte") {
  auto request = streaming();
  request.stream = false;
  const auto plan = planned("{fault: {cut-after-bytes: 10}}", request);
  const auto sent = bytes_of(plan);
  CHECK(sent.size() - sent.find("\r\n\r\n") - 4 == 10);
  CHECK(kinds(plan).back() == step_kind::close);
}

TEST_CASE("a wrong length is declared and the connection not used again") {
  auto request = streaming();
  request.stream = false;
  const auto right = bytes_of(planned("{ok: {}}", request));
  const auto plan = planned("{fault: {content-length-off-by: 5}}", request);
  const auto length = right.size() - right.find("\r\n\r\n") - 4;
  CHECK_FALSE(plan.keep_alive);
  CHECK_THAT(bytes_of(plan),
             ContainsSubstring("content-length: " + std::to_string(length + 5) + "\r\n"));
}

TEST_CASE("telemetry, headers with times and windows are made anew for every request") {
  const std::string reply = GENERATE(
      as<std::string>{}, "{ok: {limits: {codex: {primary: {used-percent: 3, resets-in: 2h}}}}}",
      "{ok: {headers: {x-reset: '${unix:2h}'}}}");
  const auto plan = planned(reply, streaming(protocol::wire::openai_responses));
  CHECK_FALSE(plan.fixed);
  CHECK_THAT(bytes_of(plan), ContainsSubstring("1800007200"));
}

TEST_CASE("a rate limit event can open a Responses stream") {
  const auto plan = planned(
      "{ok: {limits: {codex: {event: true, primary: {used-percent: 41, window-minutes: 300}}}}}",
      streaming(protocol::wire::openai_responses));
  const auto sent = bytes_of(plan);
  CHECK(sent.find("event: codex.rate_limits") < sent.find("event: response.created"));
  CHECK_THAT(sent, ContainsSubstring("x-codex-primary-used-percent: 41"));
}

TEST_CASE("a header of the script replaces the one of the same name") {
  const auto plan =
      planned("{ok: {headers: {Content-Type: text/plain, x-extra: '1'}}}", streaming());
  CHECK_THAT(bytes_of(plan), ContainsSubstring("content-type: text/plain\r\n"));
  CHECK_THAT(bytes_of(plan), ContainsSubstring("x-extra: 1\r\n"));
  CHECK(occurrences(bytes_of(plan), "event-stream") == 0);
}

TEST_CASE("a fixed plan is made once per model and kind of request") {
  director brain{std::make_shared<const script>(script_of("rules: [{}]"))};
  planner ready;
  auto request = streaming();
  const auto first = ready.plan_for(brain.decide(request, t0), request, 1, t0);
  CHECK(ready.plan_for(brain.decide(request, t0), request, 1, t0) == first);
  request.model = "other";
  CHECK(ready.plan_for(brain.decide(request, t0), request, 1, t0) != first);
  request.model = "m";
  request.stream = false;
  CHECK(ready.plan_for(brain.decide(request, t0), request, 1, t0) != first);
}

}  // namespace
}  // namespace tidegate::sim
