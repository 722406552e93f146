#include "base/log.hpp"

#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "tests/support/catch.hpp"

using namespace tidegate;

TEST_CASE("only lines at or above the level are written") {
  std::vector<std::pair<log::level, std::string>> seen;
  log::observe([&seen](log::level at, std::string_view text) { seen.emplace_back(at, text); });
  log::set_level(log::level::warn);
  log::info("not shown {}", 1);
  log::warn("shown {}", 2);
  log::observe(nullptr);
  log::error("not observed any more");
  log::set_level(log::level::info);
  REQUIRE(seen.size() == 1);
  CHECK(seen[0] == std::pair{log::level::warn, std::string{"shown 2"}});
}

TEST_CASE("a line holds no text as a format") {
  std::vector<std::string> seen;
  log::observe([&seen](log::level, std::string_view text) { seen.emplace_back(text); });
  log::write(log::level::warn, "{} {0} %s");
  log::observe(nullptr);
  REQUIRE(seen.size() == 1);
  CHECK(seen[0] == "{} {0} %s");
}

TEST_CASE("every error code has its own name") {
  const std::vector<errc> codes{errc::invalid_input, errc::limit_exceeded, errc::not_found,
                                errc::io_failure,    errc::timed_out,      errc::connection_closed,
                                errc::tls_failure,   errc::cancelled,      errc::unavailable};
  std::vector<std::string_view> names;
  for (const errc code : codes) {
    for (const auto earlier : names) CHECK(earlier != to_string(code));
    names.push_back(to_string(code));
  }
}

TEST_CASE("a failure carries its code and detail") {
  const result<int> broken = failed(errc::not_found, "no such entry");
  REQUIRE_FALSE(broken.has_value());
  CHECK(broken.error().code == errc::not_found);
  CHECK(broken.error().detail == "no such entry");
}
