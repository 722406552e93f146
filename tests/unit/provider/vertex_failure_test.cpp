#include <fmt/format.h>

#include "tests/support/catch.hpp"
#include "tests/unit/provider/attempt_fixture.hpp"

using namespace tidegate;
using namespace tidegate::provider::testing;
using provider::kind;
using quota::outcome_class;

namespace {

constexpr const char* used_up =
    R"({"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"Quota exceeded","details":[)"
    R"({"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"QUOTA_EXHAUSTED"},)"
    R"({"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"5400.25s"}]}})";

attempt open_model() {
  attempt one{kind::vertex};
  one.model = "deepseek-ai/deepseek-x-maas";
  one.surface = protocol::surface::chat_completions;
  return one;
}

attempt native_model() {
  attempt one{kind::vertex};
  one.model = "gemini-x";
  return one;
}

const auto none = std::nullopt;

}  // namespace

TEST_CASE("Vertex: a used-up quota is evidence in both protocols [T73, T74]") {
  struct row {
    const char* what;
    bool open;
    int status;
    std::string body;
    headers sent;
    bool exhausted;
    std::optional<double> hint;
    std::optional<double> reset;
  };
  const std::string array = std::string{"["} + used_up + "]";
  const std::string insufficient =
      R"({"error":{"message":"x","type":"insufficient_quota","code":"insufficient_quota"}})";
  const std::string limited =
      R"({"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"Slow","details":[{"@type":)"
      R"("type.googleapis.com/google.rpc.ErrorInfo","reason":"RATE_LIMIT_EXCEEDED"}]}})";
  const std::vector<row> rows{
      {"native", false, 429, used_up, {{"Retry-After", "90"}}, true, none, 5400.25},
      {"native, array", false, 429, array, {}, true, none, 5400.25},
      {"native, limit", false, 429, limited, {{"Retry-After", "90"}}, false, none, none},
      {"open", true, 429, used_up, {}, true, none, 5400.25},
      {"open, hint beside", true, 429, used_up, {{"Retry-After", "90"}}, true, 90, 5400.25},
      {"open, array", true, 429, array, {{"Retry-After", "90"}}, true, 90, 5400.25},
      {"open, OpenAI's", true, 429, insufficient, {{"Retry-After", "90"}}, true, 90, none},
      {"open, limit", true, 429, limited, {{"Retry-After", "90"}}, false, 90, none},
      {"open, other status", true, 503, used_up, {{"Retry-After", "90"}}, false, none, none},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    const auto one = row.open ? open_model() : native_model();
    const auto got = one.reply(row.status, row.body, row.sent);
    CHECK(got.exhausted == row.exhausted);
    CHECK(wait_of(got.deadline) == row.hint);
    CHECK(wait_of(got.quota_reset) == row.reset);
    CHECK(got.covers == quota::scope::model);
    CHECK((got.kind == outcome_class::quota) == (row.status == 429));
  }
}

TEST_CASE("Vertex: refusals have the class of what they mean") {
  struct row {
    const char* what;
    int status;
    std::string body;
    outcome_class kind;
  };
  const auto google = [](int code, const char* status, const char* text) {
    return fmt::format(R"({{"error":{{"code":{},"status":"{}","message":"{}"}}}})", code, status,
                       text);
  };
  const std::vector<row> rows{
      {"token", 401, google(401, "UNAUTHENTICATED", "Request had invalid credentials."),
       outcome_class::unauthorized},
      {"permission", 403, google(403, "PERMISSION_DENIED", "Permission denied on resource"),
       outcome_class::payment_required},
      {"model", 404,
       google(404, "NOT_FOUND",
              "Publisher Model `projects/p/locations/l/publishers/google/models/gemini-x` was not "
              "found or your project does not have access to it."),
       outcome_class::model_not_supported},
      {"request", 400, google(400, "INVALID_ARGUMENT", "contents is empty"),
       outcome_class::request_fault},
      {"server", 503, google(503, "UNAVAILABLE", "Try later"), outcome_class::transient},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    CHECK(native_model().reply(row.status, row.body).kind == row.kind);
    CHECK(open_model().reply(row.status, row.body).kind == row.kind);
  }
}

TEST_CASE("Vertex: an error inside a stream is read like a reply's") {
  for (const auto& one : {open_model(), native_model()}) {
    const auto got = one.frame(used_up, "");
    CHECK(got.kind == outcome_class::quota);
    CHECK(got.status == 429);
    CHECK(got.exhausted);
    CHECK(wait_of(got.quota_reset) == 5400.25);
  }
}
