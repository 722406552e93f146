#pragma once
/// Accounts whose tokens end, and a token endpoint that gives out new ones as Codex's does.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/time_text.hpp"
#include "provider/credential.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/actors/actor_world.hpp"

namespace tidegate::actors::test {

inline std::string account_text(const std::string& access, const std::string& refresh,
                                instant expires) {
  return nlohmann::json{{"type", "codex"},
                        {"email", "someone@example.com"},
                        {"account_id", "acct-1"},
                        {"access_token", access},
                        {"refresh_token", refresh},
                        {"expired", format_rfc3339(expires)},
                        {"model_aliases", {{{"name", "gpt-5.4"}, {"alias", "gpt-x"}}}}}
      .dump();
}

inline provider::credential account(const std::string& file, const std::string& text) {
  auto record = provider::from_file(file, "/accounts/" + file, text, {});
  REQUIRE(record);
  return *record;
}

/// One world with the account `a.json`, whose token `access-1` ends at `expires`.
struct account_world {
  explicit account_world(instant expires, quota::routing_options routing = {})
      : account_world(std::make_shared<memory_disk>(), expires, routing) {}

  account_world(const std::shared_ptr<memory_disk>& disk, instant expires,
                quota::routing_options routing = {})
      : world({account("a.json", with_file(disk, expires))}, routing, disk) {}

  static std::string with_file(const std::shared_ptr<memory_disk>& disk, instant expires) {
    return disk->files.try_emplace("a.json", account_text("access-1", "refresh-1", expires))
        .first->second;
  }

  std::string file() const { return world.store->disk->files.at("a.json"); }
  void rename(const std::string& to) {
    auto& disk = *world.store->disk;
    disk.files[to] = file();
    disk.files.erase("a.json");
    disk.renamed["a.json"] = to;
  }
  std::size_t asked() const { return world.tokens->total; }

  /// Answers the oldest open request.
  void answer(int status, const std::string& body) {
    REQUIRE_FALSE(world.tokens->open.empty());
    auto next = std::move(world.tokens->open.front());
    world.tokens->open.pop_front();
    next.answer(provider::plain_reply{status, {}, secret_string{body}});
    world.drain();
  }
  void give(const std::string& access, const std::string& refresh,
            std::chrono::seconds life = 3600s) {
    answer(200,
           nlohmann::json{
               {"access_token", access}, {"refresh_token", refresh}, {"expires_in", life.count()}}
               .dump());
  }
  void reject() { answer(400, R"({"error":"invalid_grant"})"); }

  credential_view_ptr view() {
    const auto all = world.ask<std::vector<credential_actor>>(world.gateway, view_atom_v);
    REQUIRE(all);
    REQUIRE(all->size() == 1);
    return *world.ask<credential_view_ptr>(all->front(), view_atom_v);
  }

  /// What the renewer says of itself.
  nlohmann::json renewer() {
    const auto tree = world.ask<inspection>(world.gateway, inspect_atom_v);
    REQUIRE(tree);
    for (const auto& child : tree->children) {
      const auto said = world.ask<inspection>(child, inspect_atom_v);
      auto found = nlohmann::json::parse(said ? said->json : "{}");
      if (found.value("actor", "") == "renewer") return found;
    }
    return {};
  }

  actor_world world;
};

inline std::string token_of(const step_ptr& step) {
  return step && step->given ? std::string{step->given->who->secret.reveal()} : "none";
}

}  // namespace tidegate::actors::test
