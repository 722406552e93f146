#include "protocol/payload_rules.hpp"

#include <rapidcheck.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/unit/protocol/json_maker.hpp"

using namespace tidegate;
using namespace tidegate::protocol;

namespace {

json_path path(std::string_view text) {
  return *parse_json_path(text);
}

payload_selector any() {
  payload_selector all;
  all.name = "*";
  return all;
}

payload_rule rule(std::vector<std::pair<std::string, std::string>> params,
                  payload_selector of = any()) {
  payload_rule one;
  one.models.push_back(std::move(of));
  for (auto& [where, raw] : params) one.params.push_back({path(where), raw});
  return one;
}

payload_call call(std::string_view upstream = "gpt-5", std::string_view requested = "gpt-5") {
  payload_call made;
  made.upstream_model = upstream;
  made.requested_model = requested;
  made.header = [](std::string_view) { return std::nullopt; };
  return made;
}

std::string after(const payload_options& rules, const std::string& body,
                  const payload_call& of = call()) {
  const auto head = read_envelope(body);
  REQUIRE(head);
  const auto out = apply_payload_rules(rules, of, body, *head, 64);
  REQUIRE(out);
  if (*out) {
    CHECK(**out != body);
    CHECK((*out)->capacity() >= (*out)->size() + 64);
  }
  return out->value_or(body);
}

/// Whether a rule with this selector acts on a call.
bool acts(payload_selector of, const payload_call& on, const std::string& body = R"({"a":1})") {
  payload_options rules;
  rules.override_all.push_back(rule({{"hit", "true"}}, std::move(of)));
  return after(rules, body, on).find("hit") != std::string::npos;
}

}  // namespace

TEST_CASE("defaults fill what is absent, and the first rule wins") {
  payload_options rules;
  rules.fill.push_back(rule({{"max_tokens", "10"}, {"reasoning.effort", "\"low\""}}));
  rules.fill.push_back(rule({{"max_tokens", "20"}, {"reasoning.summary", "\"auto\""}}));
  rules.fill_raw.push_back(rule({{"max_tokens", "30"}, {"format", R"({"type":"json"})"}}));
  CHECK(after(rules, R"({ "model" : "m" })") ==
        R"({ "model" : "m","max_tokens":10,"reasoning":{"effort":"low","summary":"auto"},)"
        R"("format":{"type":"json"} })");
  const std::string full =
      R"({"max_tokens":1,"reasoning":{"effort":null,"summary":"x"},"format":null})";
  CHECK(after(rules, full) == full);
}

TEST_CASE("overrides set in any case, and the last rule wins") {
  payload_options rules;
  rules.override_all.push_back(rule({{"max_tokens", "10"}, {"a.b", "1"}}));
  rules.override_all.push_back(rule({{"max_tokens", "20"}}));
  rules.override_raw.push_back(rule({{"a.c", "[1, 2]"}}));
  CHECK(after(rules, R"({"a" : { "b":5 }, "z":1})") ==
        R"({"a" : { "b":1,"c":[1, 2] }, "z":1,"max_tokens":20})");
}

TEST_CASE("filters come last and remove what is there") {
  payload_options rules;
  rules.fill.push_back(rule({{"temperature", "1"}}));
  rules.override_all.push_back(rule({{"g.x", "1"}}));
  rules.filter.push_back(rule({{"temperature", ""}, {"g.x", ""}, {"/gone/there", ""}, {"b", ""}}));
  CHECK(after(rules, R"({"g":{"y":2}, "b":[1], "c":3})") == R"({"g":{"y":2}, "c":3})");
}

TEST_CASE("a member can go and come back") {
  payload_options rules;
  rules.override_all.push_back(rule({{"a", "1"}, {"a.b", "2"}}));
  CHECK(after(rules, R"({"a":{"c":1}})") == R"({"a":{"b":2}})");
}

TEST_CASE("a key that the body has twice is one member afterwards") {
  payload_options rules;
  rules.override_all.push_back(rule({{"a.b", "2"}}));
  CHECK(after(rules, R"({"a":{"b":1},"c":0,"a":{"b":1}})") == R"({"a":{"b":2},"c":0})");
}

TEST_CASE("a rule is for the models it names, by either name, whatever case and suffix") {
  const auto [name, upstream, requested, hit] =
      GENERATE(table<std::string, std::string, std::string, bool>({
          {"gpt-*", "gpt-5", "fast", true},
          {"fast", "gpt-5", "Fast(high)", true},
          {"gpt-5", "GPT-5(high)", "x", true},
          {"team/*", "gpt-5", "team/fast", true},
          {"gpt-5-mini", "gpt-5", "fast", false},
          {"*", "", "", true},
      }));
  CAPTURE(name, upstream, requested);
  auto of = any();
  of.name = name;
  CHECK(acts(of, call(upstream, requested)) == hit);
}

TEST_CASE("a rule is for the protocols it names") {
  auto of = any();
  auto on = call();
  on.to = wire::gemini;
  on.from = wire::anthropic_messages;
  of.protocol = wire::gemini;
  CHECK(acts(of, on));
  of.from = wire::anthropic_messages;
  CHECK(acts(of, on));
  of.from = wire::openai_chat;
  CHECK_FALSE(acts(of, on));
  of.protocol = wire::openai_chat;
  of.from.reset();
  CHECK_FALSE(acts(of, on));
}

TEST_CASE("headers must all match their patterns") {
  auto on = call();
  const std::map<std::string, std::string, std::less<>> sent{{"X-Tier", "tenant-7"}, {"X-B", "b"}};
  on.header = [&](std::string_view name) -> std::optional<std::string_view> {
    const auto found = sent.find(name);
    return found == sent.end() ? std::nullopt : std::optional<std::string_view>{found->second};
  };
  auto of = any();
  of.headers = {{"X-Tier", "tenant-*"}};
  CHECK(acts(of, on));
  of.headers.emplace_back("X-B", "b");
  CHECK(acts(of, on));
  of.headers.emplace_back("X-C", "*");
  CHECK_FALSE(acts(of, on));
}

TEST_CASE("conditions look at the body") {
  const std::string body = R"({"metadata":{"client":"codex","n":2.0,"on":true,"none":null},)"
                           R"("tools":[{"type":"function"},{"type":"web_search"}]})";
  struct row {
    std::string kind;
    std::string where;
    std::string raw;
    bool hit;
  };
  const auto each = GENERATE(
      row{"match", "metadata.client", "\"codex\"", true},
      row{"match", "metadata.client", "\"other\"", false}, row{"match", "metadata.n", "2", true},
      row{"match", "metadata.on", "true", true}, row{"match", "metadata.on", "\"true\"", false},
      row{"match", "metadata.none", "null", true}, row{"match", "metadata.gone", "null", false},
      row{"match", "tools.#.type", "\"web_search\"", true},
      row{"match", "tools.0.type", "\"web_search\"", false},
      row{"not-match", "metadata.client", "\"codex\"", false},
      row{"not-match", "metadata.gone", "1", true},
      row{"exist", R"(tools.#(type=="web_search").type)", "", true},
      row{"exist", R"(tools.#(type=="computer").type)", "", false},
      row{"exist", "metadata.none", "", false}, row{"exist", "/metadata/client", "", true},
      row{"not-exist", "metadata.none", "", true}, row{"not-exist", "metadata.gone", "", true},
      row{"not-exist", "metadata", "", false});
  CAPTURE(each.kind, each.where, each.raw);
  auto of = any();
  if (each.kind == "match") of.match.push_back({path(each.where), each.raw});
  if (each.kind == "not-match") of.not_match.push_back({path(each.where), each.raw});
  if (each.kind == "exist") of.exist.push_back(path(each.where));
  if (each.kind == "not-exist") of.not_exist.push_back(path(each.where));
  CHECK(acts(of, call(), body) == each.hit);
}

TEST_CASE("conditions see the body as it was before the rules") {
  payload_options rules;
  auto of = any();
  of.not_exist.push_back(path("a"));
  rules.fill.push_back(rule({{"a", "1"}}, of));
  rules.override_all.push_back(rule({{"b", "2"}}, of));
  CHECK(after(rules, "{}") == R"({"a":1,"b":2})");
}

TEST_CASE("a body that would grow too much is refused") {
  std::string body = R"({"a":[)";
  for (int i = 0; i < 2000; ++i) body += (i == 0 ? "{}" : ",{}");
  body += "]}";
  payload_options rules;
  rules.override_all.push_back(rule({{"a.#.x", '"' + std::string(60'000, 'x') + '"'}}));
  const auto head = read_envelope(body);
  const auto out = apply_payload_rules(rules, call(), body, *head, 0);
  REQUIRE_FALSE(out);
  CHECK(out.error().code == errc::limit_exceeded);
}

TEST_CASE("model and stream are out of reach, and values are JSON of a bounded size") {
  CHECK(payload_path_fault(path("model")));
  CHECK(payload_path_fault(path("/stream")));
  CHECK_FALSE(payload_path_fault(path("stream_options.include_usage")));
  CHECK(is_payload_value("[1]"));
  CHECK_FALSE(is_payload_value("{a:1}"));
  CHECK_FALSE(is_payload_value('"' + std::string(payload_value_bytes_max, 'x') + '"'));
}

TEST_CASE("rules keep to their paths on any body") {
  REQUIRE(
      rc::check("other members keep their bytes; defaults change nothing present; overrides settle",
                [](std::uint64_t seed) {
                  test::json_maker maker{seed};
                  const auto body = maker.object(3, {"k0", "k1", "k2", "k3"});
                  const auto head = read_envelope(body);
                  RC_ASSERT(head.has_value());
                  static const std::vector<std::string> paths{"k0", "k0.k1", "k1.0", "k1.k2.k0",
                                                              "new.inner.one"};
                  const auto& where = paths[maker.below(paths.size())];
                  const auto key = where.substr(0, where.find('.'));
                  payload_options rules;
                  const auto kind = maker.below(3);
                  (kind == 0   ? rules.fill
                   : kind == 1 ? rules.override_all
                               : rules.filter)
                      .push_back(rule({{where, "{\"v\":[1]}"}}));
                  const auto out = apply_payload_rules(rules, call(), body, *head, 0);
                  RC_ASSERT(out.has_value());
                  if (!*out) return;
                  const std::string& now = **out;
                  const auto next = read_envelope(now);
                  RC_ASSERT(next.has_value());
                  for (const auto& member : head->members) {
                    if (member.key == key) continue;
                    const auto* kept = next->find(member.key);
                    RC_ASSERT(kept != nullptr);
                    RC_ASSERT(now.substr(kept->value_offset, kept->value_size) ==
                              body.substr(member.value_offset, member.value_size));
                  }
                  const auto again = apply_payload_rules(rules, call(), now, *next, 0);
                  RC_ASSERT(again.has_value());
                  if (where != "k1.0" || kind != 2) RC_ASSERT(!*again);
                }));
}
