#include "http/management/endpoint.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/http/management_rig.hpp"

namespace tidegate::test {

TEST_CASE("an unknown endpoint is 404 behind the key") {
  management_rig rig;
  const std::string tail = GENERATE(as<std::string>{}, "", "nothing", "auth-files/", "AUTH-FILES",
                                    "auth-files/status/x", "config.yaml");
  const auto reply = rig.get(tail);
  CHECK(reply.status == 404);
  CHECK(body_of(reply)["error"] == "unknown management endpoint");
  auto anonymous = rig.call("GET");
  anonymous.headers.clear();
  CHECK(rig.send(std::move(anonymous), tail).status == 401);
}

TEST_CASE("a method that an endpoint does not take is 405 with those it takes") {
  const auto [method, tail, allow] = GENERATE(table<const char*, const char*, const char*>({
      {"PUT", "auth-files", "GET, HEAD, POST, DELETE"},
      {"POST", "credentials/download", "GET, HEAD"},
      {"GET", "auth-files/status", "PATCH"},
      {"HEAD", "reset-quota", "POST"},
      {"DELETE", "reload", "GET, HEAD, POST"},
      {"PUT", "config", "GET, HEAD"},
      {"TRACE", "auth-files/fields", "PATCH"},
  }));
  management_rig rig;
  const auto reply = rig.send(rig.call(method), tail);
  CHECK(reply.status == 405);
  CHECK(header_of(reply, "Allow") == allow);
  CHECK(body_of(reply)["error"] == "method not allowed");
}

TEST_CASE("HEAD is answered as GET is") {
  management_rig rig;
  const auto get = rig.get("version");
  const auto head = rig.send(rig.call("HEAD"), "version");
  CHECK(head.status == 200);
  CHECK(head.headers == get.headers);
  CHECK(head.body == get.body);
  CHECK(body_of(get) == json{{"name", "tidegate"}, {"version", "0.1.0"}});
}

TEST_CASE("the configuration is shown with defaults and without secrets") {
  management_rig rig;
  rig.plane.settings.access.api_keys.emplace_back("client-key-0123456789-example");
  rig.plane.settings.routing.retry.max_retry_interval = 45s;
  provider::key_entry key;
  key.api_key = secret_string{"sk-upstream-0123456789-example"};
  key.headers = {{"X-Note", "${literal}"}};
  rig.plane.settings.credentials.keys.push_back(key);
  const auto reply = rig.get("config");
  CHECK(reply.status == 200);
  CHECK(header_of(reply, "Content-Type") == "application/json");
  const auto body = body_of(reply);
  CHECK(body["config-version"] == 8);
  CHECK(body["server"]["port"] == 8317);
  CHECK(body["server"]["host"] == "127.0.0.1");
  CHECK(body["management"]["allow-remote"] == false);
  for (const char* secret : {"0123456789", management_rig::key}) {
    CHECK(reply.body.find(secret) == std::string::npos);
  }
  CHECK(reply.body.find("${literal}") != std::string::npos);
  CHECK(reply.body.find("$${literal}") == std::string::npos);
}

TEST_CASE("the configuration is YAML for those who ask for it") {
  management_rig rig;
  const auto [accept, yaml] = GENERATE(table<const char*, bool>({
      {"application/yaml", true},
      {"text/html, Text/YAML;q=0.8", true},
      {"application/x-yaml", true},
      {"application/json", false},
      {"*/*", false},
  }));
  CAPTURE(accept);
  auto in = rig.call("GET");
  in.headers.insert("Accept", accept);
  const auto reply = rig.send(std::move(in), "config");
  CHECK(reply.status == 200);
  CHECK(header_of(reply, "Content-Type") == (yaml ? "application/yaml" : "application/json"));
  CHECK(reply.body.starts_with(yaml ? "config-version: 8\n" : "{\"config-version\":8"));
  CHECK(reply.body.find(management_rig::key) == std::string::npos);
}

TEST_CASE("a reload that is refused is told with its problems and an error status") {
  management_rig rig;
  rig.plane.next_reload.at = t0;
  rig.plane.next_reload.ok = false;
  rig.plane.next_reload.problems = {"line 3: unknown key"};
  const auto refused = rig.send(rig.call("POST"), "reload");
  CHECK(refused.status == 422);
  const json expected{{"ok", false},
                      {"changed", false},
                      {"at", "2027-01-15T08:00:00Z"},
                      {"changes", json::array()},
                      {"restart_required", json::array()},
                      {"problems", {"line 3: unknown key"}}};
  CHECK(body_of(refused) == expected);
  CHECK(rig.plane.reloads == 1);
  const auto last = rig.get("reload");
  CHECK(last.status == 200);
  CHECK(body_of(last) == expected);
  CHECK(rig.plane.reloads == 1);
}

TEST_CASE("a reload that is applied lists changes and what needs a restart") {
  management_rig rig;
  rig.plane.next_reload.changed = true;
  rig.plane.next_reload.changes = {"routing.strategy: round-robin -> fill-first"};
  rig.plane.next_reload.restart_required = {"server.port"};
  const auto reply = rig.send(rig.call("POST", "", "ignored"), "reload");
  CHECK(reply.status == 200);
  const auto body = body_of(reply);
  CHECK(body["changed"] == true);
  CHECK(body["changes"] == json{"routing.strategy: round-robin -> fill-first"});
  CHECK(body["restart_required"] == json{"server.port"});
  CHECK_FALSE(body.contains("at"));
}

TEST_CASE("the actor tree is passed on as it is") {
  management_rig rig;
  const auto reply = rig.get("actors");
  CHECK(reply.status == 200);
  CHECK(reply.body == rig.plane.actors_json);
  CHECK(header_of(reply, "Content-Type") == "application/json");
}

TEST_CASE("a query member is found decoded, once") {
  using http::management::query_value;
  CHECK(query_value("", "a").value() == std::nullopt);
  CHECK(query_value("b=1&aa=2", "a").value() == std::nullopt);
  CHECK(query_value("b=1&a=x%2By+z", "a").value() == "x+y z");
  CHECK(query_value("%61=1", "a").value() == "1");
  CHECK(query_value("a", "a").value() == "");
  CHECK(query_value("a=b=c", "a").value() == "b=c");
  CHECK(query_value("&&a=1&&", "a").value() == "1");
  CHECK(query_value("a=%zz%", "a").value() == "%zz%");
  CHECK_FALSE(query_value("a=1&a=1", "a"));
}

}  // namespace tidegate::test
