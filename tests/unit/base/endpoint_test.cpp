#include "base/endpoint.hpp"

#include <string>

#include "tests/support/catch.hpp"

using namespace tidegate;

TEST_CASE("secrets go over TLS or stay on the machine") {
  const auto [url, allowed] = GENERATE(table<std::string, bool>({
      {"https://auth.example.com/token", true},
      {"HTTPS://auth.example.com", true},
      {"https://auth.example.com:8443/t?x=1", true},
      {"http://127.0.0.1:9000/token", true},
      {"http://127.255.0.9/", true},
      {"http://localhost", true},
      {"http://[::1]:80/x", true},
      {"https://[2001:db8::1]/x", true},
      {"http://auth.example.com/token", false},
      {"http://127.0.0.1.example.com/", false},
      {"http://localhost.example.com/", false},
      {"http://0.0.0.0/", false},
      {"http://user@127.0.0.1/", false},
      {"https://127.0.0.1@evil.example/", false},
      {"https://", false},
      {"https:///path", false},
      {"https://:443/", false},
      {"https://host:port/", false},
      {"https://host:123456/", false},
      {"https://ho st/", false},
      {"https://host/a\r\nX: y", false},
      {"https://host/\xc3\xa9", false},
      {"ftp://127.0.0.1/", false},
      {"//host/", false},
      {"", false},
  }));
  CAPTURE(url);
  CHECK(is_protected_url(url) == allowed);
}

TEST_CASE("an endless URL is none") {
  CHECK_FALSE(is_protected_url("https://host/" + std::string(2048, 'a')));
}

TEST_CASE("the origin of a URL ends before its path") {
  CHECK(origin_of("https://auth.example.com:1/a?b") == "https://auth.example.com:1");
  CHECK(origin_of("https://auth.example.com?b") == "https://auth.example.com");
  CHECK(origin_of("https://").empty());
  CHECK(origin_of("no url").empty());
}
