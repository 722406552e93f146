#include "protocol/canonical/chat/reading.hpp"
#include "protocol/canonical/client_settings.hpp"

namespace tidegate::protocol::chat {
namespace {

using json_in::value;

/// A word of reasoning_effort; asking for an effort asks for summaries too (spec/http.md 5.4).
bool set_effort(reading& to, std::string_view word) {
  auto& wish = to.out.reasoning;
  if (word.find('\\') != std::string_view::npos) return to.wrong.set("unknown word");
  if (word.empty()) return true;
  if (word == "none") {
    wish.mode = reasoning_mode::off;
    return true;
  }
  wish.mode = word == "auto" ? reasoning_mode::automatic : reasoning_mode::level;
  wish.level = word == "auto" ? std::string_view{} : word;
  return true;
}

void set_budget(reasoning_wish& wish, std::int64_t tokens) {
  wish.mode = tokens == 0  ? reasoning_mode::off
              : tokens < 0 ? reasoning_mode::automatic
                           : reasoning_mode::budget;
  wish.budget = tokens > 0 ? tokens : 0;
}

bool take_effort(reading& to, value& v) {
  raw_text word;
  return take_text(v, word, to.wrong) && set_effort(to, word.escaped);
}

bool take_budget(reading& to, value& v) {
  std::optional<std::int64_t> tokens;
  if (!take_integer(v, tokens, to.wrong)) return false;
  if (tokens) set_budget(to.out.reasoning, *tokens);
  return true;
}

bool read_thinking_config(reading& to, value& v, bool amount_is_set) {
  return members_of(v, to.wrong, [&](std::string_view key, value& inner) {
    if (key == "include_thoughts" || key == "includeThoughts") {
      to.out.reasoning.show_thoughts = json_in::boolean(inner).value_or(false);
    }
    if (amount_is_set) return true;
    if (key == "thinking_budget" || key == "thinkingBudget") return take_budget(to, inner);
    if (key == "thinking_level" || key == "thinkingLevel") return take_effort(to, inner);
    return true;
  });
}

}  // namespace

bool read_effort(reading& to, value& v) {
  if (is_null(v)) return true;
  auto& wish = to.out.reasoning;
  wish.mode = reasoning_mode::unset;
  wish.level = {};
  wish.budget = 0;
  return take_effort(to, v);
}

bool read_reasoning(reading& to, value& v) {
  if (is_null(v)) return true;
  auto& wish = to.out.reasoning;
  const bool amount_is_set = wish.mode != reasoning_mode::unset;
  return members_of(v, to.wrong, [&](std::string_view key, value& inner) {
    bool good = true;
    if (key == "effort" && !amount_is_set) {
      good = take_effort(to, inner);
    } else if (key == "max_tokens" && !amount_is_set) {
      good = take_budget(to, inner);
    } else if (key == "enabled" && !amount_is_set && wish.mode == reasoning_mode::unset) {
      const auto on = json_in::boolean(inner);
      if (on) wish.mode = *on ? reasoning_mode::automatic : reasoning_mode::off;
    } else if (key == "exclude") {
      if (json_in::boolean(inner).value_or(false)) wish.summary = "none";
    } else if (key == "summary") {
      if (const auto word = json_in::text(inner)) wish.summary = word->escaped;
    }
    return good || to.wrong.under(key);
  });
}

bool read_thinking(reading& to, value& v) {
  if (is_null(v)) return true;
  auto& wish = to.out.reasoning;
  if (wish.mode != reasoning_mode::unset) return true;
  std::string_view type;
  const bool good = members_of(v, to.wrong, [&](std::string_view key, value& inner) {
    if (key == "type") type = json_in::text(inner).value_or(raw_text{}).escaped;
    if (key == "effort") return take_effort(to, inner) || to.wrong.under(key);
    if (key == "budget_tokens") return take_budget(to, inner) || to.wrong.under(key);
    return true;
  });
  if (type == "disabled") {
    wish.mode = reasoning_mode::off;
  } else if (!type.empty() && wish.mode == reasoning_mode::unset) {
    wish.mode = reasoning_mode::automatic;
  }
  return good;
}

bool read_extra_body(reading& to, value& v) {
  if (is_null(v)) return true;
  const bool amount_is_set = to.out.reasoning.mode != reasoning_mode::unset;
  return members_of(v, to.wrong, [&](std::string_view vendor, value& extra) {
    if (vendor != "google") return true;
    return members_of(extra, to.wrong,
                      [&](std::string_view key, value& inner) {
                        if (key != "thinking_config" && key != "thinkingConfig") return true;
                        return read_thinking_config(to, inner, amount_is_set) ||
                               to.wrong.under(key);
                      }) ||
           to.wrong.under(vendor);
  });
}

bool read_image_config(reading& to, value& v) {
  if (is_null(v)) return true;
  return members_of(v, to.wrong, [&](std::string_view key, value& inner) {
    auto& image = to.out.image;
    bool good = true;
    if (key == "aspect_ratio") {
      good = take_text(inner, image.aspect_ratio, to.wrong);
    } else if (key == "image_size") {
      good = take_text(inner, image.size, to.wrong);
    } else {
      note_setting(to.out, setting::other);
    }
    return good || to.wrong.under(key);
  });
}

bool read_response_format(reading& to, value& v) {
  if (is_null(v)) return true;
  auto& format = to.out.format;
  raw_text type;
  const bool good = members_of(v, to.wrong, [&](std::string_view key, value& inner) {
    if (key == "type") return take_text(inner, type, to.wrong) || to.wrong.under(key);
    if (key != "json_schema") return true;
    return members_of(inner, to.wrong,
                      [&](std::string_view name, value& member) {
                        bool fine = true;
                        if (name == "name") fine = take_text(member, format.name, to.wrong);
                        if (name == "description")
                          fine = take_text(member, format.description, to.wrong);
                        if (name == "schema") fine = take_object(member, format.schema, to.wrong);
                        if (name == "strict") fine = take_boolean(member, format.strict, to.wrong);
                        return fine || to.wrong.under(name);
                      }) ||
           to.wrong.under(key);
  });
  if (!good) return false;
  if (type.escaped == "json_object") {
    format.kind = format_kind::json_object;
  } else if (type.escaped == "json_schema") {
    format.kind = format_kind::json_schema;
  } else if (type.escaped != "text") {
    return to.wrong.set("unknown word") || to.wrong.under("type");
  }
  return true;
}

}  // namespace tidegate::protocol::chat
