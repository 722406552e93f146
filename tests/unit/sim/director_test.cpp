#include "app/sim/director.hpp"

#include <chrono>
#include <vector>

#include "tests/support/catch.hpp"

namespace tidegate::sim {
namespace {

using namespace std::chrono_literals;

constexpr instant t0 = from_unix(1'800'000'000);

director directing(std::string_view yaml) {
  auto plan = parse_script(yaml);
  INFO((plan ? std::string{} : plan.error().detail));
  REQUIRE(plan.has_value());
  return director{std::make_shared<const script>(std::move(*plan))};
}

call asking(std::string key, std::string model = "m") {
  call out;
  out.what = operation::generate;
  out.wire = protocol::wire::openai_responses;
  out.method = "POST";
  out.path = "/v1/responses";
  out.key = std::move(key);
  out.model = std::move(model);
  return out;
}

std::vector<std::size_t> indexes(director& brain, const call& request, int count) {
  std::vector<std::size_t> out;
  for (int i = 0; i < count; ++i) out.push_back(brain.decide(request, t0).reply_index);
  return out;
}

TEST_CASE("the first matching rule answers") {
  auto brain = directing(R"(rules: [{key: a, model: x*}, {key: a}, {key: "*"}])");
  CHECK(brain.decide(asking("a", "x1"), t0).rule_index == 0);
  CHECK(brain.decide(asking("a", "y"), t0).rule_index == 1);
  CHECK(brain.decide(asking("b", "x1"), t0).rule_index == 2);
}

TEST_CASE("no rule, no answer") {
  auto brain = directing("rules: [{key: a}]");
  CHECK(brain.decide(asking("b"), t0).answer == nullptr);
}

TEST_CASE("a path of no protocol needs a rule that names it") {
  auto brain = directing("rules: [{key: '*'}, {path: /oauth/*}]");
  auto request = asking("a");
  request.what = operation::other;
  request.path = "/oauth/token";
  CHECK(brain.decide(request, t0).rule_index == 1);
}

TEST_CASE("replies follow in order and the last one repeats") {
  auto brain = directing("rules: [{replies: [{ok: {}, times: 2}, {ok: {}}, {ok: {}}]}]");
  CHECK(indexes(brain, asking("a"), 6) == std::vector<std::size_t>{0, 0, 1, 2, 2, 2});
}

TEST_CASE("a cycle starts anew after the last reply") {
  auto brain = directing("rules: [{then: cycle, replies: [{ok: {}}, {ok: {}, times: 2}]}]");
  CHECK(indexes(brain, asking("a"), 7) == std::vector<std::size_t>{0, 1, 1, 0, 1, 1, 0});
}

TEST_CASE("each key and model has its own place in the sequence unless the rule says otherwise") {
  const std::string replies = "replies: [{ok: {}}, {ok: {}}]}]";
  SECTION("by key and model") {
    auto brain = directing("rules: [{" + replies);
    CHECK(brain.decide(asking("a", "x"), t0).reply_index == 0);
    CHECK(brain.decide(asking("a", "y"), t0).reply_index == 0);
    CHECK(brain.decide(asking("a", "x"), t0).reply_index == 1);
  }
  SECTION("by key") {
    auto brain = directing("rules: [{count-by: key, " + replies);
    CHECK(brain.decide(asking("a", "x"), t0).reply_index == 0);
    CHECK(brain.decide(asking("a", "y"), t0).reply_index == 1);
    CHECK(brain.decide(asking("b", "x"), t0).reply_index == 0);
  }
  SECTION("by rule") {
    auto brain = directing("rules: [{count-by: rule, " + replies);
    CHECK(brain.decide(asking("a", "x"), t0).reply_index == 0);
    CHECK(brain.decide(asking("b", "y"), t0).reply_index == 1);
  }
}

TEST_CASE("a reply with a duration holds from its first use, however often it is asked") {
  auto brain = directing("rules: [{replies: [{error: {status: 429}, for: 30s}, {ok: {}}]}]");
  CHECK(brain.decide(asking("a"), t0).reply_index == 0);
  CHECK(brain.decide(asking("a"), t0 + 29s).reply_index == 0);
  CHECK(brain.decide(asking("a"), t0 + 30s).reply_index == 1);
  CHECK(brain.decide(asking("b"), t0 + 30s).reply_index == 0);
}

TEST_CASE("a relative reset stays put until it has passed") {
  auto brain = directing("rules: [{replies: [{error: {preset: usage-limit, resets-in: 2h}}]}]");
  CHECK(brain.decide(asking("a"), t0).anchor == t0);
  CHECK(brain.decide(asking("a"), t0 + 1h).anchor == t0);
  CHECK(brain.decide(asking("a"), t0 + 2h).anchor == t0 + 2h);
}

TEST_CASE("a quota window fills, refuses and opens again") {
  auto brain = directing("rules: [{quota: {limit: 2, window-seconds: 60}}]");
  CHECK(brain.decide(asking("a"), t0).window->used == 1);
  CHECK(brain.decide(asking("a", "other"), t0 + 10s).window->used == 2);
  const auto refused = brain.decide(asking("a"), t0 + 59s);
  CHECK(refused.window->exhausted);
  CHECK(refused.window->resets_at == t0 + 60s);
  CHECK_FALSE(brain.decide(asking("b"), t0 + 59s).window->exhausted);
  const auto opened = brain.decide(asking("a"), t0 + 60s);
  CHECK_FALSE(opened.window->exhausted);
  CHECK(opened.window->used == 1);
  CHECK(opened.window->resets_at == t0 + 120s);
}

TEST_CASE("a quota per key and model keeps the models apart") {
  auto brain = directing("rules: [{quota: {limit: 1, window-seconds: 60, per: key-and-model}}]");
  CHECK_FALSE(brain.decide(asking("a", "x"), t0).window->exhausted);
  CHECK_FALSE(brain.decide(asking("a", "y"), t0).window->exhausted);
  CHECK(brain.decide(asking("a", "x"), t0).window->exhausted);
}

TEST_CASE("errors of the script and token counting do not use up a quota") {
  auto brain = directing(
      "rules: [{quota: {limit: 1, window-seconds: 60}, replies: [{error: {status: 500}}, {ok: "
      "{}}]}]");
  CHECK(brain.decide(asking("a"), t0).window->used == 0);
  auto counting_call = asking("a");
  counting_call.what = operation::count_tokens;
  counting_call.model = "count";
  CHECK_FALSE(brain.decide(counting_call, t0).window.has_value());
  CHECK(brain.decide(asking("a"), t0).window->used == 1);
  CHECK(brain.decide(asking("a"), t0).window->exhausted);
}

TEST_CASE("reset forgets sequences and windows") {
  auto brain = directing("rules: [{quota: {limit: 1, window-seconds: 60}}]");
  brain.decide(asking("a"), t0);
  CHECK(brain.decide(asking("a"), t0).window->exhausted);
  brain.reset();
  CHECK_FALSE(brain.decide(asking("a"), t0).window->exhausted);
}

}  // namespace
}  // namespace tidegate::sim
