#include "tests/support/catch.hpp"
#include "tests/unit/http/management_rig.hpp"

namespace tidegate::test {
namespace {

held_credential account_of(const std::string& file) {
  auto out = codex_credential(file, {"gpt-example"});
  out.record.file = file;
  out.record.source = "credentials/" + file;
  out.record.auth = provider::auth_kind::account;
  out.record.label = "ops@example.com";
  out.record.account_id = "acct-example";
  out.record.plan_type = "team";
  out.record.expires_at = t0 + 3h;
  return out;
}

std::string index_of(const std::string& id) {
  return provider::auth_index_of(id);
}

json only_file(const protocol::reply& reply) {
  const auto body = body_of(reply);
  REQUIRE(body["files"].size() == 1);
  return body["files"][0];
}

void block(held_credential& one, quota::outcome what, std::string_view model = "gpt-example") {
  one.blocks.apply(what, model, {});
}

}  // namespace

TEST_CASE("an idle key from the configuration is listed without its secrets") {
  management_rig rig;
  auto one = codex_credential("codex:0123456789ab", {"gpt-example"});
  one.record.proxy_url = secret_string{"http://user:pass-example@proxy.example:8080"};
  one.record.note = "spare";
  one.record.priority = 2;
  rig.plane.held = {one};
  const auto reply = rig.get("auth-files");
  CHECK(reply.status == 200);
  const auto entry = only_file(reply);
  CHECK(entry["id"] == "codex:0123456789ab");
  CHECK(entry["name"] == "codex:0123456789ab");
  CHECK(entry["auth_index"] == index_of("codex:0123456789ab"));
  CHECK(entry["type"] == "codex");
  CHECK(entry["source"] == "memory");
  CHECK(entry["status"] == "active");
  CHECK(entry["status_message"] == "");
  CHECK(entry["disabled"] == false);
  CHECK(entry["unavailable"] == false);
  CHECK(entry["account_type"] == "api_key");
  CHECK(entry["account"] == "sk-e...cdef");
  CHECK(entry["proxy_url"] == "http://********@proxy.example:8080");
  CHECK(entry["note"] == "spare");
  CHECK(entry["priority"] == 2);
  CHECK(entry["cooldowns"] == json::array());
  CHECK(entry["quota"] == json{{"exceeded", false}, {"windows", json::array()}});
  CHECK_FALSE(entry.contains("last_error"));
  CHECK_FALSE(entry.contains("next_retry_after"));
  CHECK(reply.body.find("pass-example") == std::string::npos);
  CHECK(reply.body.find("1234567890") == std::string::npos);
}

TEST_CASE("the name of an account's file is not taken for its address") {
  management_rig rig;
  rig.plane.held = {account_of("team/ops.json")};
  rig.plane.held.front().record.label = "team/ops.json";
  CHECK_FALSE(only_file(rig.get("auth-files")).contains("email"));
}

TEST_CASE("an account is listed by its file with plan and expiry") {
  management_rig rig;
  rig.plane.held = {account_of("team/ops.json")};
  rig.plane.held.front().record.subscribed_until = t0 + 24h;
  const auto entry = only_file(rig.get("auth-files"));
  CHECK(entry["name"] == "team/ops.json");
  CHECK(entry["source"] == "file");
  CHECK(entry["path"] == "credentials/team/ops.json");
  CHECK(entry["account_type"] == "oauth");
  CHECK(entry["email"] == "ops@example.com");
  CHECK(entry["id_token"] == json{{"chatgpt_account_id", "acct-example"},
                                  {"plan_type", "team"},
                                  {"chatgpt_subscription_active_until", "2027-01-16T08:00:00Z"}});
  CHECK(entry["expires_at"] == "2027-01-15T11:00:00Z");
}

TEST_CASE("a cooldown is listed with scope, reason, deadline and evidence (quota 2.14)") {
  management_rig rig;
  auto one = codex_credential("a", {"gpt-example"});
  auto whole = limited(2h, 300min);
  whole.covers = quota::scope::credential;
  block(one, whole);
  block(one, limited(40s));
  rig.plane.held = {one};
  rig.plane.clock = t0 + 10s;
  const auto entry = only_file(rig.get("auth-files"));
  CHECK(entry["status"] == "error");
  CHECK(entry["status_message"] == "usage_limit_reached: the limit is reached");
  CHECK(entry["unavailable"] == true);
  CHECK(entry["next_retry_after"] == "2027-01-15T10:00:00Z");
  CHECK(entry["quota"]["exceeded"] == true);
  REQUIRE(entry["cooldowns"].size() == 2);
  const auto& wide = entry["cooldowns"][0];
  CHECK(wide["scope"] == "credential");
  CHECK(wide["model_key"] == "");
  CHECK(wide["reason"] == "credential_quota");
  CHECK(wide["retry_at"] == "2027-01-15T10:00:00Z");
  CHECK(wide["remaining_seconds"] == 7190);
  CHECK(wide["http_status"] == 429);
  CHECK(wide["deadline_source"] == "provider");
  CHECK(wide["evidence"] == json{{"exhausted", true}, {"limit_window_minutes", 300}});
  CHECK(wide["since"] == "2027-01-15T08:00:00Z");
  const auto& narrow = entry["cooldowns"][1];
  CHECK(narrow["scope"] == "model");
  CHECK(narrow["model_key"] == "gpt-example");
  CHECK(narrow["reason"] == "quota");
  CHECK(narrow["remaining_seconds"] == 30);
  CHECK(narrow["evidence"] == json{{"exhausted", false}});
  CHECK_FALSE(narrow.contains("backoff_level"));
}

TEST_CASE("every class that cools has its reason word") {
  using oc = quota::outcome_class;
  const auto [kind, status, reason] = GENERATE(table<oc, int, const char*>({
      {oc::unauthorized, 401, "unauthorized"},
      {oc::payment_required, 402, "payment_required"},
      {oc::invalid_grant, 400, "invalid_grant"},
      {oc::model_not_supported, 400, "model_not_supported"},
      {oc::not_found, 404, "not_found"},
      {oc::cloudflare_challenge, 403, "cloudflare_challenge"},
      {oc::transient, 503, "transient_error"},
  }));
  management_rig rig;
  auto one = codex_credential("a", {"gpt-example"});
  auto what = limited(0s);
  what.kind = kind;
  what.status = status;
  what.deadline.reset();
  block(one, what);
  rig.plane.held = {one};
  const auto entry = only_file(rig.get("auth-files"));
  REQUIRE(entry["cooldowns"].size() == 1);
  CHECK(entry["cooldowns"][0]["reason"] == reason);
  CHECK(entry["quota"]["exceeded"] == false);
}

TEST_CASE("windows, counters and the last error are shown as they were observed") {
  management_rig rig;
  auto one = codex_credential("a", {"gpt-example"});
  quota::window primary;
  primary.name = "primary";
  primary.used_percent = 41.5;
  primary.length = 300min;
  primary.reset_at = t0 + 90s;
  quota::window bare;
  bare.name = "7d";
  bare.status = "allowed";
  one.counters.windows = {{{primary, bare}, "headers", t0 - 5s}};
  one.counters.served = 12;
  one.counters.in_flight = 3;
  one.counters.failed = {{"quota", 4}, {"transient_error", 1}};
  one.counters.last_error = "overloaded: try later";
  one.counters.last_error_at = t0 - 60s;
  rig.plane.held = {one};
  const auto entry = only_file(rig.get("auth-files"));
  CHECK(entry["quota"]["windows"] == json::array({{{"name", "primary"},
                                                   {"used_percent", 41.5},
                                                   {"limit_window_minutes", 300},
                                                   {"reset_at", "2027-01-15T08:01:30Z"},
                                                   {"reset_seconds", 90},
                                                   {"source", "headers"},
                                                   {"observed_at", "2027-01-15T07:59:55Z"}},
                                                  {{"name", "7d"},
                                                   {"status", "allowed"},
                                                   {"source", "headers"},
                                                   {"observed_at", "2027-01-15T07:59:55Z"}}}));
  CHECK(entry["success"] == 12);
  CHECK(entry["failed"] == 5);
  CHECK(entry["failures"] == json{{"quota", 4}, {"transient_error", 1}});
  CHECK(entry["in_flight"] == 3);
  CHECK(entry["last_error"] ==
        json{{"message", "overloaded: try later"}, {"at", "2027-01-15T07:59:00Z"}});
}

TEST_CASE("bytes in an error that are no UTF-8 do not break the list") {
  management_rig rig;
  auto one = codex_credential("a", {"gpt-example"});
  one.counters.last_error = "caf\xe9";
  rig.plane.held = {one};
  CHECK(only_file(rig.get("auth-files"))["last_error"]["message"] == "caf\xef\xbf\xbd");
}

TEST_CASE("the list is narrowed by name and auth_index") {
  management_rig rig;
  rig.plane.held = {codex_credential("a b", {}), account_of("ops.json")};
  const auto names = [&](const std::string& query) {
    std::string out;
    for (const auto& entry : body_of(rig.get("auth-files", query))["files"]) {
      out += entry["name"].get<std::string>() + ";";
    }
    return out;
  };
  CHECK(names("") == "a b;ops.json;");
  CHECK(names("name=a%20b") == "a b;");
  CHECK(names("name=ops.json&x=1") == "ops.json;");
  CHECK(names("auth_index=" + index_of("a b")) == "a b;");
  CHECK(names("name=ops.json&auth_index=" + index_of("a b")) == "");
  CHECK(names("name=nobody") == "");
}

TEST_CASE("a query member that is given twice is refused") {
  management_rig rig;
  const std::string query = GENERATE("name=a&name=b", "auth_index=a&x&auth%5findex=a");
  const auto reply = rig.get("auth-files", query);
  CHECK(reply.status == 400);
  CHECK(body_of(reply)["error"].get<std::string>().starts_with("query member given twice"));
}

TEST_CASE("reset-quota lifts everything and names the models (quota 5.6)") {
  management_rig rig;
  auto one = codex_credential("a", {"m-one", "m-two"});
  auto whole = limited(2h, 300min);
  whole.covers = quota::scope::credential;
  block(one, whole);
  block(one, limited(1h), "m-two");
  block(one, limited(1h), "m-one");
  rig.plane.held = {one, codex_credential("b", {"m-one"})};
  const auto reply =
      rig.send(rig.call("POST", "", json{{"auth_index", index_of("a")}}.dump()), "reset-quota");
  CHECK(reply.status == 200);
  CHECK(reply.body ==
        R"({"status":"ok","auth_index":")" + index_of("a") + R"(","models":["m-one","m-two"]})");
  CHECK(rig.plane.held[0].blocks.empty());
}

TEST_CASE("reset-quota of one model keeps the others and what covers the credential") {
  management_rig rig;
  auto one = codex_credential("a", {"m-one", "m-two"});
  auto whole = limited(2h, 300min);
  whole.covers = quota::scope::credential;
  block(one, whole);
  block(one, limited(1h), "m-two");
  block(one, limited(1h), "m-one");
  rig.plane.held = {one};
  const json order{{"auth_index", index_of("a")}, {"model", "m-one(high)"}};
  const auto reply = rig.send(rig.call("POST", "", order.dump()), "reset-quota");
  CHECK(body_of(reply)["models"] == json{"m-one"});
  CHECK(rig.plane.held[0].blocks.active(t0).size() == 2);
}

TEST_CASE("reset-quota without a cooldown succeeds with no models") {
  management_rig rig;
  rig.plane.held = {codex_credential("a", {"m-one"})};
  const auto reply =
      rig.send(rig.call("POST", "", json{{"auth_index", index_of("a")}}.dump()), "reset-quota");
  CHECK(reply.status == 200);
  CHECK(body_of(reply)["models"] == json::array());
}

TEST_CASE("reset-quota refuses what it does not understand and resets nothing") {
  const auto [body, status, text] = GENERATE(table<std::string, int, const char*>({
      {"", 400, "invalid request body"},
      {"auth_index=a", 400, "invalid request body"},
      {"[]", 400, "invalid request body"},
      {"\"a\"", 400, "invalid request body"},
      {"{\"auth_index\":\"a\"} x", 400, "invalid request body"},
      {R"({"auth_index":7})", 400, "auth_index is not a text"},
      {R"({"auth_index":"0000000000000000","model":["m"]})", 400, "model is not a text"},
      {R"({"auth_index":"0000000000000000","model":""})", 400, "model is empty"},
      {R"({"auth_index":[[[[[[[[[[1]]]]]]]]]]})", 400, "invalid request body"},
      {"{\"auth_index\":\"" + std::string(70'000, 'a') + "\"}", 400, "invalid request body"},
      {"{}", 400, "auth_index is required"},
      {R"({"auth_index":""})", 400, "auth_index is required"},
      {R"({"auth_index":null})", 400, "auth_index is required"},
      {R"({"model":"m"})", 400, "auth_index is required"},
      {R"({"auth_index":"0000000000000000"})", 404, "auth not found"},
  }));
  CAPTURE(body.substr(0, 60));
  management_rig rig;
  auto one = codex_credential("a", {"gpt-example"});
  block(one, limited(1h));
  rig.plane.held = {one};
  const auto reply = rig.send(rig.call("POST", "", body), "reset-quota");
  CHECK(reply.status == status);
  CHECK_THAT(body_of(reply)["error"].get<std::string>(), ContainsSubstring(text));
  CHECK(rig.plane.held[0].blocks.active(t0).size() == 1);
}

TEST_CASE("a credential is switched off and on by name, id or auth_index") {
  management_rig rig;
  rig.plane.held = {codex_credential("a", {}), account_of("ops.json")};
  const std::string who = GENERATE(as<std::string>{}, R"("name":"ops.json")", R"("auth_index":"X")",
                                   R"("name":"ops.json","auth_index":"X")");
  std::string named = who;
  if (const auto at = named.find('X'); at != std::string::npos) {
    named.replace(at, 1, index_of("ops.json"));
  }
  for (const bool disabled : {true, false}) {
    const std::string order = "{" + named + R"(,"disabled":)" + (disabled ? "true}" : "false}");
    const auto reply = rig.send(rig.call("PATCH", "", order), "auth-files/status");
    CHECK(reply.status == 200);
    CHECK(body_of(reply) == json{{"status", "ok"}, {"disabled", disabled}});
    CHECK(rig.plane.held[1].record.disabled == disabled);
    CHECK_FALSE(rig.plane.held[0].record.disabled);
    const auto entry = only_file(rig.get("auth-files", "name=ops.json"));
    CHECK(entry["status"] == (disabled ? "disabled" : "active"));
    CHECK(entry["disabled"] == disabled);
  }
}

TEST_CASE("auth-files/status refuses what it does not understand") {
  const auto [body, status, text] = GENERATE(table<const char*, int, const char*>({
      {"no", 400, "invalid request body"},
      {"{}", 400, "name or auth_index is required"},
      {R"({"name":"","disabled":true})", 400, "name or auth_index is required"},
      {R"({"name":1,"disabled":true})", 400, "name is not a text"},
      {R"({"name":"a"})", 400, "disabled is required"},
      {R"({"name":"a","disabled":"true"})", 400, "disabled is true or false"},
      {R"({"name":"a","disabled":1})", 400, "disabled is true or false"},
      {R"({"name":"b","name":"a","disabled":true})", 400, "`name` is there twice"},
      {R"({"auth_index":"x","authIndex":"y","disabled":true})", 400, "two spellings"},
      {R"({"name":"b","disabled":true})", 404, "auth not found"},
      {R"({"name":"a","auth_index":"0000","disabled":true})", 404, "auth not found"},
  }));
  CAPTURE(body);
  management_rig rig;
  rig.plane.held = {codex_credential("a", {})};
  const auto reply = rig.send(rig.call("PATCH", "", body), "auth-files/status");
  CHECK(reply.status == status);
  CHECK_THAT(body_of(reply)["error"].get<std::string>(), ContainsSubstring(text));
  CHECK_FALSE(rig.plane.held[0].record.disabled);
}

TEST_CASE("a control plane that does not answer is told as unavailable") {
  management_rig rig;
  rig.plane.broken = error{errc::unavailable, "the gateway is starting or stopping"};
  for (const char* tail : {"auth-files", "actors", "reload"}) {
    const auto reply = rig.get(tail);
    CHECK(reply.status == 503);
    CHECK(body_of(reply)["error"] == "the gateway is starting or stopping");
  }
  rig.plane.broken->detail.clear();
  CHECK(body_of(rig.get("actors"))["error"] == to_string(errc::unavailable));
}

}  // namespace tidegate::test
