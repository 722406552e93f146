#include <rapidcheck.h>

#include "http/management/lockout.hpp"
#include "tests/support/catch.hpp"

namespace tidegate::http {
namespace {

using namespace std::chrono_literals;

const instant t0 = from_unix(1'800'000'000);

void fail_often(lockout& tries, const std::string& address, bool loopback, int times) {
  for (int i = 0; i < times; ++i) tries.failed(address, loopback, t0);
}

}  // namespace

TEST_CASE("the fifth wrong key in a row locks an address out for half an hour") {
  lockout tries;
  fail_often(tries, "192.0.2.1", false, 4);
  CHECK_FALSE(tries.remaining("192.0.2.1", t0));
  tries.failed("192.0.2.1", false, t0);
  CHECK(tries.remaining("192.0.2.1", t0) == 30min);
  CHECK(tries.remaining("192.0.2.1", t0 + 29min) == 1min);
  CHECK_FALSE(tries.remaining("192.0.2.1", t0 + 30min));
  CHECK_FALSE(tries.remaining("192.0.2.2", t0));
}

TEST_CASE("an address that has served its time may fail five times again") {
  lockout tries;
  fail_often(tries, "192.0.2.1", false, 5);
  for (int i = 0; i < 4; ++i) tries.failed("192.0.2.1", false, t0 + 31min);
  CHECK_FALSE(tries.remaining("192.0.2.1", t0 + 31min));
  tries.failed("192.0.2.1", false, t0 + 31min);
  CHECK(tries.remaining("192.0.2.1", t0 + 31min) == 30min);
}

TEST_CASE("a right key forgives the wrong ones before it") {
  lockout tries;
  fail_often(tries, "192.0.2.1", false, 4);
  tries.succeeded("192.0.2.1");
  fail_often(tries, "192.0.2.1", false, 4);
  CHECK_FALSE(tries.remaining("192.0.2.1", t0));
}

TEST_CASE("failures older than the memory do not count") {
  lockout tries;
  fail_often(tries, "192.0.2.1", false, 4);
  const auto later = t0 + lockout_memory + 1s;
  tries.failed("192.0.2.1", false, later);
  CHECK_FALSE(tries.remaining("192.0.2.1", later));
}

TEST_CASE("this machine is held up for seconds only, however often it fails") {
  lockout tries;
  auto now = t0;
  for (int i = 0; i < 500; ++i) {
    tries.failed("loopback", true, now);
    const auto wait = tries.remaining("loopback", now);
    if (wait) CHECK(*wait <= loopback_lockout_time);
    now += wait.value_or(0ns);
  }
  CHECK_FALSE(tries.remaining("loopback", now + loopback_lockout_time));
}

TEST_CASE("a clock that is set back does not lengthen the wait") {
  lockout tries;
  fail_often(tries, "192.0.2.1", false, 5);
  CHECK(tries.remaining("192.0.2.1", t0 - 24h) == lockout_time);
}

TEST_CASE("a full table drops the address that was silent longest, a free one first") {
  lockout tries;
  fail_often(tries, "locked", false, 5);
  tries.failed("free and old", false, t0 + 1s);
  for (std::size_t i = 2; i < lockout_addresses_max; ++i) {
    tries.failed("a" + std::to_string(i), false, t0 + 2s);
  }
  REQUIRE(tries.size() == lockout_addresses_max);
  tries.failed("new", false, t0 + 3s);
  CHECK(tries.size() == lockout_addresses_max);
  CHECK(tries.remaining("locked", t0 + 3s));
  // Had it been kept, this fourth failure after its first would be its fifth in all.
  for (int i = 0; i < 4; ++i) tries.failed("free and old", false, t0 + 4s);
  CHECK_FALSE(tries.remaining("free and old", t0 + 4s));
}

TEST_CASE("a full table forgets silent addresses before busy ones") {
  lockout tries;
  for (std::size_t i = 0; i < lockout_addresses_max; ++i) {
    tries.failed("a" + std::to_string(i), false, t0);
  }
  tries.failed("new", false, t0 + lockout_memory + 1s);
  CHECK(tries.size() == 1);
}

TEST_CASE("addresses of one IPv6 network count as one") {
  const auto [peer, group] = GENERATE(table<const char*, const char*>({
      {"192.0.2.7", "192.0.2.7"},
      {"2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"},
      {"2001:db8:1:2::ffff", "2001:db8:1:2::/64"},
      {"::ffff:192.0.2.7", "192.0.2.7"},
      {"no address", "no address"},
      {"", ""},
  }));
  CHECK(address_group(peer) == group);
}

TEST_CASE("no address waits longer than its bound and the table keeps its size") {
  REQUIRE(rc::check("lockout bounds", [](const std::vector<std::tuple<int, bool, int>>& script) {
    lockout tries;
    auto now = t0;
    for (const auto& [who, loopback, step] : script) {
      const auto address = std::to_string(who & 7) + (loopback ? "l" : "r");
      now += std::chrono::seconds{step % 3600};
      if (step % 5 == 0) {
        tries.succeeded(address);
        RC_ASSERT(!tries.remaining(address, now));
      } else {
        tries.failed(address, loopback, now);
      }
      // The macro evaluates every part of its expression, so the empty case needs a value.
      const auto wait = tries.remaining(address, now).value_or(1ns);
      RC_ASSERT(wait > 0ns);
      RC_ASSERT(wait <= (loopback ? loopback_lockout_time : lockout_time));
      RC_ASSERT(tries.size() <= 16u);
    }
  }));
}

}  // namespace tidegate::http
