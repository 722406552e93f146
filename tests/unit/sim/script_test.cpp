#include "app/sim/script.hpp"

#include <chrono>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/catch.hpp"

namespace tidegate::sim {
namespace {

using namespace std::chrono_literals;

script parsed(std::string_view yaml) {
  auto out = parse_script(yaml);
  INFO((out ? std::string{} : out.error().detail));
  REQUIRE(out.has_value());
  return std::move(*out);
}

std::string mistakes(std::string_view yaml) {
  const auto out = parse_script(yaml);
  REQUIRE_FALSE(out.has_value());
  return out.error().detail;
}

TEST_CASE("a rule without replies answers with the default text") {
  const auto plan = parsed("rules: [{}]");
  REQUIRE(plan.rules.size() == 1);
  REQUIRE(plan.rules[0].replies.size() == 1);
  CHECK(plan.rules[0].key == "*");
  CHECK(plan.rules[0].replies[0].ok.text == "Hello from the simulated provider.");
  CHECK(plan.rules[0].replies[0].ok.chunks == 5);
}

TEST_CASE("reads matches, sequence, pacing and usage of an answer") {
  const auto plan = parsed(R"(
record: counts
rules:
  - key: sim-*
    model: m*
    method: POST
    path: /v1/*
    count-by: rule
    then: cycle
    replies:
      - ok:
          text: one two three
          chunks: 2
          delay-ms: 10
          gap-ms: 5
          first-chunk-ms: 3
          connection: close
          headers: {x-a: b}
          usage: {input: 100, output: 7, cached: 40, reasoning: 2}
          tool-calls: [{name: look, arguments: '{"q":1}'}]
          finish: length
        times: 3
      - ok: {}
        for: 90s
)");
  CHECK_FALSE(plan.record_requests);
  const auto& rule = plan.rules.at(0);
  CHECK(rule.path == "/v1/*");
  CHECK(rule.count_by == counting::rule);
  CHECK(rule.cycle);
  const auto& first = rule.replies.at(0);
  CHECK(first.times == 3);
  CHECK(first.close);
  CHECK(first.delay == 10ms);
  CHECK(first.gap == 5ms);
  CHECK(first.first_chunk_delay == 3ms);
  CHECK(first.headers.at(0).first == "x-a");
  CHECK(first.ok.chunks == 2);
  CHECK(first.ok.usage.cached == 40);
  CHECK(first.ok.usage.output == 7);
  CHECK(first.ok.tool_calls.at(0).name == "look");
  CHECK(first.ok.finish == "length");
  CHECK(rule.replies.at(1).lasts == duration{90s});
}

TEST_CASE("reads every preset with its reset") {
  auto [name, kind] = GENERATE(table<std::string, preset>({
      {"bare", preset::bare},
      {"usage-limit", preset::usage_limit},
      {"insufficient-quota", preset::insufficient_quota},
      {"rate-limit", preset::rate_limit},
      {"claude-unified", preset::claude_unified},
      {"google-quota", preset::google_quota},
      {"google-rate", preset::google_rate},
      {"overloaded", preset::overloaded},
      {"capacity", preset::capacity},
      {"context-length", preset::context_length},
  }));
  const auto plan = parsed("rules: [{replies: [{error: {preset: " + name + ", resets-in: 2h}}]}]");
  const auto& reply = plan.rules.at(0).replies.at(0);
  CHECK(reply.kind == reply_kind::failure);
  CHECK(reply.error.kind == kind);
  CHECK(reply.error.resets.in == duration{2h});
  CHECK(reply.reset_span == duration{2h});
}

TEST_CASE("reads absolute resets in both forms") {
  const auto plan = parsed(R"(
rules:
  - replies:
      - error: {preset: usage-limit, resets-at: 1800007200}
      - error: {preset: usage-limit, resets-at: "2027-01-15T10:00:00Z"}
)");
  CHECK(plan.rules[0].replies[0].error.resets.at == from_unix(1'800'007'200));
  CHECK(plan.rules[0].replies[1].error.resets.at == from_unix(1'800'007'200));
}

TEST_CASE("reads faults and their positions") {
  const auto plan = parsed(R"(
rules:
  - replies:
      - fault: {cut-after-chunks: 3}
      - fault: {stall-after-chunks: opening, dribble-bytes: 1, dribble-gap-ms: 2}
      - fault:
          error-event-after-chunks: 2
          error-event: {preset: overloaded}
          error-event-form: error
      - fault: {content-length-off-by: -4, cut-after-bytes: 10}
      - fault: {never-answer: true}
)");
  const auto& replies = plan.rules[0].replies;
  CHECK(replies[0].faults.cut_after == 3);
  CHECK(replies[1].faults.stall_after == after_opening);
  CHECK(replies[1].faults.dribble_bytes == 1);
  CHECK(replies[2].faults.error_after == 2);
  CHECK(replies[2].faults.error.kind == preset::overloaded);
  CHECK_FALSE(replies[2].faults.error_as_failed);
  CHECK(replies[3].faults.length_off_by == -4);
  CHECK(replies[3].faults.cut_after_bytes == std::size_t{10});
  CHECK(replies[4].faults.never_answer);
}

TEST_CASE("lists every mistake with its line") {
  const auto text = mistakes(R"(rules:
  - keys: x
    replies:
      - ok: {chunks: 0}
      - error: {}
      - ok: {}
        error: {status: 500}
      - error: {preset: nothing}
)");
  CHECK_THAT(text, ContainsSubstring("line 2: rules[0].keys is unknown"));
  CHECK_THAT(text, ContainsSubstring("line 4: rules[0].replies[0].ok.chunks must be a whole"));
  CHECK_THAT(text, ContainsSubstring("replies[1].error.status is needed"));
  CHECK_THAT(text, ContainsSubstring("replies[2].ok and error exclude each other"));
  CHECK_THAT(text, ContainsSubstring("replies[3].error.preset must be one of"));
}

TEST_CASE("refuses what is no script") {
  auto [yaml, part] = GENERATE(table<std::string, std::string>({
      {"rules: [", "not YAML"},
      {"[]", "must be a mapping"},
      {"{}", "rules is needed"},
      {"rules: 3", "must be a list"},
      {"rules: [{quota: {limit: 2}}]", "window-seconds is needed"},
      {"rules: [{replies: [{times: 1}]}]", "ok or error or fault is needed"},
      {"rules: [{replies: [{ok: {headers: {a: \"b\\r\\nc\"}}}]}]", "cannot be sent"},
      {"rules: [{replies: [{ok: {delay-ms: 3600001}}]}]", "from 0 to 3600000"},
      {"rules: [{replies: [{ok: {tool-calls: [{name: f, arguments: '[1]'}]}}]}]", "JSON object"},
      {"rules: [{replies: [{ok: {}, for: -1s}]}]", "positive duration"},
  }));
  CHECK_THAT(mistakes(yaml), ContainsSubstring(part));
}

TEST_CASE("the demo's script has no mistakes") {
  std::ifstream file{TIDEGATE_SOURCE_DIR "/examples/demo-sim.yaml"};
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  REQUIRE_FALSE(text.empty());
  CHECK(parsed(text).rules.size() > 5);
}

TEST_CASE("refuses a script over its size") {
  const std::string large(script_bytes_max + 1, '#');
  const auto out = parse_script(large);
  REQUIRE_FALSE(out.has_value());
  CHECK(out.error().code == errc::limit_exceeded);
}

}  // namespace
}  // namespace tidegate::sim
