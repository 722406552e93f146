#include "config/load.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/config/config_support.hpp"

using namespace tidegate::config;
using namespace tidegate::config::test;

TEST_CASE("each class of mistake is reported with its line and column") {
  const auto [yaml, expected] = GENERATE(table<std::string, std::string>({
      {"port: [1]", "f:1:7: error: port: expected an integer, found a list\n"},
      {"port: \"80\"", "f:1:7: error: port: expected an integer, found a text in quotes\n"},
      {"port: 80.5", "f:1:7: error: port: expected an integer, found \"80.5\"\n"},
      {"port: 70000", "f:1:7: error: port: must be between 0 and 65535\n"},
      {"debug: maybe", "f:1:8: error: debug: expected true or false, found \"maybe\"\n"},
      {"debug: \"true\"", "f:1:8: error: debug: expected true or false, found a text in quotes\n"},
      {"routing:\n  strategy: random",
       "f:2:13: error: routing.strategy: unknown value \"random\"; expected round-robin, "
       "weighted-round-robin or fill-first\n"},
      {"routing: 5", "f:1:10: error: routing: expected a mapping, found a single value\n"},
      {"server:\n  timeouts:\n    idle: 90",
       "f:3:11: error: server.timeouts.idle: expected a duration with a unit, such as 90s or "
       "1h30m, found \"90\"\n"},
      {"requests:\n  timeouts: {connect: 1ms}",
       "f:2:23: error: requests.timeouts.connect: must be between 100ms and 24h\n"},
      {"proxy-url: ftp://proxy.example",
       "f:1:12: error: proxy-url: must be direct, none or a URL that starts with http://, "
       "https://, socks5:// or socks5h:// and names a host\n"},
      {"tls: {enable: true, cert: a.pem}",
       "f:1:7: error: server.tls.key: is needed when server.tls.enable is true\n"},
      {"config-version: 7",
       "f:1:17: error: config-version: must be the number 8, or be left out\n"},
      {"debug: true\ndebug: false", "f:2:1: error: debug: the key is already set at line 1\n"},
      {"host: \"a\\nb\"", "f:1:7: error: host: holds a line break or another control character\n"},
      {"api-keys: text",
       "f:1:11: error: api-keys: expected a list of keys, found a single value\n"},
      {"access:\n  api-keys:\n    - your-api-key-2",
       "f:3:7: error: access.api-keys[0]: this is a published example key; replace it by a key of "
       "your own\n"},
      {"access:\n  api-keys: [\"${EMPTY_NAME}\"]",
       "f:2:13: error: access.api-keys: no usable key remains, so that clients would be served "
       "without a key; set one, or write [] to have none\nf:2:14: warning: access.api-keys[0]: an "
       "empty key is dropped\n"},
      {"auth-dir: \"${EMPTY_NAME}\"",
       "f:1:11: error: auth-dir: is empty; name a directory, or leave the key out for the "
       "default\n"},
      {"port: ${NO_SUCH_NAME}",
       "f:1:7: error: port: the environment variable \"NO_SUCH_NAME\" is not set\nf:1:7: error: "
       "port: expected an integer, found \"\"\n"},
      {"access:\n  api-keys: [\"file:/etc/sample/empty\"]",
       "f:2:14: error: access.api-keys[0]: the secret file \"/etc/sample/empty\" is empty\n"},
      {"proxy-url: file:/etc/sample/empty",
       "f:1:12: error: proxy-url: the secret file \"/etc/sample/empty\" is empty\n"},
      {"remote-management:\n  secret-key: file:/no/such",
       "f:2:15: error: remote-management.secret-key: the secret file \"/no/such\" cannot be used: "
       "no such file\n"},
      {"", "f: error: the text holds no settings; write {} to run with the defaults\n"},
      {"# nothing\n", "f: error: the text holds no settings; write {} to run with the defaults\n"},
      {"- a", "f:1:1: error: expected a mapping of settings, found a list\n"},
      {"a: {}\n---\nb: 1\n", "f:3:1: error: the text holds more than one document\n"},
  }));
  CAPTURE(yaml);
  const auto r = load(yaml);
  CHECK(findings(r) == expected);
  CHECK_FALSE(r.snapshot);
}

TEST_CASE("each class of doubtful key is a warning with its line and column") {
  const auto [yaml, expected] = GENERATE(table<std::string, std::string>({
      {"prot: 80", "f:1:1: warning: prot: unknown key; ignored (did you mean port?)\n"},
      {"routing:\n  stratgey: rr",
       "f:2:3: warning: routing.stratgey: unknown key; ignored (did you mean routing.strategy?)\n"},
      {"routing:\n  request-retry: 2",
       "f:2:3: warning: routing.request-retry: unknown key; ignored (did you mean "
       "routing.retry.request-retry?)\n"},
      {"zzzzzzzz: 1", "f:1:1: warning: zzzzzzzz: unknown key; ignored\n"},
      {"server.port: 80",
       "f:1:1: warning: server.port: unknown key; ignored (did you mean server.port?)\n"},
      {"plugins: {enabled: true}",
       "f:1:1: warning: plugins: not supported by this version; ignored\n"},
      {"meta-api-key: []",
       "f:1:1: warning: meta-api-key: not supported by this version; ignored\n"},
      {"api-keys:\n  interactions: []",
       "f:2:3: warning: api-keys.interactions: not supported by this version; ignored\n"},
      {"ampcode: {}", "f:1:1: warning: ampcode: obsolete and without effect; remove it\n"},
      {"port:", "f:1:1: warning: port: has no value; the default is used\n"},
      {"api-keys: [sample-key, sample-key, \"\"]",
       "f:1:24: warning: api-keys[1]: a repeated key is dropped\nf:1:36: warning: api-keys[2]: an "
       "empty key is dropped\n"},
      {"oauth:\n  excluded-models:\n    codx: [a]",
       "f:3:5: warning: oauth.excluded-models.codx: unknown channel; ignored (did you mean "
       "codex?)\n"},
      {"request-retry: -1", "f:1:16: warning: request-retry: is below the minimum; 0 is used\n"},
      {"server: {timeouts: {drain: 1500ms}}",
       "f:1:28: warning: server.timeouts.drain: counts in steps of 1s; 1s is used\n"},
      {"requests: {timeouts: {idle: 100500us}}",
       "f:1:29: warning: requests.timeouts.idle: counts in steps of 1ms; 100ms is used\n"},
  }));
  CAPTURE(yaml);
  const auto r = load(yaml);
  CHECK(findings(r) == expected);
  CHECK(r.snapshot);
}

TEST_CASE("all mistakes are listed in the order of the text") {
  const auto text = findings("port: x\ndebug: 3\nhots: y\nrouting: {strategy: z}\n");
  CHECK_THAT(text, ContainsSubstring("f:1:7: error: port"));
  CHECK_THAT(text, ContainsSubstring("f:2:8: error: debug"));
  CHECK_THAT(text, ContainsSubstring("f:3:1: warning: hots"));
  CHECK_THAT(text, ContainsSubstring("f:4:21: error: routing.strategy"));
  CHECK(text.find("port") < text.find("debug"));
}

TEST_CASE("text that is not YAML is reported with its place") {
  const auto text = findings("server:\n  port: [1, 2\n");
  CHECK_THAT(text, ContainsSubstring("f:3:1: error: not valid YAML"));
}

TEST_CASE("an open address without client keys is refused") {
  const auto [yaml, accepted] = GENERATE(table<std::string, bool>({
      {"host: 127.0.0.1", true},
      {"host: 127.9.9.9", true},
      {"host: localhost", true},
      {"host: \"::1\"", true},
      {"host: \"[::1]\"", true},
      {"host: \"\"", false},
      {"host: 0.0.0.0", false},
      {"host: \"::\"", false},
      {"host: 192.0.2.1", false},
      {"host: 127.0.0.1.example", false},
      {"host: \"\"\napi-keys: [sample-client-key]", true},
      {"host: \"\"\napi-keys: [\"\"]", false},
      {"host: \"\"\naccess: {allow-anonymous: true}", true},
      {"host: \"\"\naccess: {allow-anonymous: false}", false},
  }));
  CAPTURE(yaml);
  const auto r = load(yaml);
  CHECK(static_cast<bool>(r.snapshot) == accepted);
  if (!accepted)
    CHECK_THAT(findings(r), ContainsSubstring("error: access.api-keys: no client key"));
}

TEST_CASE("a list of client keys without a usable one is refused, also on a loopback address") {
  const auto [list, accepted] = GENERATE(table<std::string, bool>({
      {"[\"${EMPTY_NAME}\"]", false},
      {"[\"${EMPTY_NAME}\", \"  \", \"\"]", false},
      {"[~]", false},
      {"[\"${EMPTY_NAME}\", sample-client-key]", true},
      {"[]", true},
      {"", true},
  }));
  for (const std::string& yaml : {"access: {api-keys: " + list + "}", "api-keys: " + list}) {
    CAPTURE(yaml);
    const auto r = load(yaml);
    CHECK(static_cast<bool>(r.snapshot) == accepted);
    CHECK((findings(r).find("no usable key remains") == std::string::npos) == accepted);
  }
}

TEST_CASE("no finding repeats a secret") {
  const auto text = findings(R"(
proxy-url: "gopher://user:hidden-word@proxy.example"
api-keys: [{hidden-word: 1}, "hidden-word\x07"]
codex-api-key:
  - {api-key: "hidden-word\n", base-url: "https://u:hidden-word@codex.example"}
)");
  CHECK_THAT(text, ContainsSubstring("proxy-url"));
  CHECK(text.find("hidden-word") == std::string::npos);
}

TEST_CASE("more findings than the bound are counted only") {
  std::string yaml;
  for (std::size_t i = 0; i < diagnostics_max + 50; ++i) yaml += "k" + std::to_string(i) + ": 1\n";
  const auto r = load(yaml);
  CHECK(r.diagnostics.size() == diagnostics_max + 1);
  CHECK(r.diagnostics.back().text == "50 more findings are not shown");
  CHECK(r.snapshot);
}
