#include "provider/credential.hpp"

#include <set>

#include "tests/support/catch.hpp"

using namespace tidegate;
using namespace tidegate::provider;

namespace {

key_entry codex_key() {
  key_entry entry;
  entry.provider = kind::codex;
  entry.api_key = secret_string{"sk-invented-1"};
  entry.base_url = "https://codex.example/v1";
  return entry;
}

key_entry acme_key() {
  key_entry entry;
  entry.provider = kind::openai_compatibility;
  entry.name = "Acme AI";
  entry.api_key = secret_string{"sk-invented-2"};
  entry.base_url = "https://acme.example/v1";
  return entry;
}

std::vector<credential> made_of(std::vector<key_entry> keys) {
  credential_options options;
  options.keys = std::move(keys);
  return from_config(options);
}

std::string id_of(const key_entry& entry) {
  return made_of({entry}).at(0).id.value;
}

}  // namespace

TEST_CASE("an id is the kind and the hash of its NUL-separated parts") {
  CHECK(id_of(codex_key()) == "codex:3abccc55960f");
  auto full = codex_key();
  full.proxy_url = secret_string{"http://proxy.example:3128"};
  full.prefix = " team ";
  full.headers = {{"X-B", " 2"}, {"a", "1"}};
  CHECK(id_of(full) == "codex:88571167c476");
  std::swap(full.headers[0], full.headers[1]);
  CHECK(id_of(full) == "codex:88571167c476");
  key_entry claude;
  claude.provider = kind::claude;
  claude.api_key = secret_string{"sk-invented-3"};
  CHECK(id_of(claude) == "claude:7c92c92f4976");
}

TEST_CASE("a compatible provider's id has its name and neither prefix nor headers") {
  auto entry = acme_key();
  CHECK(id_of(entry) == "openai-compatibility:acme ai:f1b654b1a3ae");
  entry.prefix = "team";
  entry.headers = {{"a", "1"}};
  CHECK(id_of(entry) == "openai-compatibility:acme ai:f1b654b1a3ae");
  entry.api_key = {};
  entry.proxy_url = secret_string{"direct"};
  CHECK(id_of(entry) == "openai-compatibility:acme ai:8761ce69284b");
}

TEST_CASE("equal entries get numbered ids") {
  const auto made = made_of({codex_key(), acme_key(), codex_key(), codex_key()});
  REQUIRE(made.size() == 4);
  CHECK(made[0].id.value == "codex:3abccc55960f");
  CHECK(made[2].id.value == "codex:3abccc55960f-1");
  CHECK(made[3].id.value == "codex:3abccc55960f-2");
  CHECK(made[0].source == "config:codex[0]");
  CHECK(made[1].source == "config:openai-compatibility[0]");
  CHECK(made[3].source == "config:codex[2]");
}

TEST_CASE("thousands of equal entries stay unique") {
  const auto made = made_of(std::vector<key_entry>(5000, codex_key()));
  std::set<std::string> ids;
  for (const auto& record : made) ids.insert(record.id.value);
  CHECK(ids.size() == 5000);
}

TEST_CASE("the management handle hashes family, address and key") {
  CHECK(made_of({codex_key()}).at(0).auth_index == "9bad7e02723d82dc");
  CHECK(made_of({acme_key()}).at(0).auth_index == "c1b753a760be7104");
  CHECK(auth_index_of("codex:/var/lib/tidegate/team/bob.json") == "7d45665b9ab1bc0b");
}

TEST_CASE("entries without key and address are skipped") {
  auto empty = codex_key();
  empty.api_key = {};
  empty.base_url.clear();
  auto keyless = codex_key();
  keyless.api_key = {};
  auto nowhere = acme_key();
  nowhere.base_url.clear();
  const auto made = made_of({empty, keyless, nowhere, codex_key()});
  REQUIRE(made.size() == 2);
  CHECK(made[0].source == "config:codex[1]");
  CHECK(made[0].secret.empty());
  CHECK(made[1].source == "config:codex[2]");
}

TEST_CASE("an entry without address uses the provider's own") {
  struct row {
    kind provider;
    const char* url;
  };
  const auto each = GENERATE(row{kind::codex, "https://chatgpt.com/backend-api/codex"},
                             row{kind::claude, "https://api.anthropic.com"},
                             row{kind::gemini, "https://generativelanguage.googleapis.com"});
  key_entry entry;
  entry.provider = each.provider;
  entry.api_key = secret_string{"sk-invented-4"};
  CHECK(made_of({entry}).at(0).base_url == each.url);
  entry.base_url = " https://own.example/v1// ";
  CHECK(made_of({entry}).at(0).base_url == "https://own.example/v1");
}

TEST_CASE("an entry's settings are carried over") {
  auto entry = acme_key();
  entry.prefix = "/team/";
  entry.models = {{"big-1", "big", true}};
  entry.excluded_models = {" Old-* ", ""};
  entry.priority = -3;
  entry.weight = 7;
  entry.disabled = true;
  entry.disable_cooling = false;
  entry.request_retry = 2;
  entry.error_rules = {{429, {"busy"}, {}, "stop"}};
  const auto made = made_of({entry}).at(0);
  CHECK(made.provider_name == "Acme AI");
  CHECK(made.label == "Acme AI");
  CHECK(made.auth == auth_kind::api_key);
  CHECK(made.file.empty());
  CHECK(made.prefix == "team");
  CHECK(made.models == entry.models);
  CHECK(made.excluded_models == std::vector<std::string>{"old-*"});
  CHECK(made.priority == -3);
  CHECK(made.weight == 7);
  CHECK(made.disabled);
  CHECK_FALSE(made.status_disabled);
  CHECK(made.disable_cooling == false);
  CHECK(made.request_retry == 2);
  CHECK(made.error_rules == entry.error_rules);
}

TEST_CASE("out-of-range settings fall back to their safe values") {
  auto entry = codex_key();
  entry.prefix = "a/b";
  entry.weight = -1;
  entry.request_retry = -1;
  auto made = made_of({entry}).at(0);
  CHECK(made.prefix.empty());
  CHECK(made.weight == 0);
  CHECK_FALSE(made.request_retry.has_value());
  CHECK_FALSE(made.disable_cooling.has_value());
  entry.weight = 1'000'001;
  CHECK(made_of({entry}).at(0).weight == 0);
}
