#include "provider/auto_model.hpp"

#include "tests/support/catch.hpp"

using namespace tidegate;
using namespace tidegate::provider;
using protocol::surface;

namespace {

catalog catalog_of(std::vector<std::pair<kind, model_entry>> models) {
  std::vector<credential_ptr> all;
  for (auto& [of, entry] : models) {
    auto who = std::make_shared<credential>();
    who->id.value = std::to_string(all.size());
    who->provider = of;
    who->models.push_back(std::move(entry));
    all.push_back(std::move(who));
  }
  return {std::move(all), quota::routing_options{}};
}

}  // namespace

TEST_CASE("auto is the newest listed model of the surface's own protocol, else of any") {
  const auto of = catalog_of({{kind::codex, {"gpt-5", "old", false}},
                              {kind::codex, {"gpt-5.4", "new", false}},
                              {kind::codex, {"unheard-of", "unknown", false}},
                              {kind::claude, {"claude-opus-4-1", "claude-old", false}},
                              {kind::claude, {"claude-opus-4-6", "claude-new", false}}});
  CHECK(chosen_model(of, "auto", surface::responses) == "new");
  CHECK(chosen_model(of, "Auto(high)", surface::responses) == "new(high)");
  CHECK(chosen_model(of, "auto", surface::messages) == "claude-new");
  const auto elsewhere = chosen_model(of, "auto", surface::gemini_generate);
  CHECK((elsewhere == "new" || elsewhere == "claude-new"));
  CHECK(chosen_model(of, "old", surface::responses) == "old");
  CHECK(chosen_model(of, "automatic", surface::responses) == "automatic");
}

TEST_CASE("a configured name auto is that model, and without models auto stays") {
  const auto named = catalog_of(
      {{kind::codex, {"gpt-5", "auto", false}}, {kind::codex, {"gpt-5.4", "new", false}}});
  CHECK(chosen_model(named, "auto", surface::responses) == "auto");
  CHECK(chosen_model(catalog_of({}), "auto", surface::responses) == "auto");
}
