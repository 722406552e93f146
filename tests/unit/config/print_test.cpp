#include "config/print.hpp"

#include "config/diff.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/config/config_support.hpp"

#include <rapidcheck.h>

using namespace tidegate;
using namespace tidegate::config;
using namespace tidegate::config::test;

namespace {

void round_trip(const snapshot& s) {
  const auto text = print_config(s, visibility::revealed);
  const auto again = load(text);
  INFO(findings(again));
  INFO(text);
  REQUIRE(again.snapshot);
  CHECK(again.diagnostics.empty());
  CHECK(same_settings(*again.snapshot, s));
  CHECK(print_config(*again.snapshot, visibility::revealed) == text);
}

constexpr std::string_view rich = R"(
host: ""
api-keys: ["sample-client-key-that-is-long", "with ${blank"]
proxy-url: http://user:sample-word@proxy.example:3128
remote-management: {secret-key: "sample-management-key-long"}
api-keys-note: 1
codex-api-key:
  - api-key: "sk-sample-codex-0123456789"
    base-url: https://codex.example/v1
    proxy-url: direct
    headers: {X-Token: sample-header-word, X-Copy: $X-Client, "null": "true"}
    models: [{name: m, alias: n, force-mapping: true}]
    request-retry: 0
    disable-cooling: false
    request-scoped-errors: [{status: 400, match: ["a\nb"], action: stop}]
)";

std::string rich_text() {
  std::string text{rich};
  for (auto at = text.find("${"); at != std::string::npos; at = text.find("${", at + 3)) {
    text.insert(at, "$");
  }
  return text;
}

}  // namespace

TEST_CASE("both spellings of the quota response mode survive a round trip [T5]") {
  const auto yaml = GENERATE(as<std::string>{}, "quota-cooldown-response-mode: usage-limit",
                             "routing: {cooldown: {quota-response-mode: usage-limit}}",
                             "routing: {cooldown: {quota-response-mode: \"\"}}",
                             "quota-cooldown-response-mode: retryable");
  CAPTURE(yaml);
  const auto r = load(yaml);
  REQUIRE(r.snapshot);
  round_trip(*r.snapshot);
}

TEST_CASE("the defaults survive a round trip") {
  round_trip(snapshot{});
}

TEST_CASE("a rich configuration survives a round trip") {
  const auto r = load(rich_text());
  INFO(findings(r));
  REQUIRE(r.snapshot);
  CHECK(r.snapshot->access.api_keys[1].reveal() == "with ${blank");
  round_trip(*r.snapshot);
}

TEST_CASE("the printed configuration holds no secret unless asked") {
  const auto r = load(rich_text());
  REQUIRE(r.snapshot);
  const auto text = print_config(*r.snapshot, visibility::masked);
  for (const auto* secret :
       {"sample-client-key-that-is-long", "sample-word", "user:", "sample-management-key-long",
        "sk-sample-codex-0123456789", "sample-header-word", "with $"}) {
    CAPTURE(secret);
    CHECK(text.find(secret) == std::string::npos);
  }
  CHECK_THAT(text, ContainsSubstring("proxy-url: \"http://proxy.example:3128\""));
  CHECK_THAT(text, ContainsSubstring("$X-Client"));
}

TEST_CASE("sections of the v8 layout are nested in the order of the table") {
  const auto text = print_config(snapshot{}, visibility::masked);
  CHECK_THAT(text, ContainsSubstring("config-version: 8\nserver:\n  host: \"127.0.0.1\"\n"
                                     "  port: 8317\n  tls:\n    enable: false\n"));
  CHECK_THAT(text, ContainsSubstring("    quota-response-mode: \"retryable\"\n"));
  CHECK_THAT(text, ContainsSubstring("    drain: 30s\n"));
}

TEST_CASE("every snapshot of valid settings survives a round trip") {
  REQUIRE(rc::check("generated settings", [] {
    snapshot s;
    s.server.port = *rc::gen::arbitrary<std::uint16_t>();
    s.server.idle_timeout = std::chrono::seconds{*rc::gen::inRange(1, 86'400)};
    s.requests.connect_timeout = std::chrono::milliseconds{*rc::gen::inRange(100, 86'400'000)};
    s.routing.retry.request_retry = *rc::gen::inRange(0, 100);
    s.routing.selection =
        *rc::gen::element(quota::strategy::round_robin, quota::strategy::weighted_round_robin,
                          quota::strategy::fill_first);
    s.routing.cooldown.disable_cooling = *rc::gen::arbitrary<bool>();
    const auto word =
        rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange('!', '~')));
    const auto count = *rc::gen::inRange(0, 4);
    for (int i = 0; i < count; ++i) {
      provider::key_entry entry;
      entry.provider = provider::kind::claude;
      entry.name = "claude-" + std::to_string(i);
      entry.api_key = secret_string{"k" + *word};
      entry.weight = *rc::gen::inRange<std::int64_t>(0, 1'000'001);
      entry.priority = *rc::gen::inRange(-1000, 1000);
      if (*rc::gen::arbitrary<bool>()) entry.request_retry = *rc::gen::inRange(0, 100);
      if (*rc::gen::arbitrary<bool>()) entry.disable_cooling = *rc::gen::arbitrary<bool>();
      entry.headers = {{"X-Sample", *word}};
      entry.models = {{*word, *word, *rc::gen::arbitrary<bool>()}};
      s.credentials.keys.push_back(std::move(entry));
    }
    const auto again = load(print_config(s, visibility::revealed));
    RC_ASSERT(again.snapshot);
    RC_ASSERT(same_settings(*again.snapshot, s));
  }));
}
