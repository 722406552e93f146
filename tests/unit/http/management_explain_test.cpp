#include "http/management/explain_entry.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/http/management_rig.hpp"

namespace tidegate::test {
namespace {

held_credential claude_credential(const std::string& id, const std::string& model) {
  auto out = codex_credential(id, {model});
  out.record.provider = provider::kind::claude;
  out.record.provider_name = "claude";
  return out;
}

json explain(management_rig& rig, const std::string& query) {
  const auto reply = rig.get("explain", query);
  CAPTURE(reply.body);
  REQUIRE(reply.status == 200);
  return body_of(reply);
}

json surface(management_rig& rig, const std::string& query = "model=m&surface=responses") {
  const auto body = explain(rig, query);
  REQUIRE(body["surfaces"].size() == 1);
  return body["surfaces"][0];
}

}  // namespace

TEST_CASE("a free credential is eligible and the request would go upstream") {
  management_rig rig;
  rig.plane.held = {codex_credential("a", {"m"})};
  const auto body = explain(rig, "model=m(high)&surface=responses");
  CHECK(body["model"] == "m(high)");
  CHECK(body["at"] == "2027-01-15T08:00:00Z");
  CHECK(body["quota_response_mode"] == "retryable");
  const auto& one = body["surfaces"][0];
  CHECK(one["surface"] == "responses");
  CHECK(one["verdict"]["kind"] == "selectable");
  CHECK_FALSE(one.contains("answer"));
  REQUIRE(one["credentials"].size() == 1);
  CHECK(one["credentials"][0]["eligible"] == true);
  CHECK(one["credentials"][0]["why"] == "eligible");
  CHECK(one["credentials"][0]["upstream"] == json{{{"upstream_model", "m"}, {"blocked", false}}});
}

TEST_CASE("a used-up pool names window, evidence and the answer that a client would get") {
  management_rig rig;
  rig.plane.settings.routing.cooldown.mode = quota::response_mode::usage_limit;
  auto early = codex_credential("a", {"m"});
  early.blocks.apply(limited(2h, 300min), "m", {});
  auto late = codex_credential("b", {"m"});
  late.blocks.apply(limited(50h, 10080min), "m", {});
  rig.plane.held = {early, late};
  const auto one = surface(rig);
  const auto& verdict = one["verdict"];
  CHECK(verdict["kind"] == "usage_limit");
  CHECK(verdict["reset_at"] == "2027-01-15T10:00:00Z");
  CHECK(verdict["reset_seconds"] == 7200);
  CHECK(verdict["limit_window_minutes"] == 300);
  CHECK(verdict["reopens_first"] == "a");
  CHECK(one["answer"]["status"] == 429);
  CHECK(one["answer"]["headers"]["X-Should-Retry"] == "false");
  CHECK_FALSE(one["answer"]["headers"].contains("Retry-After"));
  CHECK(one["answer"]["body"]["error"]["type"] == "usage_limit_reached");
  const auto& who = one["credentials"][0];
  CHECK(who["eligible"] == false);
  CHECK(who["why"] ==
        "blocked until 2027-01-15T10:00:00Z (2h0m0s): quota of model m, time stated by the "
        "provider; evidence: 300-minute window used up; cause: usage_limit_reached: the limit is "
        "reached");
  CHECK(who["upstream"][0]["retry_at"] == "2027-01-15T10:00:00Z");
  CHECK(who["upstream"][0]["evidence"] == json{{"exhausted", true}, {"limit_window_minutes", 300}});
  CHECK(who["cooldowns"].size() == 1);
}

TEST_CASE("a cooldown without evidence is told as such and answered with Retry-After") {
  management_rig rig;
  auto one = codex_credential("a", {"m", "other"});
  one.blocks.apply(limited(30s), "m", {});
  one.blocks.apply(limited(1h), "other", {});
  rig.plane.held = {one};
  const auto told = surface(rig);
  CHECK(told["verdict"]["kind"] == "model_cooldown");
  CHECK(told["answer"]["headers"]["Retry-After"] == "30");
  const auto& who = told["credentials"][0];
  CHECK_THAT(who["why"].get<std::string>(), ContainsSubstring("no evidence of a used-up quota"));
  // The other model's cooldown is not this one's.
  REQUIRE(who["cooldowns"].size() == 1);
  CHECK(who["cooldowns"][0]["model_key"] == "m");
}

TEST_CASE("a dead login, a zero weight and an operator's switch each have their sentence") {
  management_rig rig;
  rig.plane.settings.routing.selection = quota::strategy::weighted_round_robin;
  auto dead = codex_credential("a", {"m"});
  dead.record.status_disabled = true;
  auto idle = codex_credential("b", {"m"});
  idle.record.weight = 0;
  auto off = codex_credential("c", {"m"});
  off.record.disabled = true;
  auto elsewhere = codex_credential("d", {"n"});
  elsewhere.record.disabled = true;
  rig.plane.held = {dead, idle, off, elsewhere};
  const auto told = surface(rig);
  CHECK(told["verdict"]["kind"] == "auth_unavailable");
  CHECK(told["answer"]["status"] == 503);
  REQUIRE(told["credentials"].size() == 3);
  const auto why = [&](std::size_t i) { return told["credentials"][i]["why"].get<std::string>(); };
  CHECK_THAT(why(0), ContainsSubstring("login must be renewed"));
  CHECK_THAT(why(1), ContainsSubstring("weight is 0"));
  CHECK(why(2) == "disabled by the operator");
  CHECK(told["credentials"][2]["id"] == "c");
  for (const auto& one : told["credentials"]) CHECK(one["eligible"] == false);
}

TEST_CASE("a credential that speaks another surface is listed with that reason") {
  management_rig rig;
  rig.plane.held = {codex_credential("a", {"m"}), claude_credential("b", "m")};
  const auto told = surface(rig, "model=m&surface=count_tokens");
  REQUIRE(told["credentials"].size() == 2);
  CHECK(told["credentials"][0]["id"] == "b");
  CHECK(told["credentials"][0]["eligible"] == true);
  CHECK(told["credentials"][1]["id"] == "a");
  CHECK(told["credentials"][1]["why"] == "serves the model, but not on this surface");
}

TEST_CASE("without a surface every surface that the model is served on is explained") {
  management_rig rig;
  rig.plane.held = {claude_credential("a", "m")};
  std::vector<std::string> names;
  const auto body = explain(rig, "model=m");
  for (const auto& one : body["surfaces"]) {
    names.push_back(one["surface"]);
    CHECK(one["verdict"]["kind"] == "selectable");
  }
  CHECK(names == std::vector<std::string>{"responses", "chat_completions", "completions",
                                          "messages", "count_tokens", "gemini_generate",
                                          "gemini_stream_generate"});
}

TEST_CASE("an alias pool shows each upstream model and is free while one of them is") {
  management_rig rig;
  auto one = codex_credential("a", {});
  one.record.models = {{"up-one", "m", false}, {"up-two", "m", false}};
  one.blocks.apply(limited(1h), "up-one", {});
  rig.plane.held = {one};
  const auto told = surface(rig);
  const auto& who = told["credentials"][0];
  CHECK(who["eligible"] == true);
  REQUIRE(who["upstream"].size() == 2);
  CHECK(who["upstream"][0]["upstream_model"] == "up-one");
  CHECK(who["upstream"][0]["blocked"] == true);
  CHECK(who["upstream"][1]["blocked"] == false);
}

TEST_CASE("a model that nobody serves is 404 with the answer and who could serve it") {
  management_rig rig;
  auto off = codex_credential("a", {"m"});
  off.record.disabled = true;
  rig.plane.held = {off};
  const auto reply = rig.get("explain", "model=m");
  CHECK(reply.status == 404);
  const auto body = body_of(reply);
  CHECK(body["error"] == "no enabled credential serves this model");
  CHECK(body["answer"]["status"] == 400);
  REQUIRE(body["credentials"].size() == 1);
  CHECK(body["credentials"][0]["why"] == "disabled by the operator");
}

TEST_CASE("explain refuses a question that it does not understand") {
  const auto [query, text] = GENERATE(table<const char*, const char*>({
      {"", "model is required"},
      {"model=", "model is required"},
      {"model=m&surface=", "unknown surface; known are responses, "},
      {"model=m&surface=Responses", "unknown surface; known are responses, "},
      {"model=m&model=n", "query member given twice: model"},
      {"model=m&surface=messages&surface=messages", "query member given twice: surface"},
  }));
  management_rig rig;
  rig.plane.held = {codex_credential("a", {"m"})};
  const auto reply = rig.get("explain", query);
  CHECK(reply.status == 400);
  CHECK_THAT(body_of(reply)["error"].get<std::string>(), ContainsSubstring(text));
}

TEST_CASE("every verdict has a name of its own") {
  using vk = quota::verdict_kind;
  const auto [kind, name] = GENERATE(table<vk, const char*>({
      {vk::usage_limit, "usage_limit"},
      {vk::model_cooldown, "model_cooldown"},
      {vk::auth_unavailable, "auth_unavailable"},
      {vk::auth_required, "auth_required"},
      {vk::auth_not_found, "auth_not_found"},
      {vk::last_error, "last_error"},
      {vk::selectable, "selectable"},
  }));
  CHECK(http::management::to_string(kind) == name);
}

TEST_CASE("a sentence says where its time comes from") {
  quota::candidate who;
  quota::block_state blocked;
  blocked.blocked = true;
  blocked.reopens = t0 + 90s;
  blocked.cause = "overloaded";
  who.backends = {blocked};
  http::credential_view view;
  quota::block entry;
  entry.covers = quota::scope::credential;
  entry.kind = quota::outcome_class::transient;
  entry.deadline = t0 + 90s;
  const auto [source, words] = GENERATE(table<quota::deadline_source, const char*>({
      {quota::deadline_source::provider, "time stated by the provider"},
      {quota::deadline_source::ladder, "time from the back-off ladder"},
      {quota::deadline_source::fixed, "fixed time"},
  }));
  entry.source = source;
  view.blocks = {entry};
  CHECK(http::management::why(who, &view, t0) ==
        std::string{"blocked until 2027-01-15T08:01:30Z (1m30s): transient_error of the whole "
                    "credential, "} +
            words + "; no evidence of a used-up quota; cause: overloaded");
  CHECK(http::management::why(who, &view, t0 + 90s) == "eligible");
  who.backends.clear();
  CHECK_THAT(http::management::why(who, nullptr, t0), ContainsSubstring("until an operator acts"));
}

}  // namespace tidegate::test
