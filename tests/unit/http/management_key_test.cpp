#include <atomic>
#include <semaphore>

#include "http/management/key_secret.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/http/management_rig.hpp"

namespace tidegate::test {
namespace {

/// bcrypt of "U*U", cost 5: a published test vector.
constexpr const char* known_hash = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";

http::request with_key(const management_rig& rig, const char* name, const std::string& value) {
  auto in = rig.call("GET");
  in.headers.erase("X-Management-Key");
  if (name[0] != '\0') in.headers.insert(name, value);
  return in;
}

http::request from(const management_rig& rig, std::string peer, const std::string& key) {
  auto in = with_key(rig, "X-Management-Key", key);
  in.peer = std::move(peer);
  in.peer_is_loopback = false;
  return in;
}

std::string error_of(const protocol::reply& reply) {
  return body_of(reply).value("error", "");
}

}  // namespace

TEST_CASE("without a configured key management does not exist") {
  management_rig rig;
  SECTION("no key") {
    rig.plane.settings.management.secret_key = {};
  }
  SECTION("no state") {
    rig.with.management = nullptr;
  }
  const auto reply = rig.get("version");
  CHECK(reply.status == 404);
  CHECK(reply.body.empty());
  CHECK(header_of(reply, "X-Tidegate-Version").empty());
}

TEST_CASE("the key is taken from Authorization or X-Management-Key") {
  const auto [name, value, status, text] =
      GENERATE(table<const char*, const char*, int, const char*>({
          {"Authorization", "Bearer operator-key-example", 200, ""},
          {"authorization", "bearer   operator-key-example ", 200, ""},
          {"Authorization", "operator-key-example", 200, ""},
          {"X-Management-Key", "operator-key-example", 200, ""},
          {"X-Management-Key", " operator-key-example", 200, ""},
          {"X-Api-Key", "operator-key-example", 401, "missing management key"},
          {"Authorization", "Bearer", 401, "missing management key"},
          {"Authorization", "Bearer ", 401, "missing management key"},
          {"", "", 401, "missing management key"},
          {"Authorization", "Bearer operator-key-exampl", 401, "invalid management key"},
          {"Authorization", "Bearer operator-key-example2", 401, "invalid management key"},
          {"Authorization", "Basic operator-key-example", 401, "invalid management key"},
          {"X-Management-Key", "OPERATOR-KEY-EXAMPLE", 401, "invalid management key"},
      }));
  CAPTURE(name, value);
  management_rig rig;
  const auto reply = rig.send(with_key(rig, name, value), "version");
  CHECK(reply.status == status);
  CHECK(error_of(reply) == text);
  CHECK(header_of(reply, "Content-Type") == "application/json");
  CHECK(header_of(reply, "Cache-Control") == "no-store");
  CHECK(header_of(reply, "X-Tidegate-Version") == "0.1.0");
}

TEST_CASE("an empty Bearer does not hide the other header") {
  management_rig rig;
  auto in = rig.call("GET");
  in.headers.insert("Authorization", "Bearer ");
  CHECK(rig.send(std::move(in), "version").status == 200);
}

TEST_CASE("other machines need the permission before their key counts") {
  management_rig rig;
  const auto refused = rig.send(from(rig, "192.0.2.1", management_rig::key), "version");
  CHECK(refused.status == 403);
  CHECK(error_of(refused) == "remote management disabled");
  for (int i = 0; i < 9; ++i) rig.send(from(rig, "192.0.2.1", "wrong"), "version");
  rig.plane.settings.management.allow_remote = true;
  CHECK(rig.send(from(rig, "192.0.2.1", management_rig::key), "version").status == 200);
}

TEST_CASE("five failures lock an address out, first of all checks, until the time is over") {
  const std::string wrong = GENERATE(as<std::string>{}, "wrong", "");
  management_rig rig;
  rig.plane.settings.management.allow_remote = true;
  for (int i = 0; i < 5; ++i) {
    CHECK(rig.send(from(rig, "192.0.2.1", wrong), "version").status == 401);
  }
  rig.plane.clock = t0 + 10min;
  const auto banned = rig.send(from(rig, "192.0.2.1", management_rig::key), "version");
  CHECK(banned.status == 403);
  CHECK(error_of(banned) == "IP banned due to too many failed attempts. Try again in 20m0s");
  CHECK(header_of(banned, "Retry-After") == "1200");
  CHECK(rig.send(from(rig, "192.0.2.2", management_rig::key), "version").status == 200);
  CHECK(rig.get("version").status == 200);
  rig.plane.settings.management.allow_remote = false;
  CHECK(error_of(rig.send(from(rig, "192.0.2.1", "x"), "version")).starts_with("IP banned"));
  rig.plane.settings.management.allow_remote = true;
  rig.plane.clock = t0 + 30min;
  CHECK(rig.send(from(rig, "192.0.2.1", management_rig::key), "version").status == 200);
}

TEST_CASE("a success in between starts the count again") {
  management_rig rig;
  rig.plane.settings.management.allow_remote = true;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 4; ++i) rig.send(from(rig, "192.0.2.1", "wrong"), "version");
    CHECK(rig.send(from(rig, "192.0.2.1", management_rig::key), "version").status == 200);
  }
}

TEST_CASE("this machine may try again after seconds") {
  management_rig rig;
  for (int i = 0; i < 5; ++i) rig.send(with_key(rig, "X-Management-Key", "wrong"), "version");
  CHECK(rig.get("version").status == 403);
  rig.plane.clock += 5s;
  CHECK(rig.get("version").status == 200);
}

TEST_CASE("a bcrypt hash is recognised by its prefix and checked for its cost") {
  using form = http::secret_form;
  const std::string tail = "CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";
  CHECK(http::form_of("a plain key") == form::plain);
  CHECK(http::form_of("$2x$05$" + tail) == form::plain);
  CHECK(http::form_of("$2a$05$" + tail) == form::bcrypt);
  CHECK(http::form_of("$2b$10$" + tail) == form::bcrypt);
  CHECK(http::form_of("$2y$14$" + tail) == form::bcrypt);
  CHECK(http::form_of("$2y$15$" + tail) == form::unusable);
  CHECK(http::form_of("$2y$31$" + tail) == form::unusable);
  CHECK(http::form_of("$2b$xx$" + tail) == form::unusable);
  CHECK(http::form_of("$2b$10$short") == form::unusable);
  CHECK(http::form_of("$2b$") == form::unusable);
}

TEST_CASE("a bcrypt hash fits its own key only") {
  CHECK(http::bcrypt_matches("U*U", known_hash));
  CHECK_FALSE(http::bcrypt_matches("U*V", known_hash));
  CHECK_FALSE(http::bcrypt_matches("", known_hash));
  CHECK_FALSE(http::bcrypt_matches(std::string{"U*U\0x", 5}, known_hash));
  CHECK_FALSE(http::bcrypt_matches("U*U", "$2a$05$!!!"));
}

TEST_CASE("a configured bcrypt hash lets its key in, and is no key itself") {
  management_rig rig;
  rig.plane.settings.management.secret_key = secret_string{known_hash};
  CHECK(rig.send(with_key(rig, "Authorization", "Bearer U*U"), "version").status == 200);
  CHECK(rig.send(with_key(rig, "X-Management-Key", known_hash), "version").status == 401);
  rig.plane.settings.management.secret_key = secret_string{"$2b$31$unusable"};
  CHECK(rig.send(with_key(rig, "X-Management-Key", "$2b$31$unusable"), "version").status == 401);
}

TEST_CASE("the last good key costs one hash until the configured secret changes") {
  std::atomic<int> hashes = 0;
  management_rig rig{[&](std::string_view key, std::string_view hash) {
    ++hashes;
    return http::bcrypt_matches(key, hash);
  }};
  rig.plane.settings.management.secret_key = secret_string{known_hash};
  const auto ask = [&](const std::string& key) {
    return rig.send(with_key(rig, "X-Management-Key", key), "version").status;
  };
  for (int i = 0; i < 10; ++i) CHECK(ask("U*U") == 200);
  CHECK(hashes == 1);
  CHECK(ask("wrong") == 401);
  CHECK(hashes == 2);
  CHECK(ask("U*U") == 200);
  CHECK(hashes == 2);
  std::string other{known_hash};
  other.back() = 'X';
  rig.plane.settings.management.secret_key = secret_string{other};
  CHECK(ask("U*U") == 401);
  CHECK(hashes == 3);
}

TEST_CASE("a key of absurd length is wrong without a hash") {
  std::atomic<int> hashes = 0;
  management_rig rig{[&](std::string_view, std::string_view) {
    ++hashes;
    return true;
  }};
  rig.plane.settings.management.secret_key = secret_string{known_hash};
  const std::string longest(http::management_key_bytes_max, 'k');
  CHECK(rig.send(with_key(rig, "X-Management-Key", longest + "k"), "version").status == 401);
  CHECK(hashes == 0);
  CHECK(rig.send(with_key(rig, "X-Management-Key", longest), "version").status == 200);
}

TEST_CASE("one hash is computed at a time: the same key waits for it, another one is turned away") {
  std::atomic<int> hashes = 0;
  std::binary_semaphore may_end{0};
  management_rig rig{[&](std::string_view key, std::string_view) {
    ++hashes;
    may_end.acquire();
    return key == "good";
  }};
  rig.plane.settings.management.secret_key = secret_string{known_hash};
  const auto first = rig.start(with_key(rig, "X-Management-Key", "good"), "version");
  const auto other = rig.start(with_key(rig, "X-Management-Key", "other"), "version");
  const auto again = rig.start(with_key(rig, "X-Management-Key", "good"), "version");
  rig.finish(other);
  REQUIRE(other->reply);
  CHECK(other->reply->status == 429);
  CHECK(error_of(*other->reply) == "too many attempts");
  CHECK(header_of(*other->reply, "Retry-After") == "1");
  CHECK_FALSE(first->reply);
  may_end.release();
  rig.finish(first);
  rig.finish(again);
  CHECK(first->reply->status == 200);
  CHECK(again->reply->status == 200);
  CHECK(hashes == 1);
}

TEST_CASE("only so many calls wait for one hash") {
  std::binary_semaphore may_end{0};
  management_rig rig{[&](std::string_view, std::string_view) {
    may_end.acquire();
    return true;
  }};
  rig.plane.settings.management.secret_key = secret_string{known_hash};
  std::vector<std::shared_ptr<management_rig::pending>> waiting;
  for (std::size_t i = 0; i < http::verification_waiters_max; ++i) {
    waiting.push_back(rig.start(with_key(rig, "X-Management-Key", "good"), "version"));
  }
  const auto last = rig.start(with_key(rig, "X-Management-Key", "good"), "version");
  rig.finish(last);
  CHECK(last->reply->status == 429);
  may_end.release();
  for (const auto& one : waiting) {
    rig.finish(one);
    CHECK(one->reply->status == 200);
  }
}

}  // namespace tidegate::test
