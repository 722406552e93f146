#include "base/address.hpp"
#include "tests/support/catch.hpp"

using namespace tidegate;

TEST_CASE("a base URL names a host under http or https and nothing else") {
  for (const auto* good : {"", "https://api.example", "HTTP://127.0.0.1:9/v1/", "https://[::1]:8/a%20b"}) {
    CAPTURE(good);
    CHECK(address::base_url_fault(good).empty());
  }
  const auto [bad, why] = GENERATE(table<const char*, const char*>({
      {"api.example", "must be a URL that starts with"},
      {"://x", "must be a URL that starts with"},
      {"ftp://x", "must be a URL that starts with"},
      {"https://", "the host is missing"},
      {"https://:80", "the host is missing"},
      {"https://a:0", "the port is not a number"},
      {"https://a:70000", "the port is not a number"},
      {"https://a:b", "the port is not a number"},
      {"https://u:p@a", "without user name"},
      {"https://a/v1?key=secret", "without user name, password, query"},
      {"https://a/#x", "without user name, password, query"},
      {"https://a b/", "the host is malformed"},
      {"https://a/b c", "percent-encoded"},
      {"https://a/\n", "percent-encoded"},
  }));
  CAPTURE(bad);
  CHECK_THAT(address::base_url_fault(bad), ContainsSubstring(why));
  CHECK(address::base_url_fault(bad).find("secret") == std::string::npos);
}

TEST_CASE("a proxy URL names scheme, login, host and port, and nothing behind them") {
  for (const auto* good : {"", "direct", "None", "http://p", "https://u:p@p.example:3128/",
                           "socks5://u%20a:@[::1]:9", "SOCKS5H://p:1"}) {
    CAPTURE(good);
    CHECK(address::proxy_url_fault(good).empty());
  }
  const auto [bad, why] = GENERATE(table<const char*, const char*>({
      {"p.example:3128", "must be direct, none or a URL"},
      {"ftp://p", "must be direct, none or a URL"},
      {"http://", "the host is missing"},
      {"http://p:x", "the port is not a number"},
      {"http://p:0", "the port is not a number"},
      {"http://p/a", "without a path"},
      {"http://p?a", "without a path"},
      {"http://u%zz:p@p", "percent-encoded"},
      {"http://u%0a:p@p", "percent-encoded"},
      {"http://u p@p", "percent-encoded"},
      {"http://p\r\n", "the host is malformed"},
  }));
  CAPTURE(bad);
  CHECK_THAT(address::proxy_url_fault(bad), ContainsSubstring(why));
}
