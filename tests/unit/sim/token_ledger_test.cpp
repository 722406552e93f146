#include "app/sim/token_ledger.hpp"

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"

namespace tidegate::sim {
namespace {

using nlohmann::json;

json said(token_ledger& ledger, const std::string& body, const token_gift& gift = {}) {
  const auto answer = ledger.answer(body, gift);
  auto out = json::parse(*answer.body);
  out["status"] = answer.status;
  return out;
}

std::string form(const json& given) {
  return "grant_type=refresh_token&refresh_token=" + given["refresh_token"].get<std::string>();
}

}  // namespace

TEST_CASE("each refresh token works once and gives the next") {
  token_ledger ledger;
  const auto first = said(ledger, R"({"refresh_token":"mine"})");
  CHECK(first["status"] == 200);
  CHECK(first["access_token"] == "sim-access-1");
  CHECK(first["expires_in"] == 3600);
  const auto second = said(ledger, form(first));
  CHECK(second["access_token"] == "sim-access-2");
  CHECK(second["refresh_token"] != first["refresh_token"]);
}

TEST_CASE("a refresh token that comes twice voids its login and no other") {
  token_ledger ledger;
  const auto first = said(ledger, "refresh_token=mine");
  const auto other = said(ledger, "refresh_token=theirs");
  CHECK(said(ledger, "refresh_token=mine")["error"] == "invalid_grant");
  CHECK(said(ledger, form(first))["status"] == 400);
  CHECK(said(ledger, form(other))["status"] == 200);
}

TEST_CASE("without rotation the refresh token stays") {
  token_ledger ledger;
  token_gift gift;
  gift.rotate = false;
  CHECK_FALSE(said(ledger, "refresh_token=mine", gift).contains("refresh_token"));
  CHECK(said(ledger, "refresh_token=mine", gift)["status"] == 200);
}

TEST_CASE("a signed assertion gets an access token, and nothing gets nothing") {
  token_ledger ledger;
  CHECK(said(ledger, "assertion=a.b.c")["status"] == 200);
  CHECK(said(ledger, "")["status"] == 400);
  CHECK(said(ledger, "{")["status"] == 400);
}

}  // namespace tidegate::sim
