#include "http/server/client_keys.hpp"
#include "http/server/origins.hpp"
#include "tests/support/catch.hpp"

namespace tidegate::http {
namespace {

access_options two_keys() {
  access_options out;
  out.api_keys.emplace_back("key-one");
  out.api_keys.emplace_back("key two+");
  return out;
}

request call_with(const char* name, const char* value, const char* query) {
  request out;
  if (name[0] != '\0') out.headers.insert(name, value);
  out.query = query;
  return out;
}

}  // namespace

TEST_CASE("a client key is found in each of its five places") {
  const auto [name, value, query, expected] =
      GENERATE(table<const char*, const char*, const char*, key_check>({
          {"Authorization", "Bearer key-one", "", key_check::ok},
          {"authorization", "bEARER   key-one ", "", key_check::ok},
          {"Authorization", "key-one", "", key_check::ok},
          {"Authorization", "Basic key-one", "", key_check::invalid},
          {"Authorization", "Bearer ", "", key_check::missing},
          {"Authorization", "", "", key_check::missing},
          {"Authorization", "Bearer KEY-ONE", "", key_check::invalid},
          {"Authorization", "Bearer key-on", "", key_check::invalid},
          {"X-Goog-Api-Key", "key-one", "", key_check::ok},
          {"x-api-key", "key two+", "", key_check::ok},
          {"X-Api-Key", "nope", "", key_check::invalid},
          {"", "", "key=key-one", key_check::ok},
          {"", "", "alt=sse&key=key%2Done&x", key_check::ok},
          {"", "", "key=key+two%2B", key_check::ok},
          {"", "", "%6bey=key-one", key_check::ok},
          {"", "", "auth_token=key-one", key_check::ok},
          {"", "", "auth%5Ftoken=key-one", key_check::ok},
          {"", "", "token=key-one", key_check::missing},
          {"", "", "key=", key_check::missing},
          {"", "", "key=wrong", key_check::invalid},
          {"", "", "", key_check::missing},
          {"X-Api-Key", "wrong", "auth_token=key-one", key_check::ok},
      }));
  CAPTURE(name, value, query);
  CHECK(check_client_key(call_with(name, value, query), two_keys(), false) == expected);
}

TEST_CASE("a wrong candidate in an earlier place does not hide a right one") {
  request call = call_with("Authorization", "Bearer wrong", "");
  call.headers.insert("X-Api-Key", "key-one");
  CHECK(check_client_key(call, two_keys(), false) == key_check::ok);
}

TEST_CASE("without keys a call is let in only where anonymous calls are served") {
  const access_options none;
  CHECK(check_client_key(request{}, none, true) == key_check::ok);
  CHECK(check_client_key(call_with("X-Api-Key", "any", ""), none, true) == key_check::ok);
  CHECK(check_client_key(request{}, none, false) == key_check::missing);
  CHECK(check_client_key(call_with("X-Api-Key", "any", ""), none, false) == key_check::invalid);
  CHECK(check_client_key(request{}, two_keys(), true) == key_check::missing);
}

TEST_CASE("an empty configured key opens nothing") {
  access_options access;
  access.api_keys.emplace_back("");
  CHECK(check_client_key(call_with("Authorization", "", "key="), access, true) ==
        key_check::missing);
}

TEST_CASE("anonymous calls are served on loopback or by permission") {
  const auto [host, open] = GENERATE(table<const char*, bool>({{"127.0.0.1", true},
                                                               {"127.9.9.9", true},
                                                               {"::1", true},
                                                               {"[::1]", true},
                                                               {"localhost", true},
                                                               {"LocalHost", true},
                                                               {"", false},
                                                               {"0.0.0.0", false},
                                                               {"::", false},
                                                               {"192.0.2.1", false},
                                                               {"localhost.test", false}}));
  CAPTURE(host);
  server_options options;
  CHECK(serves_anonymous(options, host) == open);
  options.allow_anonymous = true;
  CHECK(serves_anonymous(options, host));
}

TEST_CASE("keys are cut out of a query and nothing else") {
  const auto [query, cleaned] = GENERATE(table<const char*, const char*>({
      {"", ""},
      {"key=secret", ""},
      {"alt=sse&key=secret", "alt=sse"},
      {"key=secret&alt=sse", "alt=sse"},
      {"a=1&auth_token=secret&b=%20+", "a=1&b=%20+"},
      {"a&%6B%65%79=secret&b", "a&b"},
      {"auth%5ftoken=secret&k%65y=again", ""},
      {"monkey=1&keys=2&Key=3", "monkey=1&keys=2&Key=3"},
      {"a=1&&b=2", "a=1&&b=2"},
      {"key", ""},
      {"%=1&%zz", "%=1&%zz"},
  }));
  CAPTURE(query);
  CHECK(without_keys(query) == cleaned);
}

TEST_CASE("an origin is foreign unless it is local or no web page") {
  const auto [origin, foreign] = GENERATE(table<const char*, bool>({
      {"http://localhost", false},
      {"http://localhost:3000", false},
      {"https://LOCALHOST:1", false},
      {"http://127.0.0.1:8317", false},
      {"http://127.8.9.1", false},
      {"http://[::1]", false},
      {"https://[::1]:8317", false},
      {"vscode-webview://1ab2", false},
      {"chrome-extension://abcdef", false},
      {"file://", false},
      {"", false},
      {"null", true},
      {"NULL", true},
      {"https://a.test", true},
      {"HTTPS://a.test", true},
      {"http://localhost.a.test", true},
      {"http://a.localhost", true},
      {"http://127.0.0.1.a.test", true},
      {"http://192.168.0.2", true},
      {"http://0.0.0.0", true},
      {"http://[::2]:80", true},
      {"http://[::1", true},
      {"http://[::1]a.test", true},
      {"http://localhost@a.test", true},
      {"http://localhost:80@a.test", true},
      {"http://localhost, https://a.test", true},
      {"http://", true},
      {"http:localhost", true},
      {"http", true},
  }));
  CAPTURE(origin);
  CHECK(is_foreign_origin(origin) == foreign);
}

TEST_CASE("one foreign origin among several is enough") {
  request call;
  CHECK_FALSE(is_from_another_site(call));
  call.headers.insert("Origin", "http://localhost");
  CHECK_FALSE(is_from_another_site(call));
  call.headers.insert("origin", "https://a.test");
  CHECK(is_from_another_site(call));
}

}  // namespace tidegate::http
