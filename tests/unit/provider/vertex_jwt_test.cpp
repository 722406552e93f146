#include "provider/vertex/jwt.hpp"

#include <openssl/evp.h>

#include "base/bounded_json.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/signing_key.hpp"
#include "tests/unit/provider/token_fixture.hpp"

using namespace tidegate;
using namespace tidegate::provider;
using namespace tidegate::provider::testing;

namespace {

using key_ptr = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

service_account signer() {
  return {.client_email = "svc@project.example",
          .private_key_id = "key-7",
          .private_key = secret_string{test::signing_key_pem()},
          .token_uri = "https://oauth2.googleapis.com/token"};
}

std::vector<std::string> parts_of(std::string_view token) {
  std::vector<std::string> parts(1);
  for (const char c : token) {
    if (c == '.') {
      parts.emplace_back();
    } else {
      parts.back().push_back(c);
    }
  }
  return parts;
}

bool verifies(std::string_view text, std::string_view signature) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> digest{EVP_MD_CTX_new(),
                                                                       EVP_MD_CTX_free};
  const auto bytes = [](std::string_view s) {
    return reinterpret_cast<const unsigned char*>(s.data());
  };
  return EVP_DigestVerifyInit(digest.get(), nullptr, EVP_sha256(), nullptr, test::signing_key()) == 1 &&
         EVP_DigestVerify(digest.get(), bytes(signature), signature.size(), bytes(text),
                          text.size()) == 1;
}

std::string problem(const service_account& who) {
  const auto made = vertex::signed_assertion(who, t0);
  REQUIRE_FALSE(made.has_value());
  CHECK(made.error().code == errc::invalid_input);
  return made.error().detail;
}

}  // namespace

TEST_CASE("an assertion states who asks whom for an hour, and its signature holds") {
  const auto made = vertex::signed_assertion(signer(), t0 + std::chrono::milliseconds{900});
  REQUIRE(made.has_value());
  const auto parts = parts_of(made->reveal());
  REQUIRE(parts.size() == 3);
  CHECK(parse_base64url(parts[0]) == R"({"alg":"RS256","typ":"JWT","kid":"key-7"})");
  CHECK(parse_base64url(parts[1]) ==
        R"({"iss":"svc@project.example","scope":"https://www.googleapis.com/auth/cloud-platform",)"
        R"("aud":"https://oauth2.googleapis.com/token","iat":1800000000,"exp":1800003600})");
  CHECK(verifies(parts[0] + "." + parts[1], parse_base64url(parts[2]).value()));
}

TEST_CASE("a key without an id is signed for without one") {
  auto who = signer();
  who.private_key_id.clear();
  const auto made = vertex::signed_assertion(who, t0);
  REQUIRE(made.has_value());
  CHECK(parse_base64url(parts_of(made->reveal())[0]) == R"({"alg":"RS256","typ":"JWT"})");
}

TEST_CASE("a key that cannot sign is named, never repeated") {
  auto who = signer();
  const std::string good{who.private_key.reveal()};
  const auto with = [&](std::string pem) {
    who.private_key = secret_string{std::move(pem)};
    return problem(who);
  };
  CHECK(with("") == "`private_key` is missing");
  CHECK(with("secret words") == "`private_key` is no PEM private key without a password");
  CHECK(with(good.substr(0, good.size() / 2)) ==
        "`private_key` is no PEM private key without a password");
  CHECK(with(test::pem_of(test::signing_key(), "secret")) ==
        "`private_key` is no PEM private key without a password");
  CHECK(with(std::string(20'000, 'x')) == "`private_key` is too large");
  const key_ptr curve{EVP_EC_gen("P-256"), EVP_PKEY_free};
  CHECK(with(test::pem_of(curve.get())) == "`private_key` is no RSA key");
  const key_ptr small{EVP_RSA_gen(1024), EVP_PKEY_free};
  CHECK(with(test::pem_of(small.get())) == "`private_key` has less than 2048 bits");
}

TEST_CASE("an assertion is made only for a protected token address") {
  auto who = signer();
  who.token_uri = "http://oauth2.example.com/token";
  CHECK(problem(who) == "`token_uri` must be an https URL or a loopback one");
  who.token_uri = "http://127.0.0.1:8080/token";
  CHECK(vertex::signed_assertion(who, t0).has_value());
  who.client_email.clear();
  CHECK(problem(who) == "`client_email` is missing");
}

TEST_CASE("a service account asks its token address with an assertion") {
  credential who = some_account(kind::vertex);
  const auto* const rules = token_rules_of(kind::vertex);
  CHECK_FALSE(rules->build(who, {}, t0).has_value());
  who.signer = signer();
  const auto request = rules->build(who, {}, t0);
  REQUIRE(request.has_value());
  CHECK(request->url == "https://oauth2.googleapis.com/token");
  CHECK(body_of(*request).starts_with(
      "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=eyJ"));
}
