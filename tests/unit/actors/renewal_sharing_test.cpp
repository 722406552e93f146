/// Two gateways on one credential directory, in virtual time.

#include <set>

#include "tests/unit/actors/renewal_world.hpp"

namespace tidegate::actors::test {
namespace {

/// A token endpoint that rotates: each refresh token works once, and using one again voids the
/// login.
class rotating_endpoint {
 public:
  void serve(account_world& at) {
    while (!at.world.tokens->open.empty()) {
      const auto body = text_of(at.world.tokens->open.front().what);
      const auto wanted = "refresh-" + std::to_string(newest_);
      if (body.find(wanted) == std::string::npos) {
        ++reused_;
        at.reject();
        continue;
      }
      ++newest_;
      at.give("access-" + std::to_string(newest_), "refresh-" + std::to_string(newest_));
    }
  }
  int given() const { return newest_ - 1; }
  int reused() const { return reused_; }

 private:
  static std::string text_of(const provider::upstream_request& request) {
    std::string all;
    for (const auto& piece : request.body) all += piece;
    return all + '&';
  }

  int newest_ = 1;
  int reused_ = 0;
};

}  // namespace

TEST_CASE("two gateways on one directory renew for ten days and lose no token") {
  const auto disk = std::make_shared<memory_disk>();
  account_world first{disk, t0 + 1h};
  account_world second{disk, t0 + 1h};
  rotating_endpoint endpoint;
  for (int minute = 0; minute < 10 * 24 * 60; ++minute) {
    first.world.advance(1min);
    second.world.advance(1min);
    // Sometimes one has the answer late: the other meets the lock.
    if (minute % 3 != 0) endpoint.serve(first);
    endpoint.serve(second);
    if (minute % 30 == 7) {
      const auto newest = "access-" + std::to_string(endpoint.given() + 1);
      CHECK(disk->files.at("a.json").find('"' + newest + '"') != std::string::npos);
    }
  }
  CHECK(endpoint.given() > 10 * 24);
  CHECK(endpoint.reused() == 0);
  CHECK(first.view()->token.failures == 0);
  CHECK(second.view()->token.failures == 0);
}

}  // namespace tidegate::actors::test
