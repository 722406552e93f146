#include "http/exchange/refusal_text.hpp"

#include <nlohmann/json.hpp>

#include "protocol/surface.hpp"
#include "tests/support/catch.hpp"

namespace tidegate::http {
namespace {

using namespace std::chrono_literals;
using json = nlohmann::json;
using vk = quota::verdict_kind;
using wire = protocol::wire;

const instant told_at = from_unix(1'800'000'000);

std::vector<std::string> values_of(const protocol::reply& reply, std::string_view name) {
  std::vector<std::string> out;
  for (const auto& [own, value] : reply.headers) {
    const bool same = std::ranges::equal(
        own, name, [](char a, char b) { return std::tolower(a) == std::tolower(b); });
    if (same) out.push_back(value);
  }
  return out;
}

std::string value_of(const protocol::reply& reply, std::string_view name) {
  const auto all = values_of(reply, name);
  CHECK(all.size() <= 1);
  return all.empty() ? "" : all.front();
}

quota::verdict verdict_of(vk kind, std::optional<duration> wait = {}) {
  quota::verdict out;
  out.kind = kind;
  if (wait) out.reset_at = told_at + *wait;
  out.window = 300min;
  out.providers = "codex";
  return out;
}

upstream_error error_reply(int status, std::string body) {
  upstream_error out;
  out.status = status;
  out.body = std::move(body);
  out.content_type = "application/json";
  return out;
}

const std::vector<wire> wires{wire::openai_responses, wire::openai_chat, wire::anthropic_messages,
                              wire::gemini};

}  // namespace

TEST_CASE("each verdict has its status on every surface") {
  const auto [kind, status] = GENERATE(table<vk, int>({
      {vk::usage_limit, 429},
      {vk::model_cooldown, 429},
      {vk::auth_unavailable, 503},
      {vk::auth_required, 503},
      {vk::auth_not_found, 503},
      {vk::last_error, 503},
      {vk::selectable, 503},
  }));
  for (const auto form : wires) {
    const auto reply = answer_of(form, verdict_of(kind, 2h), "m", std::nullopt, told_at);
    CAPTURE(static_cast<int>(kind), static_cast<int>(form));
    CHECK(reply.status == status);
    CHECK(value_of(reply, "Content-Type") == "application/json");
    CHECK(json::accept(reply.body));
  }
}

TEST_CASE("a usage limit never has Retry-After and always says not to retry") {
  for (const auto form : wires) {
    const auto reply = answer_of(form, verdict_of(vk::usage_limit, 2h), "m", std::nullopt, told_at);
    CHECK(values_of(reply, "Retry-After").empty());
    CHECK(value_of(reply, "X-Should-Retry") == "false");
  }
}

TEST_CASE("what may be retried says when, and never sooner than in a second") {
  const auto [wait, seconds] = GENERATE(table<duration, const char*>({
      {0s, "1"},
      {1ms, "1"},
      {1s, "1"},
      {1001ms, "2"},
      {2h, "7200"},
      {-5s, "1"},
  }));
  const auto kind = GENERATE(vk::model_cooldown, vk::auth_unavailable);
  for (const auto form : wires) {
    const auto reply = answer_of(form, verdict_of(kind, wait), "m", std::nullopt, told_at);
    CHECK(value_of(reply, "Retry-After") == seconds);
  }
}

TEST_CASE("a free candidate without an error to relay may be retried in a second") {
  const auto reply =
      answer_of(wire::openai_chat, verdict_of(vk::selectable), "m", std::nullopt, told_at);
  CHECK(reply.status == 503);
  CHECK(value_of(reply, "Retry-After") == "1");
}

TEST_CASE("the last error of a provider is relayed as it came") {
  const std::string body = R"({"error":{"message":"slow down","type":"x","unknown":[1,2]}})";
  const auto kind = GENERATE(vk::last_error, vk::selectable);
  auto last = error_reply(429, body);
  const auto reply = answer_of(wire::openai_chat, verdict_of(kind), "m", last, told_at);
  CHECK(reply.status == 429);
  CHECK(reply.body == body);
  CHECK(value_of(reply, "Retry-After") == "1");
}

TEST_CASE("a verdict of its own is not replaced by the last error") {
  const auto last = error_reply(500, "{}");
  CHECK(answer_of(wire::openai_chat, verdict_of(vk::usage_limit, 2h), "m", last, told_at).status == 429);
  CHECK(answer_of(wire::openai_chat, verdict_of(vk::auth_required), "m", last, told_at).status == 503);
}

TEST_CASE("a relayed wait is the pool's when it knows one, else the provider's") {
  auto last = error_reply(503, "{}");
  last.deadline = told_at + 90s;
  const auto wait_of = [&](std::optional<duration> pool) {
    return value_of(answer_of(wire::openai_chat, verdict_of(vk::last_error, pool), "m", last, told_at),
                    "Retry-After");
  };
  CHECK(wait_of(std::nullopt) == "90");
  CHECK(wait_of(20s) == "20");
  CHECK(wait_of(200s) == "200");
  last.deadline = told_at - 1s;
  CHECK(wait_of(std::nullopt) == "1");
}

TEST_CASE("an error that nobody should wait for has no Retry-After") {
  auto last = error_reply(400, R"({"error":{"message":"bad"}})");
  last.deadline = told_at + 90s;
  const auto reply = answer_of(wire::openai_chat, verdict_of(vk::last_error), "m", last, told_at);
  CHECK(reply.status == 400);
  CHECK(values_of(reply, "Retry-After").empty());
}

TEST_CASE("passed headers replace ours, but never the content type") {
  auto last = error_reply(429, "plain text of the provider");
  last.content_type = "text/plain";
  last.headers = {{"content-type", "text/plain"}, {"retry-after", "77"}, {"X-Extra", "e"}};
  const auto reply = answer_of(wire::openai_chat, verdict_of(vk::last_error, 10s), "m", last, told_at);
  CHECK(value_of(reply, "Content-Type") == "application/json");
  CHECK(value_of(reply, "Retry-After") == "77");
  CHECK(value_of(reply, "X-Extra") == "e");
  CHECK(json::parse(reply.body)["error"]["message"] == "plain text of the provider");
}

TEST_CASE("no reply at all is a bad gateway, or a gateway timeout") {
  upstream_error last;
  last.detail = "connect: refused";
  const auto refused = answer_of(wire::openai_chat, verdict_of(vk::last_error), "m", last, told_at);
  CHECK(refused.status == 502);
  CHECK_THAT(refused.body, ContainsSubstring("connect: refused"));
  last.timed_out = true;
  CHECK(answer_of(wire::openai_chat, verdict_of(vk::last_error), "m", last, told_at).status == 504);
}

TEST_CASE("a refusal of our own is the request's fault and names its code") {
  upstream_error last;
  last.detail = "too much";
  last.refused = "BUDGET_OUT_OF_RANGE";
  const auto reply = answer_of(wire::openai_chat, verdict_of(vk::last_error), "m", last, told_at);
  CHECK(reply.status == 400);
  CHECK(json::parse(reply.body)["error"]["code"] == "BUDGET_OUT_OF_RANGE");
  CHECK(json::parse(reply.body)["error"]["message"] == "too much");
}

TEST_CASE("the failure of a stream tells the same as the answer would") {
  upstream_error last;
  last.detail = "the connection ended";
  auto what = failure_of(last, "m");
  CHECK(what.kind == protocol::failure_kind::upstream_failure);
  CHECK(what.model == "m");
  CHECK(what.message == "the connection ended");
  last.timed_out = true;
  CHECK(failure_of(last, "m").kind == protocol::failure_kind::upstream_timeout);
}

}  // namespace tidegate::http
