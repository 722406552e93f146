#include "config/groups.hpp"

#include "config/print.hpp"
#include "provider/catalog.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/config/config_support.hpp"

using namespace tidegate;
using namespace tidegate::config;
using namespace tidegate::config::test;

namespace {

std::vector<provider::key_entry> entries(std::string_view yaml) {
  const auto r = load(yaml);
  INFO(findings(r));
  REQUIRE(r.snapshot);
  return r.snapshot->credentials.keys;
}

}  // namespace

TEST_CASE("a key inherits its group and explicit empty values override it") {
  const auto list = entries(R"(
api-keys:
  codex:
    - name: team
      base-url: https://codex.example
      priority: 5
      prefix: /team/
      proxy-url: http://proxy.example:8080
      headers: {X-Sample: one, X-Copy: $X-Client}
      models: [{name: model-a}]
      excluded-models: [model-b]
      disable-cooling: true
      request-retry: 4
      keys:
        - api-key: sk-sample-1
          priority:
        - api-key: sk-sample-2
          weight: 9
          priority: 0
          prefix: ""
          proxy-url: ""
          headers: {}
          models: []
          excluded-models: []
          disable-cooling: false
          request-retry: -1
)");
  REQUIRE(list.size() == 2);
  const auto& inherits = list[0];
  CHECK(inherits.name == "team");
  CHECK(inherits.priority == 5);
  CHECK(inherits.prefix == "team");
  CHECK(inherits.proxy_url.reveal() == "http://proxy.example:8080");
  CHECK(inherits.headers == provider::header_list{{"X-Sample", "one"}, {"X-Copy", "$X-Client"}});
  REQUIRE(inherits.models.size() == 1);
  CHECK(inherits.models[0].alias == "model-a");
  CHECK(inherits.excluded_models == std::vector<std::string>{"model-b"});
  CHECK(inherits.disable_cooling == true);
  CHECK(inherits.request_retry == 4);
  CHECK(inherits.weight == 1);

  const auto& overrides = list[1];
  CHECK(overrides.name == "team");
  CHECK(overrides.base_url == "https://codex.example");
  CHECK(overrides.weight == 9);
  CHECK(overrides.priority == 0);
  CHECK(overrides.prefix.empty());
  CHECK(overrides.proxy_url.empty());
  CHECK(overrides.headers.empty());
  CHECK(overrides.models.empty());
  CHECK(overrides.excluded_models.empty());
  CHECK(overrides.disable_cooling == false);
  CHECK_FALSE(overrides.request_retry.has_value());
}

TEST_CASE("group mistakes are errors with their place") {
  const auto [line, expected] = GENERATE(table<std::string, std::string>({
      {"keys: [{api-key: k, base-url: https://x.example}]",
       "f:5:27: error: api-keys.codex[0].keys[0].base-url: base-url belongs to the group, not to a "
       "key\n"},
      {"weight: 3",
       "f:5:7: error: api-keys.codex[0].weight: belongs to the keys of the group, not to the "
       "group\n"},
      {"basurl: x",
       "f:5:7: error: api-keys.codex[0].basurl: unknown field (did you mean base-url?)\n"},
      {"keys: {api-key: k}",
       "f:5:13: error: api-keys.codex[0].keys: expected a list of keys, found a mapping\n"},
      {"keys: [sk-sample]",
       "f:5:14: error: api-keys.codex[0].keys[0]: expected a mapping with api-key, found a single "
       "value\n"},
      {"keys: [{api-key: k, weight: 1.5}]",
       "f:5:35: error: api-keys.codex[0].keys[0].weight: expected an integer, found \"1.5\"\n"},
      {"keys: [{api-key: k, weight: 1000001}]",
       "f:5:35: error: api-keys.codex[0].keys[0].weight: must be between 0 and 1000000\n"},
      {"models: [{name: m, nmae: x}]",
       "f:5:26: error: api-keys.codex[0].models[0].nmae: unknown field (did you mean name?)\n"},
      {"headers: {\"X Y\": v}",
       "f:5:17: error: api-keys.codex[0].headers.X Y: not a valid header name\n"},
      {"headers: {Content-Length: \"5\"}",
       "f:5:17: error: api-keys.codex[0].headers.Content-Length: belongs to the connection, or is "
       "too long; remove it\n"},
      {"request-scoped-errors: [{status: 400, match: [a], action: halt}]",
       "f:5:65: error: api-keys.codex[0].request-scoped-errors[0].action: unknown value \"halt\"; "
       "expected stop, stop-and-cooldown, continue or continue-and-cooldown\n"},
      {"base-url: ftp://codex.example",
       "f:5:17: error: api-keys.codex[0].base-url: must be a URL that starts with http:// or "
       "https:// and names a host\n"},
      {"base-url: https://user:word@codex.example",
       "f:5:17: error: api-keys.codex[0].base-url: must be a URL without user name, password, "
       "query and fragment\n"},
  }));
  const auto text =
      findings("api-keys:\n  codex:\n    - name: a\n      priority: 1\n      " + line);
  CAPTURE(text);
  CHECK_THAT(text, ContainsSubstring(expected));
}

TEST_CASE("entries without their mandatory fields are dropped with a warning") {
  const auto [yaml, expected] = GENERATE(table<std::string, std::string>({
      {"codex-api-key: [{api-key: k}]",
       "f:1:17: warning: codex-api-key[0]: an entry without base-url is dropped\n"},
      {"gemini-api-key: [{priority: 1}]",
       "f:1:18: warning: gemini-api-key[0]: an entry with neither api-key nor base-url is "
       "dropped\n"},
      {"claude-api-key: [{priority: 1}]",
       "f:1:18: warning: claude-api-key[0]: an entry with neither api-key nor base-url is "
       "dropped\n"},
      {"openai-compatibility: [{name: a, models: [{name: m}], api-key-entries: [{api-key: k}]}]",
       "f:1:73: warning: openai-compatibility[0].api-key-entries[0]: an entry without base-url is "
       "dropped\n"},
      {"gemini-api-key: [{api-key: k}, {api-key: k, priority: 3}]",
       "f:1:32: warning: gemini-api-key[1]: equal to gemini-api-key[0] at line 1; dropped\n"},
      {"api-keys: {claude: [{name: a}]}",
       "f:1:21: warning: api-keys.claude[0]: a group without keys has no effect\n"},
      {"claude-api-key: [{api-key: k, prefix: a/b}]",
       "f:1:39: warning: claude-api-key[0].prefix: a prefix with a slash inside is dropped\n"},
      {"claude-api-key: [{api-key: k, websockets: true}]",
       "f:1:31: warning: claude-api-key[0].websockets: not supported by this version; ignored\n"},
      {"claude-api-key: [{api-key: k, prioritty: 1}]",
       "f:1:31: warning: claude-api-key[0].prioritty: unknown field (did you mean priority?); "
       "ignored\n"},
      {"claude-api-key: [{api-key: k, models: [{alias: x}]}]",
       "f:1:40: warning: claude-api-key[0].models[0]: a model needs a name; dropped\n"},
      {"claude-api-key: [{api-key: k, request-scoped-errors: [{status: 0, match: [a], action: "
       "stop}]}]",
       "f:1:55: warning: claude-api-key[0].request-scoped-errors[0]: a rule needs a status, a "
       "pattern and an action; dropped\n"},
  }));
  CAPTURE(yaml);
  const auto r = load(yaml);
  CHECK(findings(r) == expected);
  CHECK(r.snapshot);
}

TEST_CASE("an openai-compatibility group without models is reported: nothing can reach it") {
  const auto [group, expected] = GENERATE(table<std::string, std::string>({
      {"{base-url: http://127.0.0.1:1}", "f:3:7: warning: GROUP.models: lists no model"},
      {"{base-url: http://127.0.0.1:1, models: []}", "f:3:46: warning: GROUP.models: lists no model"},
      {"{base-url: http://127.0.0.1:1, models: [{alias: x}]}",
       "f:3:46: warning: GROUP.models: lists no model"},
      {"{base-url: http://127.0.0.1:1, keys: [{api-key: a}, {api-key: b}]}",
       "f:3:7: warning: GROUP.models: lists no model"},
      {"{base-url: http://127.0.0.1:1, models: [{name: m}]}", ""},
      {"{base-url: http://127.0.0.1:1, disabled: true}", ""},
  }));
  CAPTURE(group);
  const auto r = load("api-keys:\n  openai-compatibility:\n    - " + group);
  REQUIRE(r.snapshot);
  auto text = findings(r);
  const std::string key = "api-keys.openai-compatibility[0]";
  for (auto at = text.find(key); at != std::string::npos; at = text.find(key)) {
    text.replace(at, key.size(), "GROUP");
  }
  CHECK_THAT(text, ContainsSubstring(expected));
  const auto first = text.find("lists no model");
  CHECK((first == std::string::npos) == expected.empty());
  if (first != std::string::npos) {
    CHECK(text.find("lists no model", first + 1) == std::string::npos);
  }
}

TEST_CASE("an older openai-compatibility list without models is reported too") {
  CHECK_THAT(findings("openai-compatibility:\n  - {name: a, base-url: http://127.0.0.1:1}"),
             ContainsSubstring("f:2:5: warning: openai-compatibility[0].models: lists no model"));
}

TEST_CASE("what the documentation says of an empty models list is what the catalogue does") {
  const auto [family, name, served] = GENERATE(table<std::string, std::string, bool>({
      {"codex", "gpt-any", true},
      {"codex", "codex-any", true},
      {"codex", "o3-any", true},
      {"codex", "opus", false},
      {"codex", "claude-any", false},
      {"claude", "claude-any", true},
      {"claude", "gpt-any", false},
      {"gemini", "gemini-any", true},
      {"gemini", "gemma-any", true},
      {"gemini", "gem", false},
      {"openai-compatibility", "gpt-any", false},
      {"openai-compatibility", "any", false},
  }));
  CAPTURE(family, name);
  const auto r = load("api-keys: {" + family +
                      ": [{base-url: http://127.0.0.1:1, keys: [{api-key: k}]}]}");
  REQUIRE(r.snapshot);
  std::vector<provider::credential_ptr> credentials;
  for (auto& made : provider::from_config(r.snapshot->credentials)) {
    credentials.push_back(std::make_shared<const provider::credential>(std::move(made)));
  }
  REQUIRE(credentials.size() == 1);
  const provider::catalog catalog{credentials, r.snapshot->routing};
  CHECK(catalog.find(name).has_value() == served);
  if (family == "openai-compatibility") CHECK(catalog.models().empty());
}

TEST_CASE("a key that stands in one family twice is reported with both places") {
  const auto expected =
      "f:5:9: warning: api-keys.codex[0].keys[1]: has the same api-key as "
      "api-keys.codex[0].keys[0] at line 4; each cools down on its own, so that a used-up key is "
      "tried once for each\n";
  CHECK(findings(R"(api-keys:
  codex:
    - {base-url: https://codex.example, keys: [
        {api-key: sk-sample},
        {api-key: sk-sample, weight: 2}]}
)") == expected);
}

TEST_CASE("a key counts as repeated where one request could try it twice") {
  const auto [second, reported] = GENERATE(table<std::string, bool>({
      {"{base-url: https://a.example, keys: [{api-key: k}]}", true},
      {"{base-url: https://a.example/, keys: [{api-key: \" k \"}]}", true},
      {"{base-url: https://a.example, prefix: other, keys: [{api-key: k}]}", true},
      {"{base-url: https://a.example, models: [{name: M1}], keys: [{api-key: k}]}", true},
      {"{base-url: https://a.example, models: [{name: m2, alias: m1}], keys: [{api-key: k}]}", true},
      {"{base-url: https://a.example, models: [{name: m2}], keys: [{api-key: k}]}", false},
      {"{base-url: https://b.example, keys: [{api-key: k}]}", false},
      {"{base-url: https://a.example, keys: [{api-key: other}]}", false},
      {"{base-url: https://a.example, disabled: true, keys: [{api-key: k}]}", false},
  }));
  CAPTURE(second);
  const auto r = load("api-keys:\n  claude:\n    - {base-url: https://a.example, models: [{name: "
                      "m1}], keys: [{api-key: k}]}\n    - " + second);
  REQUIRE(r.snapshot);
  CHECK(r.snapshot->credentials.keys.size() == 2);
  CHECK((findings(r).find("same api-key") != std::string::npos) == reported);
}

TEST_CASE("an entry without keys on purpose is no repetition, an empty api-key is reported") {
  CHECK(findings("claude-api-key: [{base-url: http://a.example}, {base-url: http://a.example}]")
            .empty());
  CHECK(findings("claude-api-key: [{base-url: http://a.example, api-key: \"${EMPTY_NAME}\"}]") ==
        "f:1:56: warning: claude-api-key[0].api-key: is empty: requests carry no key; leave it out "
        "if that is meant\n");
}

TEST_CASE("an openai-compatibility provider without keys is one credential without a key") {
  const auto older = entries("openai-compatibility: [{name: local, base-url: http://127.0.0.1:1}]");
  REQUIRE(older.size() == 1);
  CHECK(older[0].api_key.empty());
  CHECK(older[0].name == "local");
  CHECK(entries("api-keys: {openai-compatibility: [{name: local, base-url: http://127.0.0.1:1}]}")
            .size() == 1);
}

TEST_CASE("keys of an openai-compatibility group carry only key, weight and proxy") {
  const auto text = findings(R"(api-keys:
  openai-compatibility:
    - base-url: https://compat.example
      models: [{name: m}]
      keys: [{api-key: k, weight: 2, proxy-url: direct, priority: 1}]
)");
  CHECK(text ==
        "f:5:57: error: api-keys.openai-compatibility[0].keys[0].priority: priority belongs to the "
        "group, not to a key\n");
}

TEST_CASE("a v8 family replaces the older list of that family only") {
  const auto r = load(R"(
claude-api-key: [{api-key: sk-older-claude}]
gemini-api-key: [{api-key: sk-older-gemini}]
api-keys:
  claude: []
)");
  REQUIRE(r.snapshot);
  REQUIRE(r.snapshot->credentials.keys.size() == 1);
  CHECK(r.snapshot->credentials.keys[0].provider == provider::kind::gemini);
  CHECK_THAT(findings(r), ContainsSubstring("f:2:1: warning: claude-api-key: ignored, because "
                                            "api-keys.claude is set at line 5"));
}

TEST_CASE("names of entries count from one in both layouts") {
  const auto list = entries(R"(
api-keys:
  claude:
    - {keys: [{api-key: sk-sample-1}, {api-key: sk-sample-2}]}
    - {keys: [{api-key: sk-sample-3}]}
gemini-api-key: [{api-key: sk-sample-4}]
)");
  REQUIRE(list.size() == 4);
  CHECK(list[0].name == "claude-1");
  CHECK(list[1].name == "claude-1");
  CHECK(list[2].name == "claude-2");
  CHECK(list[3].name == "gemini-1");
}

TEST_CASE("excluded models are lower case, unique, and a lone star disables the entry") {
  const auto list = entries(R"(
claude-api-key:
  - {api-key: sk-sample-1, excluded-models: [" Model-A ", model-a, "*B", ""]}
  - {api-key: sk-sample-2, excluded-models: ["*"]}
)");
  CHECK(list[0].excluded_models == std::vector<std::string>{"model-a", "*b"});
  CHECK_FALSE(list[0].disabled);
  CHECK(list[1].disabled);
}

TEST_CASE("a weight below zero counts as zero") {
  CHECK(entries("claude-api-key: [{api-key: k, weight: -3}]")[0].weight == 0);
}

TEST_CASE("models tell lists about themselves, and a fork is for accounts") {
  const auto list = entries(
      "claude-api-key: [{api-key: k, models: [{name: m, alias: a, display-name: A Model, "
      "max-context-length: 5, input-modalities: [text, image], output-modalities: [text], "
      "thinking: {levels: [low, high], min: 1, max: 9, zero-allowed: true}}]}]");
  CHECK(list[0].models[0] ==
        provider::model_entry{"m", "a", false, false, "A Model", 5, {"text", "image"}, {"text"},
                              provider::model_thinking{{"low", "high"}, 1, 9, true, false}});
  CHECK_THAT(findings("claude-api-key: [{api-key: k, models: [{name: m, fork: true}]}]"),
             ContainsSubstring("models[0].fork: not supported"));
  CHECK_THAT(findings("claude-api-key: [{api-key: k, models: [{name: m, input-modalities: [smell]}]}]"),
             ContainsSubstring("unknown value \"smell\""));
}

TEST_CASE("channel maps keep their order and drop useless aliases") {
  const auto r = load(R"(
oauth:
  model-alias:
    Claude:
      - {name: m1, alias: a1, fork: true, display-name: One, max-context-length: 9000}
      - {name: m2, alias: A1}
      - {name: m3, alias: m3}
    codex: [{name: m4, alias: a4, force-mapping: true}]
    aistudio: [{name: m5, alias: a5}]
  request-scoped-errors:
    codex: [{status: 400, match: [" As Is "], match-regexr: ["a.*b"], action: continue}]
)");
  REQUIRE(r.snapshot);
  const auto& aliases = r.snapshot->credentials.oauth_model_aliases;
  REQUIRE(aliases.size() == 2);
  CHECK(aliases[0].first == provider::kind::claude);
  CHECK(aliases[0].second ==
        provider::model_entry{"m1", "a1", false, true, "One", 9000, {}, {}, {}});
  CHECK(aliases[1].second.force_mapping);
  const auto& rules = r.snapshot->credentials.oauth_error_rules;
  REQUIRE(rules.size() == 1);
  CHECK(rules[0].second.match == std::vector<std::string>{" As Is "});
  const auto text = findings(r);
  CHECK_THAT(text, ContainsSubstring("oauth.model-alias: \"A1\": a repeated alias is dropped"));
  CHECK_THAT(text, ContainsSubstring("oauth.model-alias: \"m3\": an alias equal to its name"));
  CHECK_THAT(text, ContainsSubstring("oauth.model-alias.aistudio: channel not supported"));
}

TEST_CASE("a regular expression that does not compile is an error") {
  CHECK_THAT(
      findings("oauth: {request-scoped-errors: {codex: [{status: 400, match-regexr: [\"a(\"], "
               "action: stop}]}}"),
      ContainsSubstring("match-regexr[0]: not a valid regular expression: missing )"));
}
