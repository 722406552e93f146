#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/unit/actors/actor_world.hpp"

namespace tidegate::actors::test {
namespace {

quota::routing_options usage_limit_mode() {
  quota::routing_options routing;
  routing.retry.request_retry = 0;
  routing.cooldown.mode = quota::response_mode::usage_limit;
  return routing;
}

void use_up(actor_world& world, instant until) {
  auto [run, step] = world.begin();
  REQUIRE(step->given);
  (void)world.ask<step_ptr>(run, failed_atom_v, world.ended(step, used_up(until)));
}

std::vector<credential_actor> actors_of(actor_world& world) {
  return *world.ask<std::vector<credential_actor>>(world.gateway, view_atom_v);
}

}  // namespace

TEST_CASE("a crashed credential comes back with its cooldown and its evidence") {
  actor_world world{{codex_key("a")}, usage_limit_mode()};
  use_up(world, t0 + 2h);
  const auto before = actors_of(world).front();
  caf::anon_send_exit(before, caf::exit_reason::unhandled_exception);
  world.drain();
  world.advance(restart_delay);
  CHECK(actors_of(world).front() != before);
  const auto step = world.begin().second;
  REQUIRE(step);
  CHECK(step->verdict.kind == quota::verdict_kind::usage_limit);
  CHECK(step->verdict.reset_at == t0 + 2h);
}

TEST_CASE("a crashed pool comes back and still serves") {
  actor_world world{{codex_key("a")}, usage_limit_mode()};
  const auto before = world.pool();
  caf::anon_send_exit(before, caf::exit_reason::unhandled_exception);
  world.drain();
  world.advance(restart_delay);
  CHECK(world.pool() != before);
  CHECK(served_by(world.begin().second) == "a");
}

TEST_CASE("a crashed executor settles its lease, so nothing stays in flight") {
  actor_world world{{codex_key("a")}, usage_limit_mode()};
  auto [run, step] = world.begin();
  caf::anon_send_exit(run, caf::exit_reason::unhandled_exception);
  world.drain();
  const auto view = world.ask<credential_view_ptr>(actors_of(world).front(), view_atom_v);
  CHECK((*view)->in_flight == 0);
}

TEST_CASE("cooldowns and rotation survive a reload that changes something else") {
  actor_world world{{codex_key("a"), codex_key("b")}, usage_limit_mode()};
  use_up(world, t0 + 2h);
  world.settings.requests.passthrough_headers = true;
  world.apply({codex_key("a"), codex_key("b")});
  for (int i = 0; i < 3; ++i) CHECK(served_by(world.begin().second) == "b");
}

TEST_CASE("the answer mode changes live with a reload [T7]") {
  actor_world world{{codex_key("a")}, usage_limit_mode()};
  use_up(world, t0 + 2h);
  world.settings.routing.cooldown.mode = quota::response_mode::retryable;
  world.apply({codex_key("a")});
  CHECK(world.begin().second->verdict.kind == quota::verdict_kind::model_cooldown);
  world.settings.routing.cooldown.mode = quota::response_mode::usage_limit;
  world.apply({codex_key("a")});
  CHECK(world.begin().second->verdict.kind == quota::verdict_kind::usage_limit);
}

TEST_CASE("turning cooling off by reload wipes cooldowns [T50]") {
  actor_world world{{codex_key("a")}, usage_limit_mode()};
  use_up(world, t0 + 2h);
  world.settings.routing.cooldown.disable_cooling = true;
  world.apply({codex_key("a")});
  CHECK(served_by(world.begin().second) == "a");
}

TEST_CASE("a new secret under the same id starts without the old cooldowns") {
  actor_world world{{codex_key("a")}, usage_limit_mode()};
  use_up(world, t0 + 2h);
  auto renewed = codex_key("a");
  renewed.secret = secret_string{"another-key"};
  world.apply({renewed});
  CHECK(served_by(world.begin().second) == "a");
}

TEST_CASE("a removed credential is never used again and its saved cooldowns go") {
  actor_world world{{codex_key("a"), codex_key("b")}, usage_limit_mode()};
  use_up(world, t0 + 2h);
  CHECK_FALSE(world.store->saved.at({"a"})->record.blocks.empty());
  world.apply({codex_key("b")});
  CHECK(world.store->saved.at({"a"})->record.blocks.empty());
  for (int i = 0; i < 3; ++i) CHECK(served_by(world.begin().second) == "b");
}

TEST_CASE("an operator's reset reopens a credential at once [T49]") {
  actor_world world{{codex_key("a")}, usage_limit_mode()};
  use_up(world, t0 + 2h);
  const auto view =
      world.ask<credential_view_ptr>(world.gateway, clear_atom_v, credential_id{"a"}, std::string{});
  REQUIRE(view);
  CHECK((*view)->blocks.empty());
  CHECK(served_by(world.begin().second) == "a");
}

TEST_CASE("a credential that the operator disabled is skipped, not counted, and stays so [T54]") {
  actor_world world{{codex_key("a"), codex_key("b")}, usage_limit_mode()};
  REQUIRE(world.ask<switch_answer>(world.gateway, switch_atom_v, credential_id{"b"}, true));
  use_up(world, t0 + 2h);
  CHECK(world.begin().second->verdict.kind == quota::verdict_kind::usage_limit);
  world.apply({codex_key("a"), codex_key("b")});
  CHECK(world.begin().second->verdict.kind == quota::verdict_kind::usage_limit);
  CHECK(world.store->operator_switches.at({"b"}));
  REQUIRE(world.ask<switch_answer>(world.gateway, switch_atom_v, credential_id{"b"}, false));
  CHECK(served_by(world.begin().second) == "b");
}

TEST_CASE("an operator's switch that cannot be saved changes nothing") {
  actor_world world{{codex_key("a")}, usage_limit_mode()};
  world.store->disk->trouble = error{errc::io_failure, "no space left"};
  const auto answer =
      world.ask<switch_answer>(world.gateway, switch_atom_v, credential_id{"a"}, true);
  REQUIRE(answer);
  CHECK_FALSE(answer->view);
  REQUIRE(answer->why);
  CHECK(answer->why->detail == "no space left");
  CHECK(served_by(world.begin().second) == "a");
  world.store->disk->trouble.reset();
  const auto again =
      world.ask<switch_answer>(world.gateway, switch_atom_v, credential_id{"a"}, true);
  REQUIRE(again);
  REQUIRE(again->view);
  CHECK(again->view->record->disabled);
}

TEST_CASE("a status-disabled credential is never picked and prevents a final answer [T55]") {
  auto dead = codex_key("b");
  dead.status_disabled = true;
  actor_world world{{codex_key("a"), dead}, usage_limit_mode()};
  use_up(world, t0 + 2h);
  const auto step = world.begin().second;
  REQUIRE(step);
  CHECK(step->what == step::kind::refuse);
  CHECK(step->verdict.kind != quota::verdict_kind::usage_limit);
}

TEST_CASE("fresh quota seen on one model reopens another of the same credential") {
  auto routing = usage_limit_mode();
  routing.cooldown.codex_model_level = true;
  auto key = codex_key("a");
  key.models = {{"gpt-x", "gpt-x", false}, {"gpt-y", "gpt-y", false}};
  actor_world world{{key}, routing};
  use_up(world, t0 + 2h);
  CHECK(served_by(world.begin().second) == "nobody");
  world.advance(60s);
  auto [run, step] = world.begin("gpt-y");
  REQUIRE(step->given);
  auto end = std::make_shared<settlement>(*world.ended(step, served()));
  quota::window_report report;
  report.source = "headers";
  report.observed_at = world.clock->now();
  report.windows.push_back({"primary", 3.0, std::chrono::minutes{300}, t0 + 5h, ""});
  end->windows = report;
  caf::anon_send(run, finish_atom_v, settlement_ptr{end});
  world.drain();
  CHECK(served_by(world.begin().second) == "a");
}

TEST_CASE("the live tree names gateway, pools, credentials and running executors") {
  actor_world world{{codex_key("a")}, usage_limit_mode()};
  auto [run, step] = world.begin();
  const auto watcher = world.system().spawn(
      inspector, world.gateway,
      std::vector<caf::actor>{caf::actor_cast<caf::actor>(world.gateway)});
  const auto text = world.ask<std::string>(watcher, tree_atom_v);
  REQUIRE(text);
  CHECK_THAT(*text, ContainsSubstring(R"("actor": "gateway")"));
  CHECK_THAT(*text, ContainsSubstring(R"("actor": "pool")"));
  CHECK_THAT(*text, ContainsSubstring(R"("actor": "credential")"));
  CHECK_THAT(*text, ContainsSubstring(R"("actor": "executor")"));
  const auto views = world.ask<credential_views_ptr>(watcher, view_atom_v);
  REQUIRE(views);
  CHECK((*views)->size() == 1);
  caf::anon_send_exit(watcher, caf::exit_reason::user_shutdown);
  world.drain();
}

}  // namespace tidegate::actors::test
