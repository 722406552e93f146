#include "protocol/thinking_body.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "protocol/json_edit.hpp"
#include "protocol/json_object.hpp"
#include "protocol/json_text.hpp"
#include "protocol/thinking_messages.hpp"

namespace tidegate::protocol {
namespace {

/// A raw token as an amount; anything but a text is none.
void read_word(std::string_view token, reasoning_wish& into) {
  const auto word = inside_of(token);
  if (word.empty()) return;
  const auto level = level_from_string(word);
  if (equal_ignoring_case(word, "auto")) {
    into.mode = reasoning_mode::automatic;
  } else if (level == thinking_level::none) {
    into.mode = reasoning_mode::off;
  } else {
    into.mode = reasoning_mode::level;
    into.level = level ? to_string(*level) : word;
  }
}

void read_budget(std::string_view token, reasoning_wish& into) {
  const auto tokens = integer_of(token);
  if (!tokens) return;
  into.mode = *tokens == 0    ? reasoning_mode::off
              : *tokens == -1 ? reasoning_mode::automatic
                              : reasoning_mode::budget;
  into.budget = *tokens;
}

/// `thinking` as Kimi reads it.
void read_switch(std::string_view thinking, reasoning_wish& into) {
  read_word(member_of(thinking, "effort"), into);
  const auto type = inside_of(member_of(thinking, "type"));
  if (type == "disabled") into = {.mode = reasoning_mode::off};
  if (type == "enabled" && into.mode == reasoning_mode::unset) {
    into.mode = reasoning_mode::automatic;
  }
}

reasoning_wish read_chat(const thinking_body& body, thinking_dialect target) {
  reasoning_wish wish;
  if (target == thinking_dialect::kimi) read_switch(raw_member(body, "thinking"), wish);
  if (wish.mode == reasoning_mode::unset) read_word(raw_member(body, "reasoning_effort"), wish);
  if (wish.mode == reasoning_mode::unset) {
    read_word(member_of(raw_member(body, "reasoning"), "effort"), wish);
  }
  return wish;
}

reasoning_wish read_messages(const thinking_body& body) {
  reasoning_wish wish;
  const auto thinking = raw_member(body, "thinking");
  const auto type = inside_of(member_of(thinking, "type"));
  if (type == "disabled") wish.mode = reasoning_mode::off;
  if (type == "enabled") read_budget(member_of(thinking, "budget_tokens"), wish);
  if (type == "adaptive") {
    wish.mode = reasoning_mode::automatic;
    read_word(member_of(raw_member(body, "output_config"), "effort"), wish);
  }
  return wish;
}

std::string_view generation_key(const thinking_body& body) {
  constexpr std::string_view snake = "generation_config";
  return body.head.find(snake) != nullptr ? snake : "generationConfig";
}

std::string_view either(std::string_view object, std::string_view camel, std::string_view snake) {
  const auto found = member_of(object, camel);
  return found.empty() ? member_of(object, snake) : found;
}

std::string_view thinking_config(const thinking_body& body) {
  return either(raw_member(body, generation_key(body)), "thinkingConfig", "thinking_config");
}

reasoning_wish read_gemini(const thinking_body& body) {
  reasoning_wish wish;
  const auto config = thinking_config(body);
  if (config.empty()) return wish;
  read_budget(either(config, "thinkingBudget", "thinking_budget"), wish);
  const auto level = either(config, "thinkingLevel", "thinking_level");
  if (!equal_ignoring_case(inside_of(level), "thinking_level_unspecified")) read_word(level, wish);
  return wish;
}

bool same_amount(const reasoning_wish& a, const reasoning_wish& b) {
  return a.mode == b.mode && a.level == b.level && a.budget == b.budget;
}

using edits = std::vector<member_edit>;

edits spell_responses(const thinking_body& body, const reasoning_wish& wish,
                      thinking_dialect target) {
  if (wish.mode == reasoning_mode::unset) return {{"reasoning", std::nullopt}};
  return {{"reasoning", with_member(raw_member(body, "reasoning"), "effort",
                                    json_quote(effort_word(wish, target)))}};
}

/// One spelling of the amount stays, since two that differ are refused.
edits spell_chat(const thinking_body& body, const reasoning_wish& wish) {
  edits out{{"thinking", std::nullopt}, {"reasoning_effort", std::nullopt}};
  if (wish.mode == reasoning_mode::unset) {
    out.push_back({"reasoning", std::nullopt});
    return out;
  }
  out.back().raw = json_quote(effort_word(wish, thinking_dialect::chat));
  std::string rest{raw_member(body, "reasoning")};
  if (!rest.starts_with('{')) return out;
  for (const std::string_view key : {"effort", "max_tokens", "enabled"}) {
    rest = without_member(rest, key);
  }
  out.push_back({"reasoning", std::move(rest)});
  return out;
}

edits spell_kimi(const thinking_body& body, const reasoning_wish& wish) {
  edits out{{"reasoning_effort", std::nullopt}, {"thinking", std::nullopt}};
  if (wish.mode == reasoning_mode::unset) return out;
  const bool on = thinks(wish);
  auto thinking = with_member(raw_member(body, "thinking"), "type",
                              on ? R"("enabled")" : R"("disabled")");
  thinking = on ? with_member(thinking, "effort",
                              json_quote(effort_word(wish, thinking_dialect::kimi)))
                : without_member(thinking, "effort");
  out.back().raw = std::move(thinking);
  return out;
}

edits spell_gemini(const thinking_body& body, const reasoning_wish& wish) {
  const auto key = generation_key(body);
  const auto config = without_member(raw_member(body, key), "thinking_config");
  if (wish.mode == reasoning_mode::unset) {
    if (config.empty()) return {};
    return {{std::string{key}, without_member(config, "thinkingConfig")}};
  }
  object_writer thinking;
  if (wish.mode == reasoning_mode::level) {
    thinking.text("thinkingLevel", wish.level);
  } else {
    const bool automatic = wish.mode == reasoning_mode::automatic;
    thinking.number("thinkingBudget", automatic ? -1 : wish.budget);
  }
  const auto shown = either(thinking_config(body), "includeThoughts", "include_thoughts");
  const bool said = shown == "true" || shown == "false";
  if (said) thinking.raw("includeThoughts", wish.show_thoughts ? "true" : "false");
  return {{std::string{key}, with_member(config, "thinkingConfig", thinking.str())}};
}

edits spell(const thinking_body& body, const reasoning_wish& wish, const thinking_target& target,
            bool from_suffix) {
  switch (body.form) {
    case wire::openai_responses: return spell_responses(body, wish, target.dialect);
    case wire::openai_chat:
      return target.dialect == thinking_dialect::kimi ? spell_kimi(body, wish)
                                                      : spell_chat(body, wish);
    case wire::anthropic_messages:
      return spell_messages(body, wish, target, from_suffix);
    case wire::gemini: return spell_gemini(body, wish);
  }
  return {};
}

}  // namespace

reasoning_wish read_thinking(const thinking_body& body, thinking_dialect target) {
  switch (body.form) {
    case wire::openai_responses: {
      reasoning_wish wish;
      read_word(member_of(raw_member(body, "reasoning"), "effort"), wish);
      return wish;
    }
    case wire::openai_chat: return read_chat(body, target);
    case wire::anthropic_messages: return read_messages(body);
    case wire::gemini: {
      auto wish = read_gemini(body);
      wish.show_thoughts =
          either(thinking_config(body), "includeThoughts", "include_thoughts") == "true";
      return wish;
    }
  }
  return {};
}

bool lacks_thinking_in_loop(const thinking_body& body) {
  return body.form == wire::anthropic_messages &&
         read_messages(body).mode == reasoning_mode::budget && goes_on_without_thinking(body);
}

thinking_result<edits> fit_body(const thinking_body& body,
                                const std::optional<reasoning_wish>& suffix,
                                const thinking_target& target) {
  const auto asked = read_thinking(body, target.dialect);
  if (!suffix && asked.mode == reasoning_mode::unset) return edits{};
  auto fitted = fit_thinking(suffix ? under_suffix(asked, *suffix) : asked, body.form, target);
  if (!fitted) return std::unexpected{std::move(fitted.error())};
  const bool claude = target.dialect == thinking_dialect::claude && thinks(*fitted);
  const bool excluded =
      claude && (forces_tool(body) || (suffix && !leaves_room(body, *fitted, target)));
  if (excluded) *fitted = reasoning_wish{};
  if (!suffix && same_amount(asked, *fitted)) return edits{};
  return spell(body, *fitted, target, suffix.has_value());
}

}  // namespace tidegate::protocol
