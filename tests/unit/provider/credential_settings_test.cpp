#include "provider/credential_rewrite.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/provider/token_fixture.hpp"

using namespace tidegate;
using namespace tidegate::provider;

namespace {

std::string changed(std::string_view file, std::string_view patch) {
  CAPTURE(file, patch);
  const auto made = with_fields(file, nlohmann::json::parse(patch));
  if (!made) FAIL(made.error().detail);
  return *made;
}

std::string refusal(std::string_view patch) {
  CAPTURE(patch);
  const auto made = with_fields(R"({"type":"codex"})", nlohmann::json::parse(patch));
  REQUIRE_FALSE(made.has_value());
  CHECK(made.error().code == errc::invalid_input);
  return made.error().detail;
}

}  // namespace

TEST_CASE("every setting of an account can be set") {
  const auto* const patch = GENERATE(
      R"({"disabled":true})", R"({"priority":-3})", R"({"priority":"7"})", R"({"weight":0})",
      R"({"prefix":"team"})", R"({"proxy_url":"socks5h://u:p@127.0.0.1:9"})",
      R"({"proxy_url":"direct"})", R"({"proxy_url":""})", R"({"excluded_models":["gpt-4*"]})",
      R"({"model_aliases":[{"name":"a","alias":"b","fork":true}]})", R"({"headers":{"X-A":"1"}})",
      R"({"request_retry":2})", R"({"max_concurrency":3})", R"({"disable_cooling":false})",
      R"({"request_scoped_errors":[{"status":400,"match":["x"],"action":"stop"}]})",
      R"({"note":"one line"})", R"({"websockets":true})", R"({"base_url":"https://own.example"})",
      R"({"refresh_interval_seconds":60})", R"({"refresh_interval":60})");
  const std::string whole{patch};
  CHECK(changed("{}", whole) == nlohmann::json::parse(whole).dump());
  const auto file = changed(R"({"type":"codex","access_token":"at"})", whole);
  CHECK(from_file("a.json", "/a.json", file, {}).has_value());
}

TEST_CASE("a setting keeps the spelling of the file, and null removes each of them") {
  CHECK(changed(R"({"proxy-url":"direct","x":1})", R"({"proxy_url":"none"})") ==
        R"({"proxy-url":"none","x":1})");
  CHECK(changed(R"({"x":1})", R"({"proxy-url":"none"})") == R"({"x":1,"proxy_url":"none"})");
  CHECK(changed(R"({"proxy-url":"a","x":1,"proxy_url":"b"})", R"({"proxy_url":null})") ==
        R"({"x":1})");
  CHECK(changed(R"({"x":1})", R"({"note":null})") == R"({"x":1})");
}

TEST_CASE("headers merge by name, and an empty value removes one") {
  const std::string file = R"({"headers":{"X-A":"1","X-B":"2"},"z":0})";
  CHECK(changed(file, R"({"headers":{"x-a":"3","X-C":"4"}})") ==
        R"({"headers":{"X-A":"3","X-B":"2","X-C":"4"},"z":0})");
  CHECK(changed(file, R"({"headers":{"X-A":"","X-C":null}})") ==
        R"({"headers":{"X-B":"2"},"z":0})");
  CHECK(changed(file, R"({"headers.X-B":null})") == R"({"headers":{"X-A":"1"},"z":0})");
  CHECK(changed(file, R"({"headers.X.Dot":"5"})") ==
        R"({"headers":{"X-A":"1","X-B":"2","X.Dot":"5"},"z":0})");
  CHECK(changed(file, R"({"headers":{"X-A":"","X-B":" "}})") == R"({"z":0})");
  CHECK(changed(file, R"({"headers":null})") == R"({"z":0})");
  CHECK(changed(R"({"headers":7})", R"({"headers":{"X-A":"1"}})") == R"({"headers":{"X-A":"1"}})");
}

TEST_CASE("a setting of a wrong kind is refused by its name") {
  const auto [patch, problem] = GENERATE(table<std::string, std::string>({
      {R"({"weight":1.5})", "`weight` must be a whole number"},
      {R"({"weight":"much"})", "`weight` must be a whole number"},
      {R"({"weight":1000001})", "`weight` must be from"},
      {R"({"priority":99999999999})", "`priority` must be from"},
      {R"({"prefix":"a/b"})", "`prefix` must not hold a slash"},
      {R"({"prefix":7})", "`prefix` must be text"},
      {R"({"prefix":"  "})", "`prefix` is blank"},
      {R"({"note":"two\nlines"})", "`note` holds a control character"},
      {"{\"note\":\"a\\u0000b\"}", "`note` holds a control character"},
      {R"({"proxy_url":"ftp://x"})", "`proxy_url` must be direct"},
      {R"({"proxy_url":"http://"})", "`proxy_url` must be direct"},
      {R"({"base_url":"own.example"})", "`base_url` must be a URL"},
      {R"({"base_url":"https://own.example:70000"})", "the port is not a number"},
      {R"({"base_url":"https://u:p@own.example"})", "without user name"},
      {R"({"base_url":"https://own.example/v1?key=x"})", "without user name"},
      {R"({"proxy_url":"http://p.example:port"})", "the port is not a number"},
      {R"({"proxy_url":"http://p.example/path"})", "without a path"},
      {R"({"proxy_url":"http://a%:b@p.example"})", "percent-encoded"},
      {R"({"prefix":"a\u0007b"})", "`prefix` holds a control character"},
      {R"({"excluded_models":["a\nb"]})", "`excluded_models` holds a control character"},
      {"{\"base_url\":\"https://a\\u0000b\"}", "`base_url` holds a control character"},
      {R"({"excluded_models":"x"})", "`excluded_models` must be a list"},
      {R"({"excluded_models":[1]})", "`excluded_models` must hold text only"},
      {R"({"headers":[]})", "`headers` must be an object"},
      {R"({"headers":{"X A":"1"}})", "`headers.X A` is no header"},
      {R"({"headers":{"X-A":"1\r\nX-B: 2"}})", "`headers.X-A` is no header"},
      {R"({"headers":{"Content-Length":"1"}})", "`headers.Content-Length` is no header"},
      {R"({"headers":{"X-A":1}})", "`headers.X-A` must be text"},
      {R"({"request_scoped_errors":[{"action":"explode"}]})", "request_scoped_errors[0]"},
      {R"({"refresh_interval":-1})", "`refresh_interval` must be from 0"},
  }));
  CHECK_THAT(refusal(patch), ContainsSubstring(problem));
}

TEST_CASE("tokens and what is no setting cannot be set") {
  const auto* const name = GENERATE("access_token", "refresh-token", "type", "email", "expired",
                                    "note.x", "", "model_aliases.0");
  CAPTURE(name);
  CHECK(refusal(nlohmann::json{{name, "x"}}.dump()) == "`" + std::string{name} + "` cannot be set");
}

TEST_CASE("a refusal repeats no odd bytes and no endless name") {
  const std::string odd =
      refusal(nlohmann::json{{"a\n\x1b[2J" + std::string(5000, 'x'), 1}}.dump());
  CHECK(odd.size() <= 200);
  CHECK(odd.find('\n') == std::string::npos);
  CHECK(odd.find('\x1b') == std::string::npos);
}

TEST_CASE("nothing is set when one field is refused, or none is named") {
  CHECK_THAT(refusal(R"({"note":"good","weight":"bad"})"), ContainsSubstring("weight"));
  CHECK(refusal("{}") == "there is no field to set");
  CHECK(refusal("[]") == "there is no field to set");
  CHECK_FALSE(with_fields("no json", nlohmann::json{{"note", "x"}}).has_value());
}

TEST_CASE("a file does not grow beyond its bound") {
  std::vector<std::string> names(3000, std::string(400, 'x'));
  CHECK_THAT(refusal(nlohmann::json{{"excluded_models", names}}.dump()),
             ContainsSubstring("too large"));
  CHECK_THAT(refusal(nlohmann::json{{"note", std::string(9000, 'x')}}.dump()),
             ContainsSubstring("`note` is too long"));
}
