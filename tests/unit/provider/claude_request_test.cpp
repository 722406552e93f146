#include "tests/support/catch.hpp"
#include "tests/unit/provider/attempt_fixture.hpp"

using namespace tidegate;
using namespace tidegate::provider::testing;
using provider::kind;

namespace {

constexpr auto body = R"({"model":"a","stream":true, "max_tokens":1e3})";

}  // namespace

TEST_CASE("sends the key as the host expects it") {
  struct key_row {
    const char* what;
    std::string base;
    std::string secret;
    std::optional<std::string> api_key;
    std::optional<std::string> bearer;
    std::optional<std::string> beta;
  };
  const auto none = std::nullopt;
  const std::vector<key_row> rows{
      {"key at Anthropic", "https://api.anthropic.com", "sk-ant-api-1", "sk-ant-api-1", none, none},
      {"key elsewhere", "https://claude.example", "key-1", none, "Bearer key-1", none},
      {"look-alike host", "https://api.anthropic.com.example", "key-1", none, "Bearer key-1", none},
      {"account token", "https://api.anthropic.com", "sk-ant-oat-1", none, "Bearer sk-ant-oat-1",
       "oauth-2025-04-20"},
      {"no key", "https://claude.example", "", none, none, none},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    client_request from{kind::claude, body};
    from.who.base_url = row.base;
    from.who.secret = secret_string{row.secret};
    const auto got = build(from);
    REQUIRE(got);
    CHECK(got->url == row.base + "/v1/messages?beta=true");
    CHECK(got->header("x-api-key") == row.api_key);
    CHECK(got->header("authorization") == row.bearer);
    CHECK(got->header("anthropic-beta") == row.beta);
  }
}

TEST_CASE("joins the betas of client header, body and account, each once") {
  client_request from{kind::claude, R"({"model":"a","betas":["b-2","b-3"],"messages":[]})"};
  from.who.auth = provider::auth_kind::account;
  from.sent = {{"Anthropic-Beta", "b-1, b-2"}, {"anthropic-version", "2024-01-01"}};
  const auto got = build(from);
  REQUIRE(got);
  CHECK(got->header("anthropic-beta") == "b-1,b-2,b-3,oauth-2025-04-20");
  CHECK(got->header("anthropic-version") == "2024-01-01");
  CHECK(got->body == R"({"model":"upstream-model","messages":[]})");
}

TEST_CASE("leaves betas of an unknown shape in the body") {
  const auto got = build({kind::claude, R"({"model":"upstream-model","betas":[1]})"});
  REQUIRE(got);
  CHECK(got->body == R"({"model":"upstream-model","betas":[1]})");
}

TEST_CASE("edits only the model of a Messages body") {
  const auto got = build({kind::claude, body});
  REQUIRE(got);
  CHECK(got->body == R"({"model":"upstream-model","stream":true, "max_tokens":1e3})");
  CHECK(got->streams);
  CHECK_FALSE(got->fold);
  CHECK(got->header("accept") == "text/event-stream");
  CHECK(got->header("anthropic-version") == "2023-06-01");
  CHECK(got->header("user-agent") == "tidegate/0.1.0");
}

TEST_CASE("counts tokens without a stream and joins a versioned base once") {
  client_request from{kind::claude, body};
  from.surface = protocol::surface::count_tokens;
  from.who.base_url = "https://claude.example/v1";
  const auto got = build(from);
  REQUIRE(got);
  CHECK(got->url == "https://claude.example/v1/messages/count_tokens?beta=true");
  CHECK_FALSE(got->streams);
  CHECK(got->header("accept") == "application/json");
}

TEST_CASE("refuses a request that is not in its protocol") {
  for (const auto& one : provider::registry()) {
    client_request from{one.id, R"({"model":"a"})"};
    const bool speaks_messages = one.id == kind::claude || one.id == kind::kimi;
    from.surface = speaks_messages ? protocol::surface::responses : protocol::surface::messages;
    const auto got = build(from);
    REQUIRE_FALSE(got);
    CHECK(got.error().code == errc::invalid_input);
    CHECK_FALSE(one.serves(from.surface));
    CHECK(one.serves(own_surface(one.id)));
  }
}

TEST_CASE("takes empty lists of domains out of searches") {
  const auto sent = [](const std::string& tool) {
    const auto got = build({kind::claude, R"({"model":"upstream-model","tools":[)" + tool + "]}"});
    REQUIRE(got);
    return got->body.substr(35, got->body.size() - 37);
  };
  CHECK(sent(R"({"type":"web_search_20250305","allowed_domains":[ ],"blocked_domains":[],"n":1})") ==
        R"({"type":"web_search_20250305","n":1})");
  for (const std::string same :
       {R"({"type":"web_search_20250305", "allowed_domains":["a"]})",
        R"({"name":"f", "allowed_domains":[]})", R"({"type":"web_search_20250305"})"}) {
    CHECK(sent(same) == same);
  }
}
