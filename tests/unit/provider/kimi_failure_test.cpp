#include "tests/support/catch.hpp"
#include "tests/unit/provider/attempt_fixture.hpp"

using namespace tidegate;
using namespace tidegate::provider::testing;
using protocol::surface;
using provider::kind;
using quota::outcome_class;

TEST_CASE("Kimi: status and body decide, nothing is a hint") {
  struct row {
    int status;
    const char* body;
    outcome_class kind;
  };
  for (const auto& row : {
           row{401, R"({"error":{"message":"Invalid token"}})", outcome_class::unauthorized},
           row{403, R"({"error":{"message":"No membership"}})", outcome_class::payment_required},
           row{429, R"({"error":{"type":"insufficient_quota","message":"x"}})",
               outcome_class::quota},
           row{404, R"({"error":{"type":"not_found_error","message":"model: k9"}})",
               outcome_class::model_not_supported},
           row{400, R"({"error":{"message":"bad"}})", outcome_class::request_fault},
           row{529, "busy", outcome_class::transient},
       }) {
    CAPTURE(row.status);
    for (const auto from : {surface::chat_completions, surface::messages}) {
      attempt one{kind::kimi};
      one.surface = from;
      const auto got = one.reply(row.status, row.body, {{"Retry-After", "60"}});
      CHECK(got.kind == row.kind);
      CHECK_FALSE(got.deadline);
      CHECK_FALSE(got.exhausted);
      CHECK_FALSE(got.quota_reset);
    }
  }
}

TEST_CASE("Kimi: an error event is read in the words of its protocol") {
  attempt one{kind::kimi};
  CHECK(one.frame(R"({"error":{"code":429,"message":"x"}})", "").kind == outcome_class::quota);
  CHECK(one.frame(R"({"error":{"type":"rate_limit_error"}})", "").status == 502);
  CHECK(one.frame(R"({"object":"error","code":429,"message":"x"})", "").kind ==
        outcome_class::quota);
  one.surface = surface::messages;
  CHECK(one.frame(R"({"type":"error","error":{"type":"rate_limit_error"}})").kind ==
        outcome_class::quota);
  CHECK(one.frame(R"({"type":"error","error":{"type":"overloaded_error"}})").status == 529);
}
