#include <rapidcheck.h>

#include <array>
#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/unit/golden/maker.hpp"
#include "tests/unit/golden/translate.hpp"

namespace tidegate::golden {
namespace {

using nlohmann::json;
using namespace protocol;

constexpr std::string_view schema =
    R"({"type":"object","properties":{"city":{"type":"string"}},"required":["city"]})";

/// A request that every protocol can hold: settings, tools, rounds of a question, a thought with
/// the provider's own token, a text, calls, and their results in order.
class conversation_maker {
 public:
  conversation_maker(maker& from, const side& of, canonical_request& into)
      : from_(from), of_(of), into_(into) {}

  void run() {
    into_.source = of_.codec.form;
    into_.model = {"m"};
    into_.max_output_tokens = 100;
    if (from_.one_in(2)) into_.system.push_back({text(), system_origin::system, {}});
    settings();
    for (std::size_t rounds = 1 + from_.below(3); rounds > 0; --rounds) round();
    into_.turns.push_back(question());
  }

 private:
  raw_text text() { return {into_.texts.keep(from_.escaped())}; }
  text_part said() { return {text(), {}, {}, {}}; }

  std::optional<opaque_token> token() {
    if (of_.owner == token_owner::unknown) return std::nullopt;
    constexpr std::string_view claude =
        "ElIKBAgLEAISEWNsYXVkZS1zb25uZXQtNC01GjcoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj9AQUJDREVGR0hJSktMTU"
        "5P"
        "UFFSU1RVVldYWVpbXF1e";
    constexpr std::string_view google =
        "EjUKMwE8PT4/QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaW1xdXl9gYWJjZGVmZ2hpamtsbQ==";
    const std::string_view bytes = of_.owner == token_owner::claude   ? claude
                                   : of_.owner == token_owner::gemini ? google
                                                                      : openai_token();
    return opaque_token{of_.owner, token_bind::standalone, token_target::any, {bytes}};
  }
  static std::string_view openai_token() {
    static const std::string made = "gAAAAAB" + std::string(120, 'x');
    return made;
  }

  /// Some words and perhaps a picture.
  turn question() {
    turn asked{turn_role::user, {said()}};
    if (!from_.one_in(3)) return asked;
    media_part picture;
    picture.source.mime = {"image/png"};
    picture.source.base64 = {from_.one_in(2) ? "iVBORw0KGgo=" : "QUJD"};
    asked.parts.emplace_back(std::move(picture));
    return asked;
  }

  /// What all four protocols have a word for.
  void settings() {
    into_.max_output_tokens = static_cast<std::int64_t>(1 + from_.below(32'000));
    if (from_.one_in(2)) into_.sampling.temperature = from_.one_in(2) ? "0.25" : "1";
    // Claude takes one of the two.
    const bool both = of_.name != "messages" || into_.sampling.temperature.empty();
    if (both && from_.one_in(2)) into_.sampling.top_p = "0.95";
    if (of_.name != "responses" && from_.one_in(2)) {
      for (auto words = 1 + from_.below(3); words > 0; --words) into_.stop.push_back(text());
    }
    if (from_.one_in(2)) tools();
    if (into_.tools.empty() && from_.one_in(3)) {
      into_.format.kind = format_kind::json_schema;
      into_.format.name = {"shape"};
      into_.format.schema = schema;
    }
  }

  void tools() {
    for (const std::string_view name : {"read", "write"}) {
      tool made;
      made.name = {name};
      if (from_.one_in(2)) made.description = text();
      made.schema = schema;
      into_.tools.push_back(std::move(made));
    }
    constexpr std::array modes{choice_mode::unset, choice_mode::automatic, choice_mode::none,
                               choice_mode::required, choice_mode::specific};
    into_.choice.mode = modes[from_.below(modes.size())];
    if (into_.choice.mode == choice_mode::specific) into_.choice.names = {{"write"}};
  }

  void round() {
    into_.turns.push_back(question());
    turn model{turn_role::assistant, {}};
    turn results{turn_role::tool, {}};
    if (from_.one_in(2)) {
      reasoning_part thought;
      thought.texts.push_back(text());
      thought.token = token();
      model.parts.emplace_back(std::move(thought));
    }
    model.parts.emplace_back(said());
    for (std::size_t calls = from_.below(3); calls > 0; --calls) call(model, results);
    into_.turns.push_back(std::move(model));
    if (!results.parts.empty()) into_.turns.push_back(std::move(results));
  }

  void call(turn& model, turn& results) {
    tool_call_part made;
    made.id = {into_.texts.keep("call_" + std::to_string(++calls_))};
    made.name = {from_.one_in(2) ? "read" : "write"};
    made.arguments = into_.texts.keep(from_.object());
    tool_result_part result;
    result.call_id = made.id;
    result.content.emplace_back(said());
    model.parts.emplace_back(std::move(made));
    results.parts.emplace_back(std::move(result));
  }

  maker& from_;
  const side& of_;
  canonical_request& into_;
  std::size_t calls_ = 0;
};

/// Who says what, wherever turns begin and end.
std::vector<std::string> meaning(const canonical_request& of) {
  std::vector<std::string> out;
  for (const auto& one : of.system) out.push_back("system " + plain(one.text));
  for (const turn& one : of.turns) {
    for (const part& what : one.parts) {
      const bool model = one.role == turn_role::assistant;
      if (const auto* const words = std::get_if<text_part>(&what)) {
        out.push_back((model ? "model " : "user ") + plain(words->text));
      } else if (const auto* const medium = std::get_if<media_part>(&what)) {
        out.push_back("picture " + plain(medium->source.mime) + ' ' + plain(medium->source.base64));
      } else if (const auto* const thought = std::get_if<reasoning_part>(&what)) {
        for (const raw_text text : thought->texts) out.push_back("thought " + plain(text));
        if (thought->token) out.push_back("token " + plain(thought->token->bytes));
      } else if (const auto* const call = std::get_if<tool_call_part>(&what)) {
        out.push_back("call " + plain(call->id) + ' ' + plain(call->name) + ' ' +
                      json::parse(call->arguments).dump());
      } else if (const auto* const result = std::get_if<tool_result_part>(&what)) {
        out.push_back("result " + plain(result->call_id));
        for (const auto& content : result->content) {
          out.push_back("  " + plain(std::get<text_part>(content).text));
        }
      }
    }
  }
  return out;
}

/// A choice that changes nothing is as good as none.
std::string chosen(const tool_choice& of) {
  if (of.mode == choice_mode::unset) return "automatic";
  if (of.mode == choice_mode::automatic) return "automatic";
  std::string out{of.mode == choice_mode::none       ? "none"
                  : of.mode == choice_mode::required ? "required"
                  : of.mode == choice_mode::specific ? "specific"
                                                     : "subset"};
  for (const auto& name : of.names) out += ' ' + plain(name);
  return out;
}

std::string schema_text(std::string_view text) {
  return text.empty() ? std::string{} : json::parse(text).dump();
}

/// How the model is to answer.
std::vector<std::string> settings_of(const canonical_request& of) {
  std::vector<std::string> out{"tokens " + std::to_string(of.max_output_tokens.value_or(0)),
                               "temperature " + std::string{of.sampling.temperature},
                               "top_p " + std::string{of.sampling.top_p},
                               "choice " + chosen(of.choice)};
  for (const auto& word : of.stop) out.push_back("stop " + plain(word));
  for (const auto& one : of.tools) {
    out.push_back("tool " + plain(one.name) + ' ' + plain(one.description) + ' ' +
                  schema_text(one.schema));
  }
  if (of.format.kind == format_kind::json_schema) {
    out.push_back("schema " + schema_text(of.format.schema));
  }
  return out;
}

}  // namespace

TEST_CASE("a request that a protocol can express is read back as it was") {
  for (const side& one : sides()) {
    INFO(one.name);
    CHECK(rc::check("round trip", [&one](std::uint64_t seed) {
      maker from{seed};
      canonical_request what;
      conversation_maker{from, one, what}.run();
      const auto again = decode(one, encode(one, what).body);
      RC_ASSERT(again.what.has_value());
      RC_ASSERT(meaning(*again.what) == meaning(what));
      RC_ASSERT(settings_of(*again.what) == settings_of(what));
    }));
  }
}

}  // namespace tidegate::golden
