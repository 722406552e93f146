#include "provider/antigravity/body.hpp"

#include "base/hash.hpp"
#include "protocol/json_edit.hpp"
#include "protocol/json_items.hpp"
#include "protocol/json_text.hpp"
#include "provider/antigravity/schema.hpp"
#include "provider/antigravity/search.hpp"
#include "provider/google_list.hpp"
#include "provider/google_request.hpp"
#include "provider/request_parts.hpp"
#include "provider/text_match.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <unordered_map>
#include <variant>

namespace tidegate::provider::antigravity {
namespace {

using protocol::inside_of;
using protocol::member_of;

std::string_view either(const request_input& in, std::string_view camel, std::string_view snake) {
  return in.head.find(snake) != nullptr ? snake : camel;
}

/// The first text that a user said; empty when there is none. Those of a translated call are the
/// client's: before a turn of the model its body has words of nobody's.
std::string first_words(const request_input& in) {
  if (in.call != nullptr) {
    for (const auto& turn : in.call->turns) {
      if (turn.role != protocol::turn_role::user) continue;
      for (const auto& part : turn.parts) {
        const auto* const text = std::get_if<protocol::text_part>(&part);
        if (text != nullptr && !text->text.empty()) return protocol::plain(text->text);
      }
    }
  }
  std::string found;
  for_elements(raw_member(in, "contents"), [&](std::string_view turn) {
    if (!found.empty()) return;
    const auto role = inside_of(member_of(turn, "role"));
    if (!role.empty() && role != "user") return;
    for_elements(member_of(turn, "parts"), [&](std::string_view part) {
      const auto text = member_of(part, "text");
      if (found.empty()) found = protocol::decode_json_string(text).value_or("");
    });
  });
  return found;
}

using schemas = std::unordered_map<std::string_view, std::string_view>;

/// What the client of a translated call declared, by name.
schemas declared_schemas(const request_input& in) {
  schemas out;
  if (in.call == nullptr) return out;
  for (const auto& one : in.call->tools) out.try_emplace(one.name.escaped, one.schema);
  return out;
}

/// Functions are declared with `parameters` here, whatever kind of schema it was.
void clean_schemas(protocol::splice& edits, const request_input& in) {
  constexpr std::string_view own_key = "parameters";
  const auto tools = raw_member(in, "tools");
  if (tools.find("arameters") == std::string_view::npos) return;
  const bool checks_calls = is_claude(in.upstream_model);
  const auto declared = declared_schemas(in);
  const auto place_of = [&](std::string_view text) {
    return static_cast<std::size_t>(text.data() - in.body.data());
  };
  const auto clean = [&](std::string_view declaration) {
    const auto members = declaration.starts_with('{') ? protocol::items_of(declaration)
                                                      : std::nullopt;
    if (!members) return;
    const auto known = declared.find(inside_of(member_of(declaration, "name")));
    for (const auto& one : *members) {
      const bool own = protocol::key_is(one.key, own_key);
      if (!own && !protocol::key_is(one.key, "parametersJsonSchema") &&
          !protocol::key_is(one.key, "parameters_json_schema")) {
        continue;
      }
      if (!own) edits.replace(place_of(one.key), one.key.size(), std::string{own_key});
      const auto schema = declaration.substr(one.offset, one.size);
      if (!schema.starts_with('{')) continue;
      const auto written = known == declared.end() ? std::string_view{} : known->second;
      auto taken = in.call == nullptr ? tool_schema(schema, checks_calls)
                                      : translated_schema(schema, written, checks_calls);
      if (taken != schema) edits.replace(place_of(schema), schema.size(), std::move(taken));
    }
  };
  for_elements(tools, [&](std::string_view tool) {
    for_elements(member_of(tool, "functionDeclarations"), clean);
    for_elements(member_of(tool, "function_declarations"), clean);
  });
}

/// Claude checks calls against their schemas in this mode only.
void validate_calls(protocol::splice& edits, const request_input& in) {
  if (raw_member(in, "tools").find('{') == std::string_view::npos) return;
  const auto key = either(in, "toolConfig", "tool_config");
  const auto config = raw_member(in, key);
  const auto calling = member_of(config, "functionCallingConfig");
  if (inside_of(member_of(calling, "mode")) == "NONE") return;
  edits.set(key, protocol::with_member(config, "functionCallingConfig",
                                       protocol::with_member(calling, "mode", R"("VALIDATED")")));
}

/// What the fit of thinking may have set already.
std::string_view generation_config(const request_input& in, std::string_view key) {
  for (const auto& one : in.edits) {
    if (one.key == key) return one.raw ? std::string_view{*one.raw} : std::string_view{};
  }
  return raw_member(in, key);
}

void drop_limit(protocol::splice& edits, const request_input& in) {
  const auto key = either(in, "generationConfig", "generation_config");
  const auto config = generation_config(in, key);
  for (const std::string_view limit : {"maxOutputTokens", "max_output_tokens"}) {
    if (!member_of(config, limit).empty()) edits.set(key, protocol::without_member(config, limit));
  }
}

}  // namespace

bool is_claude(std::string_view model) {
  return lower(model).starts_with("claude-");
}

std::string session_of(const request_input& in) {
  if (const auto told = in.session(); !told.empty()) return std::string{told};
  constexpr int hex_digits = 16;
  const auto digest = sha256_hex(first_words(in)).substr(0, hex_digits);
  std::uint64_t number = 0;
  std::from_chars(digest.data(), digest.data() + digest.size(), number, hex_digits);
  return fmt::format("-{}", number >> 1U);
}

void edit_generation(protocol::splice& edits, const request_input& in) {
  for (const std::string_view key : {"model", "session_id", "safetySettings", "safety_settings"}) {
    edits.remove(key);
  }
  if (is_search(in)) {
    edits.set("tools", search_tools(in));
  } else {
    edits.set("sessionId", protocol::json_quote(session_of(in)));
    clean_schemas(edits, in);
  }
  if (is_claude(in.upstream_model)) {
    validate_calls(edits, in);
    cap_output(edits, in);
  } else {
    drop_limit(edits, in);
    begin_with_user(edits, in);
  }
}

}  // namespace tidegate::provider::antigravity
