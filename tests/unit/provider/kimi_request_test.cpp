#include "provider/kimi/history.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/provider/attempt_fixture.hpp"

using namespace tidegate;
using namespace tidegate::provider::testing;
using protocol::surface;
using provider::kind;

namespace {

client_request asked(std::string body, surface from = surface::chat_completions) {
  client_request out{kind::kimi, std::move(body)};
  out.surface = from;
  out.model = "kimi-k2.6";
  out.who.base_url = "https://api.kimi.com/coding";
  return out;
}

}  // namespace

TEST_CASE("Kimi: Chat and Messages clients have an address each") {
  const auto chat = build(asked(R"({"model":"k","messages":[],"stream":true})"));
  REQUIRE(chat);
  CHECK(chat->url == "https://api.kimi.com/coding/v1/chat/completions");
  CHECK(chat->body == R"({"model":"k2.6","messages":[],"stream":true,)"
                      R"("stream_options":{"include_usage":true}})");
  CHECK(chat->streams);
  CHECK(chat->header("Authorization") == "Bearer sk-invented-0123456789");
  const auto messages =
      build(asked(R"({"model":"k","betas":["x"],"messages":[]})", surface::messages));
  REQUIRE(messages);
  CHECK(messages->url == "https://api.kimi.com/coding/v1/messages");
  CHECK(messages->body == R"({"model":"k2.6","messages":[]})");
  CHECK(messages->header("anthropic-version") == "2023-06-01");
  CHECK_FALSE(messages->header("x-api-key"));
  CHECK_FALSE(messages->streams);
  CHECK_FALSE(build(asked(R"({"model":"k"})", surface::responses)));
}

TEST_CASE("Kimi: the caller is named as what it is, and only to accounts") {
  auto from = asked(R"({"model":"k","messages":[]})");
  CHECK_FALSE(build(from)->header("X-Msh-Platform"));
  from.who.auth = provider::auth_kind::account;
  from.who.device_id = "device-1";
  const auto got = build(from);
  REQUIRE(got);
  CHECK(got->header("X-Msh-Platform") == "tidegate");
  CHECK(got->header("X-Msh-Version") == "0.1.0");
  CHECK(got->header("X-Msh-Device-Id") == "device-1");
  CHECK_FALSE(got->header("X-Msh-Device-Name"));
  CHECK(got->header("User-Agent") == "tidegate/0.1.0");
}

TEST_CASE("Kimi: the coding service has names of its own") {
  struct row {
    const char* asked;
    const char* there;
  };
  for (const auto& row :
       {row{"kimi-k3", "k3"}, row{"Kimi-K3[1m]", "k3"}, row{"kimi-k2.7-code", "kimi-for-coding"},
        row{"kimi-k2.7-code-highspeed", "kimi-for-coding-highspeed"},
        row{"kimi-for-coding", "kimi-for-coding"}, row{"k3", "k3"}, row{"other", "other"}}) {
    CAPTURE(row.asked);
    auto from = asked(R"({"model":"k3"})");
    from.model = row.asked;
    CHECK(build(from)->body == std::string{R"({"model":")"} + row.there + "\"}");
    from.who.base_url = "https://api.moonshot.example/v1";
    CHECK(build(from)->body == std::string{R"({"model":")"} + row.asked + "\"}");
    CHECK(build(from)->url == "https://api.moonshot.example/v1/chat/completions");
  }
}

TEST_CASE("Kimi: an effort in Chat's word becomes its own") {
  struct row {
    const char* given;
    const char* sent;
  };
  for (const auto& row :
       {row{R"("reasoning_effort":"high")", R"("thinking":{"type":"enabled","effort":"high"})"},
        row{R"("reasoning_effort":"none")", R"("thinking":{"type":"disabled"})"},
        row{R"("reasoning_effort":"auto")", R"("thinking":{"type":"enabled"})"},
        row{R"("thinking":{"type":"enabled","keep":"all"},"reasoning_effort":"low")",
            R"("thinking":{"type":"enabled","keep":"all"})"},
        row{R"("n":1)", R"("n":1)"}}) {
    CAPTURE(row.given);
    const auto got = build(asked(std::string{R"({"model":"k2.6",)"} + row.given + "}"));
    REQUIRE(got);
    CHECK(got->body == std::string{R"({"model":"k2.6",)"} + row.sent + "}");
  }
}

TEST_CASE("Kimi: a history that it refuses is mended, any other keeps its bytes") {
  struct row {
    const char* what;
    const char* given;
    std::optional<std::string> mended;
  };
  const auto calls = [](const std::string& rest) {
    return R"({"role":"assistant","content":null,"tool_calls":[{"id":"a"}])" + rest + "}";
  };
  const std::string own = calls(R"(,"reasoning_content":"why")");
  const std::string user = R"({"role":"user","content":"hi"})";
  const std::vector<row> rows{
      {"nothing to mend", R"([ {"role":"user","content":""}, {"role":"assistant","content":"x"} ])",
       std::nullopt},
      {"no list", R"({"role":"assistant"})", std::nullopt},
      {"empty answers",
       R"([{"role":"assistant","content":" "},{"role":"assistant"},)"
       R"({"role":"assistant","content":[]},{"role":"user","content":"hi"},)"
       R"({"role":"assistant","content":null}])",
       "[" + user + "]"},
      {"answers that say something else",
       R"([{"role":"assistant","content":"","reasoning_content":"why"},)"
       R"({"role":"assistant","content":"","refusal":"no"}])",
       std::nullopt},
      {"a call without a reason",
       R"([{"role":"assistant","content":null,"tool_calls":[{"id":"a"}]}])",
       "[" + calls(R"(,"reasoning_content":"[reasoning unavailable]")") + "]"},
      {"its own text is its reason",
       R"([{"role":"assistant","content":"so \"it\" goes","tool_calls":[{"id":"a"}]}])",
       R"([{"role":"assistant","content":"so \"it\" goes","tool_calls":[{"id":"a"}],)"
       R"("reasoning_content":"so \"it\" goes"}])"},
      {"its own text in parts",
       R"([{"role":"assistant","content":[{"type":"text","text":"so"}],"tool_calls":[{"id":"a"}]}])",
       R"([{"role":"assistant","content":[{"type":"text","text":"so"}],"tool_calls":[{"id":"a"}],)"
       R"("reasoning_content":"so"}])"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    CHECK(provider::kimi::mended_history(row.given) == row.mended);
  }
  CHECK_FALSE(provider::kimi::mended_history("[" + own + "]"));
  CHECK(provider::kimi::mended_history("[" + own + "," + calls("") + "]") ==
        "[" + own + "," + own + "]");
}

TEST_CASE("Kimi: a result without an id takes the one that can be meant") {
  const std::string two = R"({"role":"assistant","content":"x","reasoning_content":"y",)"
                          R"("tool_calls":[{"id":"a"},{"id":"b"}]})";
  const std::string first = R"({"role":"tool","tool_call_id":"a","content":"1"})";
  const std::string bare = R"({"role":"tool","content":"2"})";
  const std::string named = R"({"role":"tool","content":"2","tool_call_id":"b"})";
  CHECK(provider::kimi::mended_history("[" + two + "," + first + "," + bare + "]") ==
        "[" + two + "," + first + "," + named + "]");
  CHECK_FALSE(provider::kimi::mended_history("[" + two + "," + bare + "]"));
  CHECK(provider::kimi::mended_history(R"([{"role":"tool","call_id":"c","content":"2"}])") ==
        R"([{"role":"tool","call_id":"c","content":"2","tool_call_id":"c"}])");
}
