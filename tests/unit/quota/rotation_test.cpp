#include "quota/rotation.hpp"

#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/unit/quota/fixtures.hpp"

namespace tidegate::quota {
namespace {

using namespace testing;

rotation with(strategy how, const std::vector<member_info>& members) {
  rotation out{how};
  for (const auto& m : members) out.put(m);
  return out;
}

std::string take(rotation& from, instant now = t0, std::vector<credential_id> tried = {}) {
  const auto id = from.pick(now, tried);
  return id ? id->value : "-";
}

std::string take_many(rotation& from, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += take(from);
  return out;
}

const std::vector<member_info> abc{{{"b"}}, {{"c"}}, {{"a"}}};

}  // namespace

TEST_CASE("round-robin goes on to the next greater id and wraps") {
  auto pool = with(strategy::round_robin, abc);
  CHECK(take_many(pool, 7) == "abcabca");
}

TEST_CASE("round-robin goes on after the last picked id even when it is gone") {
  auto pool = with(strategy::round_robin, abc);
  take_many(pool, 2);
  pool.remove({"b"});
  CHECK(take_many(pool, 2) == "ca");
  pool.put({{"bb"}});
  CHECK(take(pool) == "bb");
}

TEST_CASE("ids are ordered by bytes") {
  auto pool = with(strategy::round_robin, {{{"\xc3\xa9"}}, {{"z"}}, {{"Z"}}, {{"10"}}, {{"9"}}});
  CHECK(take_many(pool, 5) == "109Zz\xc3\xa9");
}

TEST_CASE("fill-first stays with the smallest ready id") {
  auto pool = with(strategy::fill_first, abc);
  CHECK(take_many(pool, 3) == "aaa");
  pool.set_blocked({"a"}, t0 + 1h);
  CHECK(take_many(pool, 2) == "bb");
  CHECK(take(pool, t0 + 1h) == "a");
}

TEST_CASE("smooth weighting spreads three to one as A A B A") {
  auto pool = with(strategy::weighted_round_robin, {{{"A"}, 0, 3}, {{"B"}, 0, 1}});
  CHECK(take_many(pool, 8) == "AABAAABA");
}

TEST_CASE("smooth weighting gives equal credit to the smallest id") {
  auto pool = with(strategy::weighted_round_robin, {{{"b"}, 0, 2}, {{"a"}, 0, 2}, {{"c"}, 0, 2}});
  CHECK(take_many(pool, 6) == "abcabc");
}

TEST_CASE("weight 0 is never picked under the weighted strategy only") {
  const std::vector<member_info> members{{{"a"}, 0, 0}, {{"b"}, 0, 1}, {{"c"}, 0, -3}};
  SECTION("weighted") {
    auto pool = with(strategy::weighted_round_robin, members);
    CHECK(take_many(pool, 3) == "bbb");
    CHECK_FALSE(pool.is_ready({"a"}, t0));
    CHECK_FALSE(pool.is_ready({"c"}, t0));
    pool.set_blocked({"a"}, t0 + 1s);
    CHECK_FALSE(pool.next_ready_at());
    pool.set_blocked({"b"}, std::nullopt);
    CHECK(take(pool, t0 + 1h) == "-");
    pool.put({{"a"}, 0, 1});
    CHECK(take(pool, t0 + 1h) == "a");
  }
  SECTION("round-robin") {
    auto pool = with(strategy::round_robin, members);
    CHECK(take_many(pool, 3) == "abc");
  }
}

TEST_CASE("a changed weight resets the credits, an unchanged one keeps them") {
  auto pool = with(strategy::weighted_round_robin, {{{"A"}, 0, 3}, {{"B"}, 0, 1}});
  take_many(pool, 2);
  pool.put({{"A"}, 0, 3});
  CHECK(take_many(pool, 2) == "BA");
  take_many(pool, 2);
  pool.put({{"B"}, 0, 2});
  CHECK(take_many(pool, 5) == "ABABA");
}

TEST_CASE("only the highest priority with a ready member is used") {
  const auto how =
      GENERATE(strategy::round_robin, strategy::fill_first, strategy::weighted_round_robin);
  auto pool = with(how, {{{"low"}, -1}, {{"mid"}, 0}, {{"top"}, 5}});
  CHECK(take_many(pool, 2) == "toptop");
  pool.set_blocked({"top"}, t0 + 1min);
  CHECK(take(pool) == "mid");
  pool.set_blocked({"mid"}, std::nullopt);
  CHECK(take(pool) == "low");
  CHECK(take(pool, t0 + 1min) == "top");
  CHECK(take(pool, t0 + 1min, {{"top"}}) == "low");
  pool.put({{"low"}, 9});
  CHECK(take(pool, t0 + 1min) == "low");
}

TEST_CASE("each priority keeps its own cursor") {
  auto pool = with(strategy::round_robin, {{{"a"}, 1}, {{"b"}, 1}, {{"m"}, 0}, {{"n"}, 0}});
  CHECK(take(pool) == "a");
  CHECK(take(pool, t0, {{"a"}, {"b"}}) == "m");
  CHECK(take(pool) == "b");
  CHECK(take(pool, t0, {{"a"}, {"b"}}) == "n");
}

TEST_CASE("a changed weight of a priority's only member keeps its cursor") {
  auto pool = with(strategy::round_robin, {{{"b"}, 0, 3}});
  CHECK(take(pool) == "b");
  pool.put({{"b"}, 0, 1});
  pool.put({{"c"}, 0, 1});
  CHECK(take(pool) == "c");
}

TEST_CASE("tried members are skipped, and none is left when all were tried") {
  const auto how =
      GENERATE(strategy::round_robin, strategy::fill_first, strategy::weighted_round_robin);
  auto pool = with(how, abc);
  CHECK(take(pool, t0, {{"a"}, {"a"}, {"unknown"}}) == "b");
  CHECK(take(pool, t0, {{"a"}, {"b"}}) == "c");
  CHECK(take(pool, t0, {{"a"}, {"b"}, {"c"}}) == "-");
}

TEST_CASE("a pick that finds nobody moves nothing") {
  const auto how =
      GENERATE(strategy::round_robin, strategy::fill_first, strategy::weighted_round_robin);
  auto pool = with(how, abc);
  auto twin = with(how, abc);
  take_many(pool, 2);
  take_many(twin, 2);
  take(pool, t0, {{"a"}, {"b"}, {"c"}});
  CHECK(take_many(pool, 4) == take_many(twin, 4));
}

TEST_CASE("a member is ready again at its instant, by comparison alone") {
  auto pool = with(strategy::round_robin, {{{"a"}}});
  pool.set_blocked({"a"}, t0 + 1h);
  CHECK(pool.next_ready_at() == t0 + 1h);
  CHECK_FALSE(pool.is_ready({"a"}, t0 + 1h - 1ns));
  CHECK(take(pool, t0 + 1h - 1ns) == "-");
  CHECK(pool.is_ready({"a"}, t0 + 1h));
  CHECK(take(pool, t0 + 1h) == "a");
  CHECK_FALSE(pool.next_ready_at());
}

TEST_CASE("a member blocked without end comes back when it is set ready") {
  auto pool = with(strategy::round_robin, {{{"a"}}});
  pool.set_blocked({"a"}, std::nullopt);
  CHECK_FALSE(pool.next_ready_at());
  CHECK(take(pool, t0 + 1000h) == "-");
  pool.set_ready({"a"});
  CHECK(take(pool) == "a");
}

TEST_CASE("a later call replaces the instant of an earlier one") {
  auto pool = with(strategy::round_robin, {{{"a"}}});
  pool.set_blocked({"a"}, t0 + 1h);
  pool.set_blocked({"a"}, t0 + 1min);
  CHECK(pool.next_ready_at() == t0 + 1min);
  pool.set_ready({"a"});
  CHECK_FALSE(pool.next_ready_at());
}

TEST_CASE("putting a member again keeps its block") {
  auto pool = with(strategy::round_robin, {{{"a"}}});
  pool.set_blocked({"a"}, t0 + 1h);
  pool.put({{"a"}, 3, 2});
  CHECK_FALSE(pool.is_ready({"a"}, t0));
  CHECK(pool.next_ready_at() == t0 + 1h);
  REQUIRE(pool.find({"a"}));
  CHECK(pool.find({"a"})->priority == 3);
  CHECK(pool.size() == 1);
}

TEST_CASE("an exact pick takes a ready member of any priority and moves no cursor") {
  auto pool = with(strategy::round_robin, {{{"a"}, 1}, {{"b"}, 1}, {{"low"}, 0}});
  CHECK(pool.pick_exactly({"low"}, t0));
  CHECK(pool.pick_exactly({"b"}, t0));
  CHECK(take_many(pool, 2) == "ab");
  pool.set_blocked({"low"}, t0 + 1h);
  CHECK_FALSE(pool.pick_exactly({"low"}, t0));
  CHECK_FALSE(pool.pick_exactly({"unknown"}, t0));
}

TEST_CASE("calls about unknown members do nothing") {
  rotation pool{strategy::round_robin};
  pool.remove({"x"});
  pool.set_ready({"x"});
  pool.set_blocked({"x"}, t0);
  CHECK(pool.size() == 0);
  CHECK_FALSE(pool.find({"x"}));
  CHECK_FALSE(pool.is_ready({"x"}, t0));
  CHECK(take(pool) == "-");
}

}  // namespace tidegate::quota
