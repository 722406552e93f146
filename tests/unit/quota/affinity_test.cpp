#include "quota/affinity.hpp"

#include <string>
#include <utility>

#include "tests/support/catch.hpp"
#include "tests/unit/quota/fixtures.hpp"

namespace tidegate::quota {
namespace {

using namespace testing;

const credential_id alice{"alice"};
const credential_id bob{"bob"};

}  // namespace

TEST_CASE("a binding is found until its time to live has passed") {
  affinity bound{60s};
  bound.bind("s", alice, t0);
  CHECK(bound.find("s", t0 + 59s) == alice);
  CHECK_FALSE(bound.find("other", t0));
  CHECK_FALSE(bound.find("s", t0 + 59s + 60s));
  CHECK(bound.size() == 0);
}

TEST_CASE("reading a binding refreshes it") {
  affinity bound{60s};
  bound.bind("s", alice, t0);
  for (int i = 1; i <= 10; ++i) CHECK(bound.find("s", t0 + i * 59s));
}

TEST_CASE("binding again replaces the credential and refreshes") {
  affinity bound{60s};
  bound.bind("s", alice, t0);
  bound.bind("s", bob, t0 + 30s);
  CHECK(bound.size() == 1);
  CHECK(bound.find("s", t0 + 89s) == bob);
}

TEST_CASE("unbinding removes only what still points there") {
  affinity bound{60s};
  bound.bind("s", alice, t0);
  bound.unbind("s", bob);
  CHECK(bound.find("s", t0) == alice);
  bound.unbind("s", alice);
  bound.unbind("s", alice);
  CHECK(bound.size() == 0);
}

TEST_CASE("a removed credential loses all its bindings") {
  affinity bound{60s};
  bound.bind("1", alice, t0);
  bound.bind("2", bob, t0);
  bound.bind("3", alice, t0);
  bound.forget(alice);
  CHECK(bound.size() == 1);
  CHECK(bound.find("2", t0) == bob);
}

TEST_CASE("a full table gives up the binding that was not used for longest") {
  affinity bound{1h};
  for (std::size_t i = 0; i < affinity_entries_max; ++i) {
    bound.bind(std::to_string(i), alice, t0);
  }
  bound.find("0", t0);
  bound.bind("new", bob, t0);
  CHECK(bound.size() == affinity_entries_max);
  CHECK(bound.find("0", t0));
  CHECK(bound.find("new", t0));
  CHECK_FALSE(bound.find("1", t0));
}

TEST_CASE("moving keeps the bindings usable") {
  affinity bound{60s};
  bound.bind("s", alice, t0);
  affinity moved{std::move(bound)};
  CHECK(moved.find("s", t0) == alice);
  moved.unbind("s", alice);
  CHECK(moved.size() == 0);
}

}  // namespace tidegate::quota
