#include "persistence/cooldown_file.hpp"

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/unit/persistence/cooldown_samples.hpp"

using namespace tidegate;
using namespace tidegate::persistence;
using namespace std::chrono_literals;
using quota::outcome_class;
using quota::scope;

namespace {

const credential_id bob{"codex-bob.json"};

std::string file_with(const std::string& records) {
  return R"({"version":1,"auth_id":"codex-bob.json","provider":"codex",)"
         R"("updated_at":"2027-01-15T07:00:00Z","records":[)" +
         records + "]}";
}

std::string record_with(const std::string& fields) {
  return R"({"provider":"codex","auth_id":"codex-bob.json","status":"cooling",)"
         R"("updated_at":"2027-01-15T07:00:00Z",)" +
         fields + "}";
}

std::vector<quota::block> read(const std::string& records) {
  const auto decoded = decode_cooldowns(file_with(records), bob, sample_now);
  REQUIRE(decoded.has_value());
  return decoded->blocks;
}

}  // namespace

TEST_CASE("a record survives its file") {
  REQUIRE(rc::check("decode(encode(x)) == x", [] {
    const auto record = arbitrary_record(bob.value);
    const auto back = decode_cooldowns(encode_cooldowns(record, sample_now), bob, sample_now);
    RC_ASSERT(back.has_value());
    RC_ASSERT(back->id == record.id);
    RC_ASSERT(back->provider == record.provider);
    RC_ASSERT(back->blocks == record.blocks);
  }));
}

TEST_CASE("credential-wide evidence survives a restart [T80]") {
  const cooldown_record record{bob, "codex", {sample_block(2h)}};
  const auto back = decode_cooldowns(encode_cooldowns(record, sample_now), bob, sample_now + 1h);
  REQUIRE(back.has_value());
  CHECK(back->blocks == record.blocks);
  CHECK(back->blocks[0].proof == quota::evidence{300min});
}

TEST_CASE("evidence of one model survives a restart [T81]") {
  auto entry = sample_block(50h);
  entry.covers = scope::model;
  entry.model = "gpt-5";
  entry.proof = quota::evidence{10080min};
  const cooldown_record record{bob, "codex", {entry}};
  const auto back = decode_cooldowns(encode_cooldowns(record, sample_now), bob, sample_now + 49h);
  REQUIRE(back.has_value());
  CHECK(back->blocks == record.blocks);
}

TEST_CASE("an old file without the evidence fields loads without evidence [T82]") {
  const auto blocks = read(record_with(
      R"("next_retry_after":"2027-01-15T10:00:00Z","reason":"credential_quota","quota":)"
      R"({"exceeded":true,"reason":"credential_quota","next_recover_at":"2027-01-15T10:00:00Z"},)"
      R"("last_error":{"message":"limit","retryable":false,"http_status":429})"));
  REQUIRE(blocks.size() == 1);
  CHECK(blocks[0].covers == scope::credential);
  CHECK(blocks[0].kind == outcome_class::quota);
  CHECK(blocks[0].deadline == sample_now + 2h);
  CHECK_FALSE(blocks[0].proof.has_value());
  CHECK(blocks[0].source == quota::deadline_source::fixed);
  CHECK(blocks[0].status == 429);
  CHECK(blocks[0].cause == "limit");
  CHECK(blocks[0].updated_at == sample_now - 1h);
  CHECK(blocks[0].since == sample_now - 1h);
}

TEST_CASE("a record that has ended at load is dropped [T83]") {
  const cooldown_record record{bob, "codex", {sample_block(2h)}};
  const auto text = encode_cooldowns(record, sample_now);
  CHECK(decode_cooldowns(text, bob, sample_now + 2h - 1ns)->blocks.size() == 1);
  CHECK(decode_cooldowns(text, bob, sample_now + 2h)->blocks.empty());
}

TEST_CASE("writes the reference's fields") {
  cooldown_record record{bob, "codex", {sample_block(2h)}};
  record.blocks[0].ladder_level = 3;
  const auto text = encode_cooldowns(record, sample_now);
  CHECK(text.starts_with("{\n  \"version\": 1,\n  \"auth_id\": \"codex-bob.json\","));
  CHECK(text.ends_with("}\n"));
  const auto file = nlohmann::json::parse(text);
  CHECK(file["provider"] == "codex");
  CHECK(file["updated_at"] == "2027-01-15T08:00:00Z");
  const auto& row = file["records"][0];
  CHECK(row["auth_id"] == "codex-bob.json");
  CHECK_FALSE(row.contains("model"));
  CHECK(row["status"] == "cooling");
  CHECK(row["reason"] == "credential_quota");
  CHECK(row["next_retry_after"] == "2027-01-15T10:00:00Z");
  CHECK(row["quota"] == nlohmann::json::parse(R"({"exceeded":true,"reason":"credential_quota",
    "next_recover_at":"2027-01-15T10:00:00Z","backoff_level":3,"exhausted":true,
    "limit_window_minutes":300})"));
  CHECK(row["last_error"]["http_status"] == 429);
  CHECK(row["source"] == "provider");
}

TEST_CASE("other classes write Go's zero time as their quota recovery") {
  auto entry = sample_block(20min);
  entry.kind = outcome_class::unauthorized;
  entry.proof.reset();
  const auto file = nlohmann::json::parse(encode_cooldowns({bob, "codex", {entry}}, sample_now));
  const auto& row = file["records"][0];
  CHECK(row["reason"] == "unauthorized");
  CHECK(row["quota"]["exceeded"] == false);
  CHECK(row["quota"]["next_recover_at"] == "0001-01-01T00:00:00Z");
}

TEST_CASE("within one scope the longest block is written last") {
  auto first = sample_block(5h);
  auto second = sample_block(20min);
  second.kind = outcome_class::unauthorized;
  const auto file =
      nlohmann::json::parse(encode_cooldowns({bob, "codex", {first, second}}, sample_now));
  CHECK(file["records"][0]["reason"] == "unauthorized");
  CHECK(file["records"][1]["reason"] == "credential_quota");
}

TEST_CASE("reads every reason of the reference") {
  struct row {
    const char* reason;
    outcome_class kind;
  };
  const auto each =
      GENERATE(row{"quota", outcome_class::quota}, row{"credential_quota", outcome_class::quota},
               row{"quota exhausted", outcome_class::quota},
               row{"unauthorized", outcome_class::unauthorized},
               row{"payment_required", outcome_class::payment_required},
               row{"not_found", outcome_class::not_found},
               row{"model_not_supported", outcome_class::model_not_supported},
               row{"invalid_grant", outcome_class::invalid_grant},
               row{"cloudflare challenge", outcome_class::cloudflare_challenge},
               row{"cloudflare_challenge", outcome_class::cloudflare_challenge},
               row{"transient_error", outcome_class::transient},
               row{"transient upstream error", outcome_class::transient},
               row{"request failed", outcome_class::transient},
               row{"anything else", outcome_class::transient}, row{"", outcome_class::transient});
  const auto blocks = read(record_with(
      R"-("model":"gpt-5(high)","next_retry_after":"2027-01-15T08:10:00Z","reason":")-" +
      std::string{each.reason} +
      R"(","quota":{"exceeded":false,"next_recover_at":"0001-01-01T00:00:00Z"})"));
  REQUIRE(blocks.size() == 1);
  CHECK(blocks[0].kind == each.kind);
  CHECK(blocks[0].covers == scope::model);
  CHECK(blocks[0].model == "gpt-5");
  CHECK(blocks[0].deadline == sample_now + 10min);
}

TEST_CASE("an unknown reason is read by its quota flag and status") {
  const auto kind_of = [](const std::string& rest) {
    const auto blocks =
        read(record_with(R"("next_retry_after":"2027-01-15T08:10:00Z","reason":"boom",)" + rest));
    REQUIRE(blocks.size() == 1);
    return blocks[0].kind;
  };
  CHECK(kind_of(R"("quota":{"exceeded":true})") == outcome_class::quota);
  CHECK(kind_of(R"("last_error":{"http_status":401})") == outcome_class::unauthorized);
  CHECK(kind_of(R"("last_error":{"http_status":403})") == outcome_class::payment_required);
  CHECK(kind_of(R"("last_error":{"http_status":404})") == outcome_class::not_found);
  CHECK(kind_of(R"("last_error":{"http_status":429})") == outcome_class::quota);
  CHECK(kind_of(R"("last_error":{"http_status":503})") == outcome_class::transient);
}

TEST_CASE("evidence is accepted in the quota object and in the record") {
  const auto proof_of = [](const std::string& quota, const std::string& rest) {
    const auto blocks =
        read(record_with(R"("next_retry_after":"2027-01-15T10:00:00Z","reason":"quota","quota":{)" +
                         quota + "}" + rest));
    REQUIRE(blocks.size() == 1);
    return blocks[0].proof;
  };
  const std::optional<quota::evidence> none;
  using some = std::optional<quota::evidence>;
  CHECK(proof_of(R"("exceeded":true,"exhausted":true,"limit_window_minutes":300)", "") ==
        some{{300min}});
  CHECK(proof_of(R"("exceeded":true)", R"(,"exhausted":true,"limit_window_minutes":10080)") ==
        some{{10080min}});
  CHECK(proof_of(R"("exceeded":true,"exhausted":true)", "") == some{quota::evidence{}});
  CHECK(proof_of(R"("exceeded":true,"exhausted":true,"limit_window_minutes":-5)", "") ==
        some{quota::evidence{}});
  CHECK(proof_of(R"("exceeded":true,"exhausted":true,"limit_window_minutes":99999999999)", "") ==
        some{quota::evidence{}});
  CHECK(proof_of(R"("exceeded":false,"exhausted":true)", "") == none);
  CHECK(proof_of(R"("exhausted":true)", R"(,"exhausted":true)") == none);
  CHECK(proof_of(R"("exceeded":true,"exhausted":"yes")", "") == none);
  CHECK(proof_of(R"("exceeded":true,"exhausted":false)", R"(,"exhausted":true)") == none);
  // The retry time lies beyond the recovery: another fault set it.
  CHECK(proof_of(R"("exceeded":true,"exhausted":true,"next_recover_at":"2027-01-15T09:00:00Z")",
                 "") == none);
}

TEST_CASE("an exceeded quota blocks until the later of its two times") {
  const auto blocks = read(record_with(
      R"("next_retry_after":"2027-01-15T09:00:00Z","reason":"quota","quota":)"
      R"({"exceeded":true,"exhausted":true,"next_recover_at":"2027-01-15T10:00:00Z"})"));
  REQUIRE(blocks.size() == 1);
  CHECK(blocks[0].deadline == sample_now + 2h);
  CHECK(blocks[0].proof.has_value());
}

TEST_CASE("a missing source is guessed from evidence and level") {
  const auto source_of = [](const std::string& quota) {
    return read(record_with(
        R"("next_retry_after":"2027-01-15T08:10:00Z","reason":"quota","quota":{)" + quota + "}"))[0]
        .source;
  };
  CHECK(source_of(R"("exceeded":true,"exhausted":true,"backoff_level":2)") ==
        quota::deadline_source::provider);
  CHECK(source_of(R"("exceeded":true,"backoff_level":2)") == quota::deadline_source::ladder);
  CHECK(source_of(R"("exceeded":true)") == quota::deadline_source::fixed);
}

TEST_CASE("several records of one scope and class merge to the later deadline, higher level") {
  const auto row = [](const char* until, int level, bool exhausted) {
    return record_with(std::string{R"("model":"gpt-5","reason":"quota","next_retry_after":")"} +
                       until + R"(","quota":{"exceeded":true,"backoff_level":)" +
                       std::to_string(level) + (exhausted ? R"(,"exhausted":true)" : "") + "}");
  };
  const auto later =
      read(row("2027-01-15T09:00:00Z", 5, true) + "," + row("2027-01-15T10:00:00Z", 2, false));
  REQUIRE(later.size() == 1);
  CHECK(later[0].deadline == sample_now + 2h);
  CHECK(later[0].ladder_level == 5);
  CHECK_FALSE(later[0].proof.has_value());
  const auto equal =
      read(row("2027-01-15T10:00:00Z", 0, true) + "," + row("2027-01-15T10:00:00Z", 0, false));
  REQUIRE(equal.size() == 1);
  CHECK(equal[0].proof.has_value());
}

TEST_CASE("the reference's summary of its model records blocks nothing by itself") {
  const std::string model =
      record_with(R"("model":"gpt-5","next_retry_after":"2027-01-15T10:00:00Z",)"
                  R"("reason":"quota","quota":{"exceeded":true})");
  const std::string wide = record_with(
      R"("next_retry_after":"2027-01-15T10:00:00Z","reason":"quota","quota":{"exceeded":true})");
  const auto both = read(model + "," + wide);
  REQUIRE(both.size() == 1);
  CHECK(both[0].covers == scope::model);
  const auto alone = read(wide);
  REQUIRE(alone.size() == 1);
  CHECK(alone[0].covers == scope::credential);
}

TEST_CASE("a model record that repeats a credential-wide quota is not restored beside it") {
  const auto blocks =
      read(record_with(R"("model":"gpt-5","next_retry_after":"2027-01-15T10:00:00Z",)"
                       R"("reason":"credential_quota","quota":{"exceeded":true})") +
           "," +
           record_with(R"("model":"gpt-6","next_retry_after":"2027-01-15T11:00:00Z",)"
                       R"("reason":"credential_quota","quota":{"exceeded":true})") +
           "," +
           record_with(R"("next_retry_after":"2027-01-15T10:00:00Z","reason":"credential_quota",)"
                       R"("quota":{"exceeded":true})"));
  REQUIRE(blocks.size() == 2);
  CHECK(blocks[0].covers == scope::credential);
  CHECK(blocks[1].model == "gpt-6");
}
