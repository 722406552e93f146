#include "config/load.hpp"

#include "config/diff.hpp"
#include "config/print.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/config/config_support.hpp"

using namespace tidegate;
using namespace tidegate::config;
using namespace tidegate::config::test;
using quota::response_mode;
using quota::strategy;

namespace {

snapshot_ptr loaded(std::string_view yaml) {
  auto r = load(yaml);
  INFO(findings(r));
  REQUIRE(r.snapshot);
  return r.snapshot;
}

std::string mode_text(std::string_view value) {
  return "routing:\n  cooldown:\n    quota-response-mode: " + std::string{value} + "\n";
}

}  // namespace

TEST_CASE("an explicit empty mapping gives the defaults of the option structs") {
  const auto s = loaded("{}");
  CHECK(same_settings(*s, snapshot{}));
  CHECK(s->source_path == "sample.yaml");
  CHECK(s->generation == 0);
}

TEST_CASE("the quota response mode is read in both spellings [T1] [T2] [T3]") {
  const auto [value, mode] = GENERATE(table<std::string, response_mode>({
      {"\"\"", response_mode::retryable},
      {"\"  \"", response_mode::retryable},
      {"retryable", response_mode::retryable},
      {"usage-limit", response_mode::usage_limit},
      {"\" usage-limit \"", response_mode::usage_limit},
  }));
  CAPTURE(value);
  CHECK(loaded(mode_text(value))->routing.cooldown.mode == mode);
  CHECK(loaded("quota-cooldown-response-mode: " + value)->routing.cooldown.mode == mode);
}

TEST_CASE("an unknown quota response mode fails naming key and value [T4]") {
  CHECK(
      findings(mode_text("sometimes")) ==
      "f:3:26: error: routing.cooldown.quota-response-mode: unknown value \"sometimes\"; expected "
      "retryable or usage-limit\n");
  CHECK(findings("quota-cooldown-response-mode: Usage-Limit") ==
        "f:1:31: error: quota-cooldown-response-mode: unknown value \"Usage-Limit\"; expected "
        "retryable or usage-limit\n");
  CHECK_FALSE(load(mode_text("sometimes")).snapshot);
}

TEST_CASE("the v8 spelling wins over the older one even when it is empty [T6]") {
  const auto [v8, older, mode] = GENERATE(table<std::string, std::string, response_mode>({
      {"\"\"", "usage-limit", response_mode::retryable},
      {"retryable", "usage-limit", response_mode::retryable},
      {"usage-limit", "retryable", response_mode::usage_limit},
      {"", "usage-limit", response_mode::retryable},
  }));
  CAPTURE(v8, older);
  const auto r = load("quota-cooldown-response-mode: " + older + "\n" + mode_text(v8));
  REQUIRE(r.snapshot);
  CHECK(r.snapshot->routing.cooldown.mode == mode);
  CHECK_THAT(findings(r),
             ContainsSubstring("f:1:1: warning: quota-cooldown-response-mode: ignored, "
                               "because routing.cooldown.quota-response-mode is set at "
                               "line 4"));
}

TEST_CASE("a v8 value of false or zero wins over the older spelling") {
  const auto s = loaded(R"(
debug: true
request-retry: 7
observability: {logs: {debug: false}}
routing: {retry: {request-retry: 0}}
)");
  CHECK_FALSE(s->log.debug);
  CHECK(s->routing.retry.request_retry == 0);
}

TEST_CASE("an older spelling that is shadowed is not even validated") {
  CHECK(load("quota-cooldown-response-mode: nonsense\n" + mode_text("usage-limit")).snapshot);
}

TEST_CASE("both layouts of the same settings give equal snapshots") {
  const auto older = loaded(R"(
host: 0.0.0.0
port: 9000
tls: {enable: true, cert: /etc/sample/cert.pem, key: /etc/sample/key.pem}
remote-management: {allow-remote: true, secret-key: sample-management-key}
api-keys: [sample-client-key-one, sample-client-key-two]
auth-dir: /var/lib/sample
debug: true
force-model-prefix: true
request-retry: 5
max-retry-credentials: 2
max-retry-interval: 12
disable-cooling: true
save-cooldown-status: false
transient-error-cooldown-seconds: 30
quota-cooldown-response-mode: usage-limit
quota-retry-interval-seconds: 900
proxy-url: socks5://proxy.example:1080
passthrough-headers: true
streaming: {keepalive-seconds: 15}
codex: {model-level-cooling: true}
routing: {strategy: wrr, session-affinity: true, session-affinity-ttl: 30m}
oauth-model-alias: {codex: [{name: model-a, alias: fast}]}
oauth-excluded-models: {claude: [Model-B*]}
codex-api-key:
  - {api-key: sk-sample-codex-1, base-url: "https://codex.example/v1/", priority: 2, weight: 3}
  - {api-key: sk-sample-codex-2, base-url: "https://codex.example/v1"}
claude-api-key:
  - {api-key: sk-sample-claude, models: [{name: model-c, alias: c}]}
openai-compatibility:
  - name: sample-compat
    base-url: https://compat.example/v1
    api-key-entries:
      - {api-key: sk-sample-compat-1, weight: 2}
      - {api-key: sk-sample-compat-2, proxy-url: direct}
)");
  const auto v8 = loaded(R"(
config-version: 8
server:
  host: 0.0.0.0
  port: 9000
  tls: {enable: true, cert: /etc/sample/cert.pem, key: /etc/sample/key.pem}
management: {allow-remote: true, secret-key: sample-management-key}
access: {api-keys: [sample-client-key-one, sample-client-key-two]}
oauth:
  auth-dir: /var/lib/sample
  model-alias: {codex: [{name: model-a, alias: fast}]}
  excluded-models: {claude: [model-b*]}
observability: {logs: {debug: true}}
routing:
  strategy: weighted-round-robin
  session-affinity: true
  session-affinity-ttl: 30m
  force-model-prefix: true
  retry: {request-retry: 5, max-retry-credentials: 2, max-retry-interval: 12}
  cooldown:
    disable-cooling: true
    save-cooldown-status: false
    transient-error-cooldown-seconds: 30
    quota-response-mode: usage-limit
    quota-retry-interval-seconds: 900
upstream: {codex: {model-level-cooling: true}}
requests:
  proxy-url: socks5://proxy.example:1080
  passthrough-headers: true
  streaming: {keepalive-seconds: 15}
api-keys:
  codex:
    - {base-url: "https://codex.example/v1", priority: 2, keys: [{api-key: sk-sample-codex-1, weight: 3}]}
    - {base-url: "https://codex.example/v1", keys: [{api-key: sk-sample-codex-2}]}
  claude:
    - {models: [{name: model-c, alias: c}], keys: [{api-key: sk-sample-claude}]}
  openai-compatibility:
    - name: sample-compat
      base-url: https://compat.example/v1
      keys:
        - {api-key: sk-sample-compat-1, weight: 2}
        - {api-key: sk-sample-compat-2, proxy-url: none}
)");
  CHECK(print_config(*older, visibility::revealed) == print_config(*v8, visibility::revealed));
  CHECK(same_settings(*older, *v8));
  CHECK(v8->credentials.keys.size() == 5);
  CHECK(v8->routing.selection == strategy::weighted_round_robin);
  CHECK(v8->routing.cooldown.codex_model_level);
  CHECK_FALSE(v8->routing.cooldown.claude_model_level);
}

TEST_CASE("every alias of a strategy is accepted") {
  const auto [text, value] = GENERATE(table<std::string, strategy>({
      {"round-robin", strategy::round_robin},
      {"rr", strategy::round_robin},
      {"roundrobin", strategy::round_robin},
      {"\"\"", strategy::round_robin},
      {"weighted-round-robin", strategy::weighted_round_robin},
      {"wrr", strategy::weighted_round_robin},
      {"weightedroundrobin", strategy::weighted_round_robin},
      {"fill-first", strategy::fill_first},
      {"ff", strategy::fill_first},
      {"\" fillfirst \"", strategy::fill_first},
  }));
  CAPTURE(text);
  CHECK(loaded("routing: {strategy: " + text + "}")->routing.selection == value);
}

TEST_CASE("numbers below their range are repaired where the key says so") {
  const auto s = loaded(R"(
request-retry: -4
max-retry-credentials: -1
max-retry-interval: -5
transient-error-cooldown-seconds: -9
quota-retry-interval-seconds: 3
routing: {session-affinity-ttl: -5s}
)");
  CHECK(s->routing.retry.request_retry == 0);
  CHECK(s->routing.retry.max_retry_credentials == 0);
  CHECK(s->routing.retry.max_retry_interval.count() == 0);
  CHECK(s->routing.cooldown.transient_error_cooldown_seconds == -1);
  CHECK(s->routing.cooldown.quota_retry_interval.count() == 10);
  CHECK(s->routing.session_affinity_ttl == std::chrono::hours{1});
}

TEST_CASE("variables and secret files are replaced in values") {
  const auto s = loaded(R"(
port: ${SAMPLE_PORT}
host: 127.0.0.1
api-keys: ["${SAMPLE_KEY}", "file:/etc/sample/key", "a$${b"]
)");
  CHECK(s->server.port == 9100);
  REQUIRE(s->access.api_keys.size() == 3);
  CHECK(s->access.api_keys[0].reveal() == "sk-sample-from-variable");
  CHECK(s->access.api_keys[1].reveal() == "sk-sample-from-file");
  CHECK(s->access.api_keys[2].reveal() == "a${b");
}

TEST_CASE("anchors and merge keys are understood") {
  const auto s = loaded(R"(
shared: &shared {base-url: https://codex.example, priority: 4}
codex-api-key:
  - {<<: *shared, api-key: sk-sample-1}
  - {<<: *shared, api-key: sk-sample-2, priority: 9}
)");
  REQUIRE(s->credentials.keys.size() == 2);
  CHECK(s->credentials.keys[0].priority == 4);
  CHECK(s->credentials.keys[1].priority == 9);
  CHECK(s->credentials.keys[1].base_url == "https://codex.example");
}

TEST_CASE("a setting is located under the spelling that counts") {
  const auto at = [](std::string_view yaml, std::string_view path) {
    const auto found = locate(yaml, sample_environment(), path);
    return found.key + " " + std::to_string(found.where.line) + ":" +
           std::to_string(found.where.column);
  };
  CHECK(at("server:\n  tls: {cert: a.pem}", "server.tls.cert") == "server.tls.cert 2:15");
  CHECK(at("tls:\n  cert: a.pem", "server.tls.cert") == "tls.cert 2:9");
  CHECK(at("tls: {cert: a}\nserver: {tls: {cert: b}}", "server.tls.cert") == "server.tls.cert 2:22");
  CHECK(at("port: 1", "server.tls.cert") == "server.tls.cert 0:0");
  CHECK(at("port: [", "server.tls.cert") == "server.tls.cert 0:0");
  CHECK(at("port: 1", "no.such.key") == "no.such.key 0:0");
}
