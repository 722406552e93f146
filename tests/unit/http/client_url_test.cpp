#include <string>
#include <string_view>

#include "http/client/url.hpp"
#include "tests/support/catch.hpp"

using namespace tidegate;
using namespace tidegate::http::upstream;

namespace {

struct good_row {
  std::string text;
  bool tls;
  std::string host;
  int port;
  std::string authority;
  std::string target;
};

}  // namespace

TEST_CASE("reads scheme, host, port and target of an address") {
  const auto row = GENERATE(values<good_row>({
      {"http://api.example", false, "api.example", 80, "api.example", ""},
      {"https://api.example/v1/x?a=b", true, "api.example", 443, "api.example", "/v1/x?a=b"},
      {"HTTPS://API.example:8443/", true, "API.example", 8443, "API.example:8443", "/"},
      {"http://api.example:80/a", false, "api.example", 80, "api.example", "/a"},
      {"https://api.example:80/a", true, "api.example", 80, "api.example:80", "/a"},
      {"http://127.0.0.1:9?q", false, "127.0.0.1", 9, "127.0.0.1:9", "?q"},
      {"http://[::1]:8080/p", false, "::1", 8080, "[::1]:8080", "/p"},
      {"https://[2001:db8::7]", true, "2001:db8::7", 443, "[2001:db8::7]", ""},
      {"http://a_b-c.example/%20:@!$&'()*+,;=~", false, "a_b-c.example", 80, "a_b-c.example",
       "/%20:@!$&'()*+,;=~"},
  }));
  CAPTURE(row.text);
  const auto read = parse_url(row.text);
  REQUIRE(read.has_value());
  CHECK(read->tls == row.tls);
  CHECK(read->host == row.host);
  CHECK(read->port == row.port);
  CHECK(read->authority == row.authority);
  CHECK(read->target == row.target);
}

TEST_CASE("refuses an address that could mean something else to the next hop") {
  const std::string text = GENERATE(values<std::string>({
      "",
      "api.example",
      "ftp://api.example",
      "//api.example",
      "http://",
      "http:///x",
      "https://:443",
      "http://user@api.example",
      "http://user:pw@api.example/",
      "http://a b/",
      "http://a/ b",
      "http://a/\r\nX: y",
      "http://a\r\n/",
      "http://a/\tb",
      "http://a/#f",
      "http://a#f",
      "http://a:0/",
      "http://a:65536/",
      "http://a:99999999999/",
      "http://a:/",
      "http://a:8x/",
      "http://a:+8/",
      "http://a:80:80/",
      "http://[::1/",
      "http://[::1]x/",
      "http://[]/",
      "http://[1234]/",
      "http://[::1%25eth0]/",
      "http://::1/",
      "http://a%2fb/",
      "http://caf\xc3\xa9/",
      "http://a/caf\xc3\xa9",
      "http://a/\"",
      "http://a/<b>",
      "http://a/\\b",
      "http://a/\x7f",
      "http:/a",
      "http//a",
  }));
  CAPTURE(text);
  const auto read = parse_url(text);
  REQUIRE_FALSE(read.has_value());
  CHECK(read.error().code == errc::invalid_input);
}

TEST_CASE("an address error never repeats the address") {
  const auto read = parse_url("https://api.example/x?key=sk-planted secret");
  REQUIRE_FALSE(read.has_value());
  CHECK(read.error().detail.find("planted") == std::string::npos);
}

TEST_CASE("bounds the length of an address and of its host") {
  const std::string base = "http://a/";
  CHECK(parse_url(base + std::string(url_bytes_max - base.size(), 'x')).has_value());
  CHECK_FALSE(parse_url(base + std::string(url_bytes_max - base.size() + 1, 'x')).has_value());
  CHECK(parse_url("http://" + std::string(253, 'a')).has_value());
  CHECK_FALSE(parse_url("http://" + std::string(254, 'a')).has_value());
}

TEST_CASE("names an endpoint in lower case with brackets where they are needed") {
  CHECK(endpoint_text("API.Example", false, 443) == "api.example:443");
  CHECK(endpoint_text("2001:DB8::1", true, 80) == "[2001:db8::1]:80");
}
