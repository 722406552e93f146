#include "config/diff.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/config/config_support.hpp"

using namespace tidegate;
using namespace tidegate::config;
using namespace tidegate::config::test;
using lines = std::vector<std::string>;

namespace {

snapshot_ptr loaded(std::string_view yaml) {
  auto r = load(yaml);
  INFO(findings(r));
  REQUIRE(r.snapshot);
  return r.snapshot;
}

change_summary between(std::string_view before, std::string_view after) {
  return summarize_changes(*loaded(before), *loaded(after));
}

}  // namespace

TEST_CASE("a changed quota response mode has its own line [T9]") {
  const auto summary = between("{}", "quota-cooldown-response-mode: usage-limit");
  CHECK(summary.lines == lines{"routing.cooldown.quota-response-mode: retryable -> usage-limit"});
  CHECK(summary.restart_line().empty());
}

TEST_CASE("equal settings in another spelling are no change") {
  CHECK(between("{debug: true, request-retry: 3}", "observability: {logs: {debug: true}}").empty());
}

TEST_CASE("a text with a mistake gives no snapshot, so that the old one stays [T8]") {
  CHECK_FALSE(load("{debug: true, quota-cooldown-response-mode: wrong}").snapshot);
}

TEST_CASE("keys that need a restart are named [T9]") {
  const auto summary = between("{}", "{port: 9000, tls: {cert: a.pem}, debug: true}");
  CHECK(summary.lines == lines{"server.port: 8317 -> 9000", "server.tls.cert: <none> -> a.pem",
                               "observability.logs.debug: false -> true"});
  CHECK(summary.restart_line() == "restart required for: server.port, server.tls.cert");
}

TEST_CASE("secrets appear as changes only") {
  const auto [before, after, expected] = GENERATE(table<std::string, std::string, std::string>({
      {"{}", "remote-management: {secret-key: sample-one}", "management.secret-key: created"},
      {"remote-management: {secret-key: sample-one}", "{}", "management.secret-key: deleted"},
      {"remote-management: {secret-key: sample-one}", "remote-management: {secret-key: sample-two}",
       "management.secret-key: updated"},
      {"api-keys: [sample-one]", "api-keys: [sample-one, sample-two]",
       "access.api-keys: 1 -> 2 keys"},
      {"api-keys: [sample-one]", "api-keys: [sample-two]",
       "access.api-keys: values updated (count unchanged, redacted)"},
      {"{}", "proxy-url: http://user:sample-word@proxy.example:3128/",
       "requests.proxy-url: <none> -> http://proxy.example:3128"},
      {"proxy-url: http://a:b@proxy.example", "proxy-url: http://a:c@proxy.example",
       "requests.proxy-url: http://proxy.example (updated)"},
      {"oauth: {excluded-models: {codex: [a]}}", "oauth: {excluded-models: {codex: [a, b, c]}}",
       "oauth.excluded-models: updated (1 -> 3 entries)"},
  }));
  CAPTURE(before, after);
  CHECK(between(before, after).lines == lines{expected});
}

TEST_CASE("provider entries are compared field by field under their index") {
  const auto summary = between(R"(
codex-api-key:
  - {api-key: sk-sample-1, base-url: https://codex.example/a, headers: {X: one}}
  - {api-key: sk-sample-2, base-url: https://codex.example}
)",
                               R"(
codex-api-key:
  - {api-key: sk-sample-9, base-url: https://other.example/b, proxy-url: "http://u:w@proxy.example",
     headers: {X: two}, priority: 3, request-retry: 2, models: [{name: m}]}
)");
  CHECK(summary.lines ==
        lines{"codex: 2 -> 1 entries",
              "codex[0].base-url: https://codex.example -> https://other.example",
              "codex[0].api-key: updated", "codex[0].proxy-url: <none> -> http://proxy.example",
              "codex[0].priority: 0 -> 3", "codex[0].headers: updated",
              "codex[0].models: updated (0 -> 1 entries)", "codex[0].request-retry: inherit -> 2"});
  CHECK(summary.restart_keys.empty());
}
