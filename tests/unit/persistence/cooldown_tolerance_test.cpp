#include <string>

#include "persistence/cooldown_file.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/persistence/cooldown_samples.hpp"

using namespace tidegate;
using namespace tidegate::persistence;
using namespace std::chrono_literals;

namespace {

const credential_id bob{"codex-bob.json"};

std::string file_with(const std::string& fields) {
  return R"({"version":1,"records":[{"auth_id":"codex-bob.json",)" + fields + "}]}";
}

std::vector<quota::block> read(const std::string& fields) {
  const auto decoded = decode_cooldowns(file_with(fields), bob, sample_now);
  REQUIRE(decoded.has_value());
  return decoded->blocks;
}

}  // namespace

TEST_CASE("a blank file is an empty record") {
  const auto* const text =
      GENERATE("", " ", "\n", " \t\r\n ", R"({"version":1})", R"({"version":1,"records":null})",
               R"({"version":1,"records":[]})");
  CAPTURE(text);
  const auto decoded = decode_cooldowns(text, bob, sample_now);
  REQUIRE(decoded.has_value());
  CHECK(decoded->id == bob);
  CHECK(decoded->blocks.empty());
}

TEST_CASE("a malformed file is refused with what is wrong") {
  struct row {
    std::string text;
    std::string problem;
  };
  const auto each = GENERATE(
      row{"{", "not valid JSON"}, row{"[]", "not a JSON object"}, row{"7", "not a JSON object"},
      row{"{}", "`version`"}, row{R"({"version":2,"records":[]})", "`version`"},
      row{R"({"version":0,"records":[]})", "`version`"},
      row{R"({"version":"1","records":[]})", "`version`"},
      row{R"({"version":1.5,"records":[]})", "`version`"},
      row{R"({"version":18446744073709551615,"records":[]})", "`version`"},
      row{R"({"version":1,"records":{}})", "`records`"},
      row{R"({"version":1,"records":[7]})", "`records[0]`"},
      row{R"({"version":1,"records":)" + std::string(17, '[') + std::string(17, ']') + "}",
          "nested deeper"},
      row{std::string(cooldown_file_bytes_max + 1, 'x'), "larger than"});
  CAPTURE(each.problem);
  const auto decoded = decode_cooldowns(each.text, bob, sample_now);
  REQUIRE_FALSE(decoded.has_value());
  CHECK(decoded.error().code == errc::invalid_input);
  CHECK_THAT(decoded.error().detail, ContainsSubstring(each.problem));
}

TEST_CASE("records without a usable deadline are left out") {
  const auto* const fields =
      GENERATE(R"("reason":"quota")", R"("next_retry_after":null)", R"("next_retry_after":7)",
               R"("next_retry_after":"0001-01-01T00:00:00Z")", R"("next_retry_after":"tomorrow")",
               R"("next_retry_after":"2027-01-15T08:00:00Z")",
               R"("next_retry_after":"2020-01-15T08:00:00Z")");
  CAPTURE(fields);
  CHECK(read(fields).empty());
}

TEST_CASE("a deadline beyond its horizon is not believed") {
  const std::string quota = R"("reason":"quota","quota":{"exceeded":true},"next_retry_after":)";
  CHECK(read(quota + R"("2027-01-23T08:00:00Z")").size() == 1);
  CHECK(read(quota + R"("2027-01-23T08:00:01Z")").empty());
  const std::string other = R"("reason":"unauthorized","next_retry_after":)";
  CHECK(read(other + R"("2027-01-15T21:00:00Z")").size() == 1);
  CHECK(read(other + R"("2027-01-15T21:00:01Z")").empty());
}

TEST_CASE("a recovery beyond the horizon takes its record with it") {
  CHECK(read(R"("reason":"quota","next_retry_after":"2027-01-15T09:00:00Z","quota":)"
             R"({"exceeded":true,"next_recover_at":"2028-01-15T09:00:00Z"})")
            .empty());
}

TEST_CASE("records of other credentials are left out") {
  const std::string text =
      R"({"version":1,"auth_id":"codex-bob.json","records":[)"
      R"({"auth_id":"codex-eve.json","reason":"quota","next_retry_after":"2027-01-15T09:00:00Z"},)"
      R"({"reason":"quota","next_retry_after":"2027-01-15T09:00:00Z"},)"
      R"({"auth_id":7,"next_retry_after":"2027-01-15T09:00:00Z"}]})";
  const auto decoded = decode_cooldowns(text, bob, sample_now);
  REQUIRE(decoded.has_value());
  CHECK(decoded->blocks.empty());
}

TEST_CASE("ladder levels and statuses are clamped to their ranges") {
  struct row {
    const char* json;
    int level;
  };
  const auto each = GENERATE(row{"-1", 0}, row{"0", 0}, row{"11", 11}, row{"12", 11},
                             row{"9223372036854775807", 11}, row{"18446744073709551615", 11},
                             row{"\"3\"", 0}, row{"2.5", 0}, row{"null", 0});
  CAPTURE(each.json);
  const auto blocks =
      read(std::string{R"("reason":"quota","next_retry_after":"2027-01-15T09:00:00Z",)"} +
           R"("quota":{"exceeded":true,"backoff_level":)" + each.json +
           R"(},"last_error":{"http_status":)" + each.json + "}");
  REQUIRE(blocks.size() == 1);
  CHECK(blocks[0].ladder_level == each.level);
  CHECK(blocks[0].status == 0);
}

TEST_CASE("times of the past that lie ahead are taken as now") {
  const auto blocks = read(R"("reason":"quota","next_retry_after":"2027-01-15T09:00:00Z",)"
                           R"("updated_at":"2027-01-15T08:30:00Z","since":"2030-01-15T08:30:00Z")");
  REQUIRE(blocks.size() == 1);
  CHECK(blocks[0].updated_at == sample_now);
  CHECK(blocks[0].since == sample_now);
}

TEST_CASE("fields of a wrong type count as absent") {
  const auto blocks =
      read(R"("model":7,"reason":[],"provider":{},"quota":"x","last_error":[1],"source":3,)"
           R"("updated_at":false,"next_retry_after":"2027-01-15T09:00:00Z")");
  REQUIRE(blocks.size() == 1);
  CHECK(blocks[0].covers == quota::scope::credential);
  CHECK(blocks[0].kind == quota::outcome_class::transient);
}

TEST_CASE("a cause is one bounded line") {
  const std::string longest(3000, 'x');
  const auto blocks = read(R"("next_retry_after":"2027-01-15T09:00:00Z","last_error":{"message":)"
                           R"("a\nb\u0000c)" +
                           longest + R"("})");
  REQUIRE(blocks.size() == 1);
  CHECK(blocks[0].cause.size() == cause_bytes_max);
  CHECK(blocks[0].cause.starts_with("a b cx"));
}

TEST_CASE("a cause that was cut inside a character is still written") {
  cooldown_record record{bob, "codex", {sample_block(1h)}};
  record.blocks[0].cause = "cut \xc3";
  const auto back = decode_cooldowns(encode_cooldowns(record, sample_now), bob, sample_now);
  REQUIRE(back.has_value());
  CHECK(back->blocks.size() == 1);
}

TEST_CASE("only active blocks with storable names are written") {
  cooldown_record record{bob, "codex", {sample_block(0s), sample_block(-1h), sample_block(1h)}};
  record.blocks[2].covers = quota::scope::model;
  record.blocks[2].model = std::string(model_name_bytes_max + 1, 'm');
  const auto back = decode_cooldowns(encode_cooldowns(record, sample_now), bob, sample_now);
  REQUIRE(back.has_value());
  CHECK(back->blocks.empty());
}

TEST_CASE("a file stays within its bound and keeps the blocks that last longest") {
  cooldown_record record{bob, "codex", {}};
  for (int i = 0; i < 2000; ++i) {
    auto entry = sample_block(std::chrono::seconds{1000 + i});
    entry.covers = quota::scope::model;
    entry.model = "model-" + std::to_string(10'000 + i) + std::string(200, 'n');
    entry.cause = std::string(cause_bytes_max, '"');
    record.blocks.push_back(entry);
  }
  record.blocks.push_back(sample_block(1s));
  const auto text = encode_cooldowns(record, sample_now);
  CHECK(text.size() <= cooldown_file_bytes_max);
  CHECK(text.size() > cooldown_file_bytes_max / 2);
  const auto back = decode_cooldowns(text, bob, sample_now);
  REQUIRE(back.has_value());
  REQUIRE(back->blocks.size() > 100);
  CHECK(back->blocks.front().covers == quota::scope::credential);
  CHECK(back->blocks.back().deadline == sample_now + 2999s);
}

TEST_CASE("a file cut at any byte never throws and never blocks longer") {
  auto model = sample_block(3h);
  model.covers = quota::scope::model;
  model.model = "gpt-5";
  model.ladder_level = 4;
  const cooldown_record record{bob, "codex", {sample_block(2h), model}};
  const auto text = encode_cooldowns(record, sample_now);
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const auto decoded = decode_cooldowns(std::string_view{text}.substr(0, size), bob, sample_now);
    if (!decoded) continue;
    for (const auto& entry : decoded->blocks) {
      const bool known = entry == record.blocks[0] || entry == record.blocks[1];
      CHECK(known);
    }
  }
}

TEST_CASE("any change of one byte never throws and never blocks beyond the horizon") {
  const auto text = encode_cooldowns({bob, "codex", {sample_block(2h)}}, sample_now);
  REQUIRE(rc::check("decode is total", [&] {
    auto changed = text;
    changed[*rc::gen::inRange<std::size_t>(0, text.size())] = *rc::gen::arbitrary<char>();
    const auto decoded = decode_cooldowns(changed, bob, sample_now);
    if (!decoded) return;
    for (const auto& entry : decoded->blocks) {
      RC_ASSERT(entry.deadline <= sample_now + quota::quota_horizon);
    }
  }));
}

TEST_CASE("replacing keeps the active records of other credentials as they are") {
  const cooldown_record eve{credential_id{"codex-eve.json"}, "codex", {sample_block(1h)}};
  const cooldown_record own{bob, "codex", {sample_block(2h)}};
  const auto shared = replace_cooldowns(encode_cooldowns(eve, sample_now), own, sample_now);
  CHECK(decode_cooldowns(shared, eve.id, sample_now)->blocks == eve.blocks);
  CHECK(decode_cooldowns(shared, bob, sample_now)->blocks == own.blocks);
  const auto left = replace_cooldowns(shared, {bob, "codex", {}}, sample_now);
  CHECK(decode_cooldowns(left, eve.id, sample_now)->blocks == eve.blocks);
  CHECK(decode_cooldowns(left, bob, sample_now)->blocks.empty());
  CHECK(replace_cooldowns(left, {bob, "codex", {}}, sample_now + 1h).empty());
  CHECK(replace_cooldowns("{broken", {bob, "codex", {}}, sample_now).empty());
}
