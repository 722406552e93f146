#include "actors/recent_requests.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/actors/actor_world.hpp"

namespace tidegate::actors::test {

TEST_CASE("requests are counted by periods of ten minutes, and old ones are forgotten") {
  recent_requests recent;
  recent.count(true, t0);
  recent.count(false, t0 + 9min);
  recent.count(true, t0 + 10min);
  const auto now = recent.view(t0 + 15min);
  REQUIRE(now.size() == recent_requests::periods);
  CHECK(now[18] == http::recent_count{t0, 1, 1});
  CHECK(now[19] == http::recent_count{t0 + 10min, 1, 0});
  CHECK(now[0] == http::recent_count{t0 - 180min, 0, 0});
  const auto later = recent.view(t0 + 200min);
  CHECK(later[0] == http::recent_count{t0 + 10min, 1, 0});
  recent.count(true, t0 + 200min);
  CHECK(recent.view(t0 + 200min)[19] == http::recent_count{t0 + 200min, 1, 0});
}

}  // namespace tidegate::actors::test
