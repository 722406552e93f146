/// When tokens are renewed and who waits for it. Rules: spec/config-management.md 5.3.

#include "actors/credential.hpp"
#include "tests/unit/actors/renewal_world.hpp"

namespace tidegate::actors::test {
namespace {

using quota::outcome_class;

settlement_ptr refused(account_world& at, const step_ptr& step) {
  return at.world.ended(step, failed_with(outcome_class::unauthorized, 401));
}

}  // namespace

TEST_CASE("an account's token is renewed before it ends") {
  account_world at{t0 + 24h * 10};
  at.world.advance(24h * 9);
  REQUIRE(at.asked() == 1);
  at.give("access-2", "refresh-2");
  CHECK(token_of(at.world.begin().second) == "access-2");
  CHECK(at.view()->token.state == "waiting");
  CHECK(at.view()->token.last_success == t0 + 24h * 9);
}

TEST_CASE("a token is also renewed while its account's quota is used up, which stays so") {
  quota::routing_options once;
  once.retry.request_retry = 0;
  account_world at{t0 + 24h * 10, once};
  auto [run, step] = at.world.begin();
  at.world.ask<step_ptr>(run, failed_atom_v, at.world.ended(step, used_up(t0 + 24h * 7)));
  at.world.advance(24h * 6);
  at.world.ask<credential_view_ptr>(at.world.gateway, renew_atom_v, credential_id{"a.json"});
  REQUIRE(at.asked() == 1);
  at.give("access-2", "refresh-2");
  CHECK(at.view()->record->secret.reveal() == "access-2");
  CHECK(at.view()->blocks.size() == 1);
}

TEST_CASE("requests wait for the renewal of a token that has ended, and one serves them all") {
  account_world at{t0 - 1s};
  const auto first = at.world.spawn_executor(at.world.profile());
  const auto second = at.world.spawn_executor(at.world.profile());
  caf::scoped_actor self{at.world.system()};
  auto one = self->request(first, caf::infinite, next_atom_v);
  auto two = self->request(second, caf::infinite, next_atom_v);
  at.world.drain();
  REQUIRE(at.asked() == 1);
  at.give("access-2", "refresh-2");
  const auto expect = [](const step_ptr& step) { CHECK(token_of(step) == "access-2"); };
  one.receive(expect, [](const caf::error&) { FAIL("no answer"); });
  two.receive(expect, [](const caf::error&) { FAIL("no answer"); });
  CHECK(at.asked() == 1);
}

TEST_CASE("a token that has ended again before it could be used is renewed once more") {
  account_world at{t0 - 1s};
  waiting_exchange asks{at.world};
  at.world.store->disk->on_write = [&at] { at.world.clock->advance(10s); };
  at.give("access-2", "refresh-2", 10s);
  REQUIRE(at.asked() == 2);
  at.give("access-3", "refresh-3");
  CHECK(token_of(asks.step()) == "access-3");
}

TEST_CASE("an endpoint whose tokens end at once is not asked again and again") {
  account_world at{t0 - 1s};
  waiting_exchange asks{at.world};
  at.world.store->disk->on_write = [&at] { at.world.clock->advance(10s); };
  for (int i = 0; i < renewals_per_grant_max; ++i) {
    at.give("access-x" + std::to_string(i), "refresh-x" + std::to_string(i), 10s);
  }
  CHECK(at.asked() == renewals_per_grant_max);
  CHECK(at.view()->token.state == "failed");
  asks.leave();
  CHECK(token_of(at.world.begin().second) == "none");
  CHECK(at.asked() == renewals_per_grant_max);
}

TEST_CASE("a refused token is renewed once and the same account tried again") {
  account_world at{t0 + 24h * 30};
  auto [run, step] = at.world.begin();
  REQUIRE(token_of(step) == "access-1");
  caf::scoped_actor self{at.world.system()};
  auto next = self->request(run, caf::infinite, failed_atom_v, refused(at, step));
  at.world.drain();
  REQUIRE(at.asked() == 1);
  at.give("access-2", "refresh-2");
  step_ptr again;
  next.receive([&](const step_ptr& got) { again = got; }, [](const caf::error&) {});
  REQUIRE(token_of(again) == "access-2");
  CHECK(at.view()->blocks.empty());
  const auto last = at.world.ask<step_ptr>(run, failed_atom_v, refused(at, again));
  REQUIRE(last);
  CHECK((*last)->what == step::kind::refuse);
  CHECK(at.asked() == 1);
  CHECK(at.view()->blocks.size() == 1);
}

TEST_CASE("a refused token that was replaced meanwhile is not renewed again") {
  account_world at{t0 + 24h * 30};
  auto [run, step] = at.world.begin();
  at.world.ask<credential_view_ptr>(at.world.gateway, renew_atom_v, credential_id{"a.json"});
  at.give("access-2", "refresh-2");
  const auto again = at.world.ask<step_ptr>(run, failed_atom_v, refused(at, step));
  REQUIRE(again);
  CHECK(token_of(*again) == "access-2");
  CHECK(at.asked() == 1);
  CHECK(at.view()->blocks.empty());
}

TEST_CASE("a rotated token is on disk before it is used") {
  account_world at{t0 - 1s};
  at.world.store->disk->trouble = error{errc::io_failure, "a.json: no space left on device"};
  waiting_exchange asks{at.world};
  at.give("access-2", "refresh-2");
  CHECK(at.view()->record->secret.reveal() == "access-1");
  CHECK(at.view()->token.reason.find("no space left") != std::string::npos);
  at.world.store->disk->trouble.reset();
  at.world.advance(60s);
  CHECK(at.asked() == 1);
  CHECK(at.file().find("refresh-2") != std::string::npos);
  CHECK(at.view()->record->secret.reveal() == "access-2");
}

TEST_CASE("a token that could not be written is written by itself as soon as it can be") {
  account_world at{t0 - 1s};
  at.world.store->disk->trouble = error{errc::io_failure, "a.json: no space left on device"};
  at.world.advance(1s);
  at.give("access-2", "refresh-2");
  at.world.advance(6s);
  CHECK(at.file().find("refresh-2") == std::string::npos);
  at.world.store->disk->trouble.reset();
  at.world.advance(5s);
  CHECK(at.file().find("refresh-2") != std::string::npos);
  CHECK(at.asked() == 1);
  at.world.advance(60s);
  CHECK(token_of(at.world.begin().second) == "access-2");
  CHECK(at.asked() == 1);
}

TEST_CASE("a stop writes the token that could not be written before") {
  account_world at{t0 - 1s};
  at.world.store->disk->trouble = error{errc::io_failure, "a.json: no space left on device"};
  at.world.advance(1s);
  at.give("access-2", "refresh-2");
  at.world.store->disk->trouble.reset();
  CHECK(at.world.ask<bool>(at.world.gateway, flush_atom_v) == true);
  CHECK(at.file().find("refresh-2") != std::string::npos);
  CHECK(at.asked() == 1);
}

TEST_CASE("a token that could not be written does not replace another login of its file") {
  account_world at{t0 - 1s};
  at.world.store->disk->trouble = error{errc::io_failure, "a.json: no space left on device"};
  at.world.advance(1s);
  at.give("access-2", "refresh-2");
  at.world.store->disk->trouble.reset();
  const auto end = GENERATE(t0 - 1s, t0 + 24h * 30);
  const auto other = account_text("access-9", "refresh-9", end);
  at.world.store->disk->files["a.json"] = other;
  at.world.advance(5s);
  CHECK(at.file() == other);
  CHECK(at.asked() == 1);
  CHECK(at.renewer()["renewed"] == 0);
  CHECK(at.renewer()["failed"] == 1);
}

TEST_CASE("a file that another process renewed is taken over without asking") {
  account_world at{t0 - 1s};
  at.world.store->disk->files["a.json"] = account_text("access-9", "refresh-9", t0 + 24h * 30);
  CHECK(token_of(at.world.begin().second) == "access-9");
  CHECK(at.asked() == 0);
}

TEST_CASE("a login that a person put there during a renewal stays") {
  account_world at{t0 - 1s};
  at.world.advance(1s);
  REQUIRE(at.asked() == 1);
  const auto mine = account_text("access-mine", "refresh-mine", t0 + 24h * 30);
  at.world.store->disk->files["a.json"] = mine;
  at.give("access-2", "refresh-2");
  CHECK(at.file() == mine);
  CHECK(at.view()->record->secret.reveal() == "access-mine");
}

TEST_CASE("a setting that was changed during a renewal stays") {
  account_world at{t0 - 1s};
  at.world.advance(1s);
  auto edited = nlohmann::json::parse(at.file());
  edited["note"] = "mine";
  at.world.store->disk->files["a.json"] = edited.dump();
  at.give("access-2", "refresh-2");
  CHECK(nlohmann::json::parse(at.file())["note"] == "mine");
  CHECK(at.file().find("refresh-2") != std::string::npos);
}

TEST_CASE("a file that was renamed during a renewal gets the new token under its new name") {
  account_world at{t0 - 1s};
  at.world.advance(1s);
  REQUIRE(at.asked() == 1);
  auto& disk = *at.world.store->disk;
  SECTION("before they came") {
    at.rename("b.json");
    at.give("access-2", "refresh-2");
  }
  SECTION("while they are written") {
    disk.on_write = [&] {
      disk.on_write = nullptr;
      at.rename("b.json");
    };
    at.give("access-2", "refresh-2");
  }
  CHECK(disk.files.at("b.json").find("refresh-2") != std::string::npos);
  CHECK_FALSE(disk.files.contains("a.json"));
  at.world.apply({account("b.json", disk.files.at("b.json"))});
  CHECK(token_of(at.world.begin().second) == "access-2");
  CHECK(at.asked() == 1);
  // It has ended: nobody waits for it, and the file can be renewed again.
  CHECK(at.renewer()["running"] == 0);
  CHECK(at.renewer()["unwritten"] == 0);
}

TEST_CASE("a token waits for the lock of its file's new name") {
  account_world at{t0 - 1s};
  at.world.advance(1s);
  REQUIRE(at.asked() == 1);
  auto& disk = *at.world.store->disk;
  at.rename("b.json");
  auto other = std::make_shared<const held_file>();
  disk.locks["b.json"] = other;
  at.give("access-2", "refresh-2");
  CHECK(disk.files.at("b.json").find("refresh-2") == std::string::npos);
  other.reset();
  at.world.advance(1s);
  CHECK(disk.files.at("b.json").find("refresh-2") != std::string::npos);
  CHECK(at.renewer()["running"] == 0);
}

TEST_CASE("a file that moves to another folder during its renewal gets the new token there") {
  account_world at{t0 - 1s};
  at.world.advance(1s);
  auto& disk = *at.world.store->disk;
  const auto text = disk.files.at("a.json");
  disk.files = {{"team/a.json", text}};
  at.world.apply({account("team/a.json", text)});
  at.give("access-2", "refresh-2");
  CHECK(disk.files.at("team/a.json").find("refresh-2") != std::string::npos);
  CHECK(at.renewer()["unwritten"] == 0);
  CHECK(at.asked() == 1);
}

TEST_CASE("an old text that is saved over a renewed file does not bring its token back") {
  account_world at{t0 - 1s};
  at.world.advance(1s);
  auto& disk = *at.world.store->disk;
  const auto old = disk.files.at("a.json");
  at.give("access-2", "refresh-2");
  std::string name = "a.json";
  SECTION("under its name") {}
  SECTION("under another name") {
    name = "b.json";
    disk.files.erase("a.json");
  }
  SECTION("twice renewed") {
    at.world.advance(3600s);
    at.give("access-3", "refresh-2b");
  }
  const auto newest = at.view()->record->refresh_token;
  disk.files[name] = old;
  at.world.apply({account(name, old)});
  CHECK(disk.files.at(name).find(newest.reveal()) != std::string::npos);
  const auto asked = at.asked();
  at.world.apply({account(name, disk.files.at(name))});
  CHECK(token_of(at.world.begin().second) != "access-1");
  CHECK(at.asked() == asked);
}

TEST_CASE("whatever was in the way of a token's writing, it is written when that is gone") {
  account_world at{t0 - 1s};
  at.world.advance(1s);
  REQUIRE(at.asked() == 1);
  auto& disk = *at.world.store->disk;
  const auto text = disk.files.at("a.json");
  SECTION("the file is half-written") {
    disk.files["a.json"] = text.substr(0, 20);
    at.give("access-2", "refresh-2");
    disk.files["a.json"] = text;
  }
  SECTION("the file is away") {
    disk.files.erase("a.json");
    at.give("access-2", "refresh-2");
    disk.files["a.json"] = text;
  }
  at.world.advance(5s);
  CHECK(at.file().find("refresh-2") != std::string::npos);
  CHECK(at.renewer()["unwritten"] == 0);
  CHECK(at.asked() == 1);
}

TEST_CASE("a token whose file was copied to another name and deleted goes into the copy") {
  account_world at{t0 - 1s};
  at.world.advance(1s);
  REQUIRE(at.asked() == 1);
  auto& disk = *at.world.store->disk;
  const auto text = disk.files.at("a.json");
  disk.files = {{"b.json", text}};
  // Its own renewal does not begin before the other has ended.
  at.world.apply({account("b.json", text)});
  at.world.advance(1s);
  CHECK(at.asked() == 1);
  at.give("access-2", "refresh-2");
  CHECK(disk.files.at("b.json").find("refresh-2") != std::string::npos);
  CHECK(at.view()->record->secret.reveal() == "access-2");
  CHECK(at.asked() == 1);
}

TEST_CASE("a stop waits for the renewal under way and takes no new one") {
  account_world at{t0 - 1s};
  at.world.advance(1s);
  REQUIRE(at.asked() == 1);
  caf::scoped_actor self{at.world.system()};
  auto stopped = self->request(at.world.gateway, caf::infinite, flush_atom_v);
  at.world.drain();
  CHECK_FALSE(self->has_next_message());
  at.give("access-2", "refresh-2");
  REQUIRE(self->has_next_message());
  stopped.receive([](bool done) { CHECK(done); }, [](const caf::error&) { FAIL("no answer"); });
  CHECK(at.file().find("refresh-2") != std::string::npos);
  at.world.advance(24h);
  CHECK(at.asked() == 1);
}

TEST_CASE("a stop does not wait for a file that somebody else holds") {
  account_world at{t0 - 1s};
  const auto elsewhere = at.world.store->hold("", "a.json");
  at.world.advance(1s);
  CHECK(at.asked() == 0);
  CHECK(at.world.ask<bool>(at.world.gateway, flush_atom_v) == true);
}

TEST_CASE("a void login is believed only when the file still says the same") {
  account_world at{t0 - 1s};
  waiting_exchange asks{at.world};
  at.world.store->disk->files["a.json"] = account_text("access-9", "refresh-9", t0 + 24h * 30);
  at.reject();
  CHECK(token_of(asks.step()) == "access-9");
}

TEST_CASE("a void login is not tried again until its file changes") {
  account_world at{t0 - 1s};
  at.world.advance(1s);
  REQUIRE(at.asked() == 1);
  at.reject();
  CHECK(at.view()->token.state == "rejected");
  for (int hours = 0; hours < 48; ++hours) at.world.advance(1h);
  const auto [run, refusal] = at.world.begin();
  REQUIRE(refusal);
  CHECK(refusal->verdict.kind == quota::verdict_kind::auth_required);
  CHECK(at.asked() == 1);
  const auto text = account_text("access-3", "refresh-3", t0 + 24h * 30);
  at.world.store->disk->files["a.json"] = text;
  at.world.apply({account("a.json", text)});
  CHECK(token_of(at.world.begin().second) == "access-3");
  CHECK(at.view()->token.state == "waiting");
}

TEST_CASE("failed renewals rest longer and longer, while a valid token serves on") {
  account_world at{t0 + 24h};
  at.world.advance(1s);
  REQUIRE(at.asked() == 1);
  std::vector<std::chrono::seconds> pauses;
  for (int i = 0; i < 8; ++i) {
    at.answer(503, "later");
    const auto next = at.view()->token.next;
    REQUIRE(next);
    pauses.push_back(
        std::chrono::duration_cast<std::chrono::seconds>(*next - at.world.clock->now()));
    CHECK(at.view()->token.state == "failed");
    CHECK(token_of(at.world.begin().second) == "access-1");
    at.world.advance(pauses.back());
  }
  CHECK(pauses ==
        std::vector<std::chrono::seconds>{60s, 120s, 240s, 480s, 960s, 1800s, 1800s, 1800s});
}

TEST_CASE("without a usable token an account rests until the next try, and says why") {
  account_world at{t0 - 1s};
  waiting_exchange asks{at.world};
  at.answer(500, "no");
  CHECK(at.view()->blocks.empty());
  CHECK(at.view()->last_error.starts_with("token not renewed: "));
  CHECK(token_of(at.world.begin().second) == "none");
  CHECK(at.asked() == 1);
}

TEST_CASE("a removed or disabled credential is not renewed any more") {
  account_world at{t0 + 24h * 10};
  at.world.ask<switch_answer>(at.world.gateway, switch_atom_v, credential_id{"a.json"}, true);
  at.world.advance(24h * 11);
  CHECK(at.asked() == 0);
  at.world.ask<switch_answer>(at.world.gateway, switch_atom_v, credential_id{"a.json"},
                                    false);
  at.world.advance(1s);
  CHECK(at.asked() == 1);
  at.give("access-2", "refresh-2");
  at.world.apply({});
  CHECK(at.world.store->confirmed == std::vector<std::string>{"a.json"});
  at.world.advance(24h * 11);
  CHECK(at.asked() == 1);
}

TEST_CASE("the earlier text is let go when the new token has served") {
  account_world at{t0 - 1s};
  at.world.advance(1s);
  at.give("access-2", "refresh-2");
  CHECK(at.world.store->confirmed.empty());
  auto [run, step] = at.world.begin();
  caf::anon_send(run, finish_atom_v, at.world.ended(step, served()));
  at.world.drain();
  CHECK(at.world.store->confirmed == std::vector<std::string>{"a.json"});
}

TEST_CASE("a configuration that was read before a renewal does not bring the old token back") {
  account_world at{t0 - 1s};
  const auto before = account("a.json", at.file());
  at.world.advance(1s);
  at.give("access-2", "refresh-2");
  auto record = before;
  record.priority = 7;
  at.world.apply({record});
  CHECK(token_of(at.world.begin().second) == "access-2");
  CHECK(at.view()->record->priority == 7);
}

TEST_CASE("who waits for the token of a credential that goes away is told so") {
  account_world at{t0 - 1s};
  waiting_exchange asks{at.world};
  at.world.apply({});
  REQUIRE(asks.has_answer());
  CHECK(token_of(asks.step()) == "none");
}

TEST_CASE("a client that leaves while a token is renewed leaves no lease behind") {
  account_world at{t0 - 1s};
  auto run = at.world.spawn_executor(at.world.profile());
  {
    caf::scoped_actor self{at.world.system()};
    self->request(run, caf::infinite, next_atom_v);
    at.world.drain();
  }
  caf::anon_send(run, cancel_atom_v);
  at.world.drain();
  at.give("access-2", "refresh-2");
  CHECK(at.view()->in_flight == 0);
}

}  // namespace tidegate::actors::test
