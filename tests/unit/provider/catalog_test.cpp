#include "provider/catalog.hpp"

#include <algorithm>

#include "provider/provider.hpp"
#include "tests/support/catch.hpp"

using namespace tidegate;
using namespace tidegate::provider;

namespace {

using names = std::vector<std::string>;

credential key_of(kind provider, std::string id, std::vector<model_entry> models = {}) {
  credential who;
  who.id.value = std::move(id);
  who.provider = provider;
  who.provider_name = to_string(provider);
  who.auth = auth_kind::api_key;
  who.models = std::move(models);
  return who;
}

credential account_of(kind provider, std::string id, std::vector<model_entry> aliases = {}) {
  auto who = key_of(provider, std::move(id), std::move(aliases));
  who.auth = auth_kind::account;
  return who;
}

catalog catalog_of(std::vector<credential> credentials, bool force_prefix = false) {
  std::vector<credential_ptr> shared;
  for (auto& who : credentials)
    shared.push_back(std::make_shared<const credential>(std::move(who)));
  quota::routing_options routing;
  routing.force_model_prefix = force_prefix;
  return {std::move(shared), routing};
}

/// `id>upstream,upstream` of each member.
names members(const catalog& of, std::string_view model) {
  names out;
  const auto found = of.find(model);
  if (!found) return out;
  for (const auto& member : found->members) {
    std::string text = member.credential->id.value + ">";
    for (const auto& upstream : member.upstream_models) {
      text += (text.ends_with('>') ? "" : ",") + upstream;
    }
    out.push_back(text);
  }
  return out;
}

names listed(const catalog& of) {
  names out;
  for (const auto& model : of.models()) out.push_back(model.id);
  return out;
}

bool has(const names& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

constexpr auto compat = kind::openai_compatibility;

}  // namespace

TEST_CASE("a configured model is found by its alias and by its own name") {
  const auto of = catalog_of({key_of(compat, "a", {{"big-1", "big", true}})});
  CHECK(members(of, "big") == names{"a>big-1"});
  CHECK(members(of, "big-1") == names{"a>big-1"});
  CHECK(of.find("big")->members[0].force_mapping);
  CHECK_FALSE(of.find("big-1")->members[0].force_mapping);
  CHECK(of.find("big")->model == "big");
  CHECK_FALSE(of.find("small").has_value());
  CHECK_FALSE(of.find("").has_value());
  CHECK(listed(of) == names{"big"});
  CHECK(of.models()[0].owned_by == "openai-compatibility");
}

TEST_CASE("matching ignores case and the thinking suffix") {
  const auto of = catalog_of({key_of(compat, "a", {{"Vendor/Big-1", "Big", false}})});
  const auto* const asked =
      GENERATE("big", "BIG", "Big(high)", " big ( 1024 ) ", "vendor/big-1", "VENDOR/BIG-1(low)");
  CAPTURE(asked);
  CHECK(members(of, asked) == names{"a>Vendor/Big-1"});
  CHECK(of.find("BIG(high)")->model == "Big");
}

TEST_CASE("several names behind one alias are one member's pool, in the order of the file") {
  const auto of = catalog_of({key_of(compat, "a",
                                     {{"z-1", "pool", false},
                                      {"y-1", "Pool", true},
                                      {"z-1", "pool", false},
                                      {"x-1", "x-1", false}})});
  CHECK(members(of, "pool") == names{"a>z-1,y-1"});
  CHECK(of.find("pool")->members[0].force_mapping);
  CHECK(members(of, "y-1") == names{"a>y-1"});
  CHECK(listed(of) == names{"pool", "x-1"});
}

TEST_CASE("an alias pool has a bound") {
  std::vector<model_entry> models;
  for (std::size_t i = 0; i < alias_pool_max + 10; ++i) {
    models.push_back({"name-" + std::to_string(i), "pool", false});
  }
  const auto of = catalog_of({key_of(compat, "a", models)});
  CHECK(of.find("pool")->members[0].upstream_models.size() == alias_pool_max);
}

TEST_CASE("an alias wins over another entry's own name") {
  const auto of = catalog_of(
      {key_of(compat, "a", {{"small-1", "second", false}, {"big-1", "small-1", false}})});
  CHECK(members(of, "small-1") == names{"a>big-1"});
  CHECK(members(of, "second") == names{"a>small-1"});
}

TEST_CASE("a name with its own suffix is reached by its alias only") {
  const auto of = catalog_of({key_of(compat, "a", {{"big-1(high)", "deep", false}})});
  CHECK(members(of, "deep") == names{"a>big-1(high)"});
  CHECK(members(of, "big-1").empty());
}

TEST_CASE("members are ordered by id, whatever the order of the configuration") {
  const auto of = catalog_of({key_of(compat, "c", {{"m", "m", false}}),
                              key_of(compat, "B", {{"m", "m", false}}),
                              key_of(compat, "a", {{"n", "m", false}})});
  CHECK(members(of, "m") == names{"B>m", "a>n", "c>m"});
  CHECK(of.credentials().size() == 3);
  CHECK(of.credentials()[0]->id.value == "c");
}

TEST_CASE("disabled credentials are left out, those that the life cycle ended stay") {
  auto off = key_of(compat, "a", {{"m", "m", false}, {"gone", "gone", false}});
  off.disabled = true;
  auto ended = key_of(compat, "b", {{"m", "m", false}});
  ended.status_disabled = true;
  const auto of = catalog_of({off, ended});
  CHECK(members(of, "m") == names{"b>m"});
  CHECK_FALSE(of.find("gone").has_value());
  CHECK(listed(of) == names{"m"});
}

TEST_CASE("a prefix adds a second name, and replaces the first where it is forced") {
  auto who = key_of(compat, "a", {{"m", "m", false}, {"team", "team", false}});
  who.prefix = "team";
  const auto plain = key_of(compat, "b", {{"m", "m", false}});
  const auto relaxed = catalog_of({who, plain});
  CHECK(members(relaxed, "m") == names{"a>m", "b>m"});
  CHECK(members(relaxed, "Team/M(high)") == names{"a>m"});
  CHECK(members(relaxed, "other/m").empty());
  CHECK(listed(relaxed) == names{"m", "team", "team/m", "team/team"});
  const auto forced = catalog_of({who, plain}, true);
  CHECK(members(forced, "m") == names{"b>m"});
  CHECK(members(forced, "team/m") == names{"a>m"});
  CHECK(members(forced, "team") == names{"a>team"});
}

TEST_CASE("excluded models are neither served nor listed") {
  auto who =
      key_of(compat, "a",
             {{"big-1", "big", false}, {"old-1", "fine", false}, {"new-1", "old-name", false}});
  who.excluded_models = {"old-*"};
  const auto of = catalog_of({who});
  CHECK(listed(of) == names{"big"});
  CHECK_FALSE(of.find("fine").has_value());
  CHECK_FALSE(of.find("old-1").has_value());
  CHECK_FALSE(of.find("old-name").has_value());
  CHECK(members(of, "new-1") == names{"a>new-1"});
}

TEST_CASE("a credential without models list serves its provider's families") {
  const auto of =
      catalog_of({key_of(kind::codex, "a"), key_of(kind::claude, "b"), key_of(compat, "c")});
  CHECK(members(of, "GPT-5(high)") == names{"a>gpt-5"});
  CHECK(members(of, "gpt-99-unlisted") == names{"a>gpt-99-unlisted"});
  CHECK(of.find("GPT-5")->model == "gpt-5");
  CHECK(members(of, "claude-unlisted-9") == names{"b>claude-unlisted-9"});
  CHECK_FALSE(of.find("llama-3").has_value());
  const auto list = listed(of);
  for (const auto model : descriptor_of(kind::codex).listed_models) {
    CHECK(has(list, std::string{model}));
  }
  CHECK(std::is_sorted(list.begin(), list.end()));
  CHECK(std::adjacent_find(list.begin(), list.end()) == list.end());
}

TEST_CASE("a key with a models list serves nothing else, an account serves its families too") {
  const auto of = catalog_of({key_of(kind::codex, "a", {{"gpt-5", "fast", false}}),
                              account_of(kind::codex, "b", {{"gpt-6", "fast", false}})});
  CHECK(members(of, "fast") == names{"a>gpt-5", "b>gpt-6"});
  CHECK(members(of, "gpt-5") == names{"a>gpt-5", "b>gpt-5"});
  CHECK(members(of, "gpt-7") == names{"b>gpt-7"});
}

TEST_CASE("an alias that hides a family name wins over the family") {
  const auto of = catalog_of(
      {account_of(kind::codex, "a", {{"gpt-6", "gpt-5", true}}), account_of(kind::codex, "b")});
  CHECK(members(of, "gpt-5") == names{"a>gpt-6", "b>gpt-5"});
}

TEST_CASE("families respect prefixes and exclusions") {
  auto teamed = account_of(kind::codex, "a");
  teamed.prefix = "Team";
  auto limited = account_of(kind::codex, "b");
  limited.excluded_models = {"gpt-5*"};
  const std::vector<credential> all{teamed, limited, account_of(kind::codex, "c")};
  const auto relaxed = catalog_of(all);
  CHECK(members(relaxed, "gpt-5") == names{"a>gpt-5", "c>gpt-5"});
  CHECK(members(relaxed, "gpt-6") == names{"a>gpt-6", "b>gpt-6", "c>gpt-6"});
  CHECK(members(relaxed, "team/gpt-5") == names{"a>gpt-5"});
  CHECK(members(relaxed, "other/gpt-5").empty());
  const auto forced = catalog_of(all, true);
  CHECK(members(forced, "gpt-6") == names{"b>gpt-6", "c>gpt-6"});
  CHECK(members(forced, "team/gpt-6") == names{"a>gpt-6"});
  const auto list = listed(catalog_of({teamed}, true));
  CHECK_FALSE(list.empty());
  for (const auto& name : list) CHECK(name.starts_with("Team/"));
}

TEST_CASE("an alias that is written with a suffix serves exactly that name") {
  const auto all = catalog_of({key_of(kind::codex, "a",
                                      {{.name = "big", .alias = "m"},
                                       {.name = "small", .alias = "m(Low)"}})});
  CHECK(members(all, "M(low)") == names{"a>small"});
  CHECK(members(all, "m(high)") == names{"a>big"});
  CHECK(members(all, "m") == names{"a>big"});
  CHECK(all.key_of(" M(low)") == "m(low)");
  CHECK(all.key_of("M(high)") == "m");
  CHECK(listed(all) == names{"m", "m(Low)"});
}

TEST_CASE("one model can be served by several providers") {
  const auto of = catalog_of(
      {key_of(compat, "z", {{"acme/gpt", "gpt-5", false}}), account_of(kind::codex, "a")});
  CHECK(members(of, "gpt-5") == names{"a>gpt-5", "z>acme/gpt"});
  CHECK(has(listed(of), "gpt-5"));
}

TEST_CASE("ten thousand credentials are catalogued and found") {
  std::vector<credential> many;
  for (int i = 0; i < 10'000; ++i) {
    auto who = i % 2 == 0 ? account_of(kind::codex, "f" + std::to_string(i))
                          : key_of(compat, "k" + std::to_string(i), {{"m", "shared", false}});
    who.excluded_models = {"old-" + std::to_string(i)};
    many.push_back(std::move(who));
  }
  const auto of = catalog_of(std::move(many));
  CHECK(of.find("shared")->members.size() == 5'000);
  CHECK(of.find("gpt-5")->members.size() == 5'000);
}

TEST_CASE("an account's alias takes the place of its name, unless an alias of it is a fork") {
  const model_entry taken{"gpt-6", "fast", false};
  const model_entry kept{.name = "gpt-6", .alias = "fast", .fork = true};
  const auto replaced = catalog_of({account_of(kind::codex, "a", {taken})});
  CHECK(members(replaced, "fast") == names{"a>gpt-6"});
  CHECK(members(replaced, "gpt-6").empty());
  CHECK(members(replaced, "gpt-7") == names{"a>gpt-7"});
  const auto forked = catalog_of({account_of(kind::codex, "a", {kept})});
  CHECK(members(forked, "fast") == names{"a>gpt-6"});
  CHECK(members(forked, "gpt-6") == names{"a>gpt-6"});
  const auto twice =
      catalog_of({account_of(kind::codex, "a", {{"gpt-6", "slow", false}, kept})});
  CHECK(members(twice, "slow") == names{"a>gpt-6"});
  CHECK(members(twice, "gpt-6") == names{"a>gpt-6"});
  const auto both =
      catalog_of({account_of(kind::codex, "a", {taken}), account_of(kind::codex, "b")});
  CHECK(members(both, "gpt-6") == names{"b>gpt-6"});
  auto hidden = account_of(kind::codex, "a", {taken});
  hidden.excluded_models = {"fast"};
  CHECK(members(catalog_of({hidden}), "gpt-6") == names{"a>gpt-6"});
  const auto key = catalog_of({key_of(kind::codex, "a", {taken})});
  CHECK(members(key, "gpt-6") == names{"a>gpt-6"});
}

TEST_CASE("a listed alias replaces its name in the list, a fork stands beside it") {
  const std::string name{descriptor_of(kind::codex).listed_models.front()};
  const auto replaced = listed(catalog_of({account_of(kind::codex, "a", {{name, "mine", false}})}));
  CHECK(has(replaced, "mine"));
  CHECK_FALSE(has(replaced, name));
  const model_entry fork{.name = name, .alias = "mine", .fork = true};
  const auto beside = listed(catalog_of({account_of(kind::codex, "a", {fork})}));
  CHECK(has(beside, "mine"));
  CHECK(has(beside, name));
}

TEST_CASE("a listed model tells what stands behind it") {
  model_entry first{"big-1", "big", false};
  first.display_name = "Big";
  const auto of = catalog_of({key_of(compat, "a", {first, {"big-2", "big", false}})});
  REQUIRE(of.models().size() == 1);
  CHECK(of.models()[0].behind.name == "big-1");
  CHECK(of.models()[0].behind.display_name == "Big");
  CHECK(of.models()[0].provider == compat);
  const auto family = catalog_of({account_of(kind::claude, "a")});
  CHECK(family.models()[0].behind.name == family.models()[0].id);
}
