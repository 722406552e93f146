#include "provider/antigravity/project.hpp"

#include <rapidcheck.h>

#include "tests/support/catch.hpp"
#include "tests/unit/provider/token_fixture.hpp"

using namespace tidegate;
using namespace tidegate::provider;
using namespace tidegate::provider::testing;
using namespace tidegate::provider::antigravity;

TEST_CASE("an account's project is asked for with its token") {
  const auto request = project_request(some_account(kind::antigravity));
  REQUIRE(request.has_value());
  CHECK(request->url == "https://upstream.example/v1internal:loadCodeAssist");
  CHECK(header_of(*request, "Authorization") == "Bearer sk-invented-0123456789");
  CHECK(header_of(*request, "User-Agent") == "tidegate/0.1.0");
  CHECK(body_of(*request) == R"({"metadata":{"ideType":"ANTIGRAVITY"}})");
  const auto onboard = onboard_request(some_account(kind::antigravity), "free-tier");
  REQUIRE(onboard.has_value());
  CHECK(onboard->url == "https://upstream.example/v1internal:onboardUser");
  CHECK(body_of(*onboard) == R"({"metadata":{"ideType":"ANTIGRAVITY"},"tierId":"free-tier"})");
  credential bare = some_account(kind::antigravity);
  bare.secret = {};
  CHECK_FALSE(project_request(bare).has_value());
}

TEST_CASE("a project is a text or an object, and without one the default tier is onboarded") {
  const auto [status, body, state, found] =
      GENERATE(table<int, std::string, project_state, std::string>({
          {200, R"({"cloudaicompanionProject":"p-1"})", project_state::found, "p-1"},
          {200, R"({"cloudaicompanionProject":{"id":"p-2"}})", project_state::found, "p-2"},
          {200, R"({"allowedTiers":[{"id":"a"},{"id":"free-tier","isDefault":true}]})",
           project_state::onboard, "free-tier"},
          {200, R"({"cloudaicompanionProject":7,"allowedTiers":[7,{"isDefault":true,"id":"t"}]})",
           project_state::onboard, "t"},
          {200, "{}", project_state::failed, ""},
          {200, R"({"cloudaicompanionProject":"../x y"})", project_state::failed, ""},
          {200, R"({"allowedTiers":{"id":"t","isDefault":true}})", project_state::failed, ""},
          {200, "[]", project_state::failed, ""},
          {403, R"({"cloudaicompanionProject":"p-1"})", project_state::failed, ""},
      }));
  CAPTURE(body);
  const auto answer = read_project(status, body);
  CHECK(answer.state == state);
  CHECK((state == project_state::onboard ? answer.tier : answer.project_id) == found);
  CHECK(answer.reason.empty() == (state != project_state::failed));
}

TEST_CASE("onboarding goes on until it is done") {
  const auto [body, state] = GENERATE(table<std::string, project_state>({
      {R"({"done":true,"response":{"cloudaicompanionProject":{"id":"p-1"}}})",
       project_state::found},
      {R"({"done":true,"response":{"cloudaicompanionProject":"p-1"}})", project_state::found},
      {R"({"name":"operations/1"})", project_state::pending},
      {R"({"done":false})", project_state::pending},
      {R"({"done":true})", project_state::failed},
      {R"({"done":true,"response":[]})", project_state::failed},
      {"<html>", project_state::failed},
  }));
  CAPTURE(body);
  CHECK(read_onboarding(200, body).state == state);
  CHECK(read_onboarding(500, body).state == project_state::failed);
}

TEST_CASE("no bytes make a reader of projects throw") {
  CHECK(rc::check([](const std::string& body) {
    static_cast<void>(read_project(200, body));
    static_cast<void>(read_onboarding(200, body));
  }));
}
