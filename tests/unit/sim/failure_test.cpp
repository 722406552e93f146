#include "app/sim/failure.hpp"

#include <chrono>
#include <nlohmann/json.hpp>

#include "app/sim/head.hpp"
#include "tests/support/catch.hpp"

namespace tidegate::sim {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using protocol::wire;

constexpr instant t0 = from_unix(1'800'000'000);

std::string header_of(const std::vector<header>& headers, std::string_view name) {
  for (const auto& [field, value] : headers)
    if (same_header_name(field, name)) return value;
  return {};
}

failure_spec of(preset kind, std::optional<duration> in = {}) {
  failure_spec out;
  out.kind = kind;
  out.resets.in = in;
  return out;
}

TEST_CASE("a usage limit names its reset twice and its window in the headers") {
  auto spec = of(preset::usage_limit, 2h);
  const auto reply = render_failure(spec, wire::openai_responses, t0, t0 + 60s);
  const auto error = json::parse(reply.body)["error"];
  CHECK(reply.status == 429);
  CHECK(error["type"] == "usage_limit_reached");
  CHECK(error["plan_type"] == "plus");
  CHECK(error["resets_at"] == 1'800'007'200);
  CHECK(error["resets_in_seconds"] == 7140);
  CHECK(header_of(reply.headers, "x-codex-primary-used-percent") == "100");
  CHECK(header_of(reply.headers, "x-codex-primary-window-minutes") == "300");
  CHECK(header_of(reply.headers, "x-codex-primary-reset-at") == "1800007200");
  spec.window_minutes = 10'080;
  CHECK(header_of(render_failure(spec, wire::openai_responses, t0, t0).headers,
                  "x-codex-secondary-window-minutes") == "10080");
}

TEST_CASE("a usage limit keeps only the reset fields the script wants") {
  auto spec = of(preset::usage_limit, 2h);
  spec.resets_at_field = false;
  const auto error =
      json::parse(render_failure(spec, wire::openai_responses, t0, t0).body)["error"];
  CHECK_FALSE(error.contains("resets_at"));
  CHECK(error["resets_in_seconds"] == 7200);
}

TEST_CASE("an Anthropic unified rejection names the window that is full") {
  auto [minutes, full, open] =
      GENERATE(table<int, std::string, std::string>({{300, "5h", "7d"}, {10'080, "7d", "5h"}}));
  auto spec = of(preset::claude_unified, 2h);
  spec.window_minutes = minutes;
  const auto reply = render_failure(spec, wire::anthropic_messages, t0, t0);
  const std::string prefix = "anthropic-ratelimit-unified-";
  CHECK(json::parse(reply.body)["error"]["type"] == "rate_limit_error");
  CHECK(header_of(reply.headers, prefix + full + "-status") == "rejected");
  CHECK(header_of(reply.headers, prefix + full + "-reset") == "1800007200");
  CHECK(header_of(reply.headers, prefix + open + "-status") == "allowed");
}

TEST_CASE("a Google quota error carries reason and retry delay, wrapped when asked") {
  auto spec = of(preset::google_quota, 90min);
  const auto error = json::parse(render_failure(spec, wire::gemini, t0, t0).body)["error"];
  CHECK(error["status"] == "RESOURCE_EXHAUSTED");
  CHECK(error["details"][0]["reason"] == "QUOTA_EXHAUSTED");
  CHECK(error["details"][1]["retryDelay"] == "5400s");
  spec.wrapped = true;
  CHECK(json::parse(render_failure(spec, wire::gemini, t0, t0).body).is_array());
  const auto rate = render_failure(of(preset::google_rate, 2s), wire::gemini, t0, t0);
  CHECK(json::parse(rate.body)["error"]["details"][0]["reason"] == "RATE_LIMIT_EXCEEDED");
}

TEST_CASE("an ordinary status has the form of the protocol asked") {
  failure_spec spec;
  spec.status = 401;
  CHECK(json::parse(render_failure(spec, wire::openai_chat, t0, t0).body)["error"]["code"] ==
        "invalid_api_key");
  CHECK(json::parse(render_failure(spec, wire::anthropic_messages, t0, t0).body)["error"]["type"] ==
        "authentication_error");
  CHECK(json::parse(render_failure(spec, wire::gemini, t0, t0).body)["error"]["status"] ==
        "UNAUTHENTICATED");
}

TEST_CASE("overload and lack of capacity have the status of each provider") {
  auto [kind, form, status] = GENERATE(table<preset, wire, int>({
      {preset::overloaded, wire::anthropic_messages, 529},
      {preset::overloaded, wire::openai_chat, 503},
      {preset::capacity, wire::openai_responses, 429},
      {preset::capacity, wire::gemini, 503},
      {preset::context_length, wire::openai_responses, 400},
      {preset::insufficient_quota, wire::openai_chat, 429},
      {preset::bare, wire::openai_chat, 429},
  }));
  CHECK(render_failure(of(kind), form, t0, t0).status == status);
}

TEST_CASE("a bare failure has no body") {
  CHECK(render_failure(of(preset::bare), wire::openai_chat, t0, t0).body.empty());
}

TEST_CASE("a script window answers with the provider's own exhaustion") {
  window_use window;
  window.length = 5h;
  window.resets_at = t0 + 1h;
  auto [form, kind] = GENERATE(table<wire, preset>({
      {wire::openai_responses, preset::usage_limit},
      {wire::openai_chat, preset::insufficient_quota},
      {wire::anthropic_messages, preset::claude_unified},
      {wire::gemini, preset::google_quota},
  }));
  const auto spec = quota_failure(window, preset::none, form);
  CHECK(spec.kind == kind);
  CHECK(spec.window_minutes == 300);
  CHECK(spec.resets.at == t0 + 1h);
  const auto reply = render_failure(spec, form, t0, t0);
  CHECK(reply.status == 429);
  if (form == wire::openai_chat) CHECK(header_of(reply.headers, "retry-after") == "3600");
}

TEST_CASE("times in templates are expanded and unknown templates stay") {
  CHECK(expand("a ${unix:2h} b", t0) == "a 1800007200 b");
  CHECK(expand("${rfc3339:0}", t0) == "2027-01-15T08:00:00Z");
  CHECK(expand("${http-date:1d}", t0) == "Sat, 16 Jan 2027 08:00:00 GMT");
  CHECK(expand("${unix:x} ${other:1s} ${open", t0) == "${unix:x} ${other:1s} ${open");
}

TEST_CASE("in-stream errors have the event of each protocol") {
  failure_spec spec;
  spec.kind = preset::overloaded;
  auto [form, failed, start] = GENERATE(table<wire, bool, std::string>({
      {wire::openai_responses, true, "event: response.failed\n"},
      {wire::openai_responses, false, "event: error\n"},
      {wire::openai_chat, true, "data: {\"error\":"},
      {wire::anthropic_messages, true, "event: error\ndata: {\"type\":\"error\""},
      {wire::gemini, true, "data: {\"error\":"},
  }));
  const auto frame = render_failure_event(spec, form, failed, 7, t0, t0);
  CHECK(frame.starts_with(start));
  CHECK(frame.ends_with("\n\n"));
}

}  // namespace
}  // namespace tidegate::sim
