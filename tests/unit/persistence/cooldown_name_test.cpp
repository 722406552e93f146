#include <rapidcheck.h>

#include <string>

#include "persistence/cooldown_file.hpp"
#include "tests/support/catch.hpp"

using namespace tidegate;
using namespace tidegate::persistence;

namespace {

std::optional<std::string> name_of(std::string_view file) {
  return cooldown_file_name(credential_id{"unused"}, file);
}

std::optional<std::string> name_of_id(std::string id) {
  return cooldown_file_name(credential_id{std::move(id)}, "");
}

}  // namespace

TEST_CASE("a credential file's cooldowns lie beside it") {
  CHECK(name_of("bob.json") == "bob.cds");
  CHECK(name_of("team/alice@x.json") == "team/alice_x.cds");
  CHECK(name_of("codex-0a1b2c3d-eve@example.com-plus.json") ==
        "codex-0a1b2c3d-eve_example.com-plus.cds");
  CHECK(name_of("a//./b/c d  e.json") == "a/b/c_d_e.cds");
  CHECK(name_of("_-x-_.json") == "x.cds");
  CHECK(name_of(".hidden.json") == "hidden.cds");
  CHECK(name_of("bob") == "bob.cds");
  CHECK(name_of("/elsewhere/bob.json") == "bob.cds");
}

TEST_CASE("a path that leaves the root or leaves nothing has no name") {
  const auto* const file = GENERATE("..", "../bob.json", "a/../../bob.json", "a/../bob.json",
                                    "/../bob.json", "a/", "@.json", "...json", "team/___.json");
  CAPTURE(file);
  CHECK_FALSE(name_of(file));
  CHECK_FALSE(name_of(std::string_view{"a\0b.json", 8}));
  CHECK_FALSE(name_of(std::string(5000, 'a')));
}

TEST_CASE("an id from the configuration becomes a plain name") {
  CHECK(name_of_id("codex:0a1b2c3d4e5f") == "codex_0a1b2c3d4e5f.cds");
  CHECK(name_of_id("openai-compatibility:acme.ai:0a1b2c3d4e5f-1") ==
        "openai-compatibility_acme.ai_0a1b2c3d4e5f-1.cds");
  CHECK_FALSE(name_of_id(":::"));
  CHECK_FALSE(name_of_id(""));
}

TEST_CASE("an id that loses characters gets a hash, so that two ids never share a file") {
  const auto spaced = name_of_id("openai-compatibility:my provider:0a1b2c3d4e5f");
  const auto slashed = name_of_id("openai-compatibility:my/provider:0a1b2c3d4e5f");
  REQUIRE(spaced.has_value());
  CHECK(spaced->starts_with("openai-compatibility_my_provider_0a1b2c3d4e5f-"));
  CHECK(spaced != slashed);
}

TEST_CASE("a name never grows beyond what file systems allow") {
  const auto first = name_of(std::string(400, 'a') + "1.json");
  const auto second = name_of(std::string(400, 'a') + "2.json");
  REQUIRE(first.has_value());
  CHECK(first->size() < 255);
  CHECK(first != second);
}

TEST_CASE("a name of any id or path stays below the root") {
  REQUIRE(rc::check("names are contained", [](const std::string& text) {
    for (const auto& name : {name_of(text), name_of_id(text)}) {
      if (!name) continue;
      RC_ASSERT(name->ends_with(".cds"));
      RC_ASSERT(!name->starts_with('/'));
      RC_ASSERT(("/" + *name).find("/../") == std::string::npos);
    }
  }));
}
