/// The fit of protocol/thinking.hpp: one wish, one model.

#include <algorithm>
#include <cstdlib>

#include "protocol/json_text.hpp"
#include "protocol/thinking.hpp"

namespace tidegate::protocol {
namespace {

using enum thinking_level;

constexpr std::initializer_list<thinking_level> efforts{minimal, low, medium, high, xhigh, max};

bool same_family(wire source, thinking_dialect target) {
  switch (target) {
    case thinking_dialect::chat:
    case thinking_dialect::codex:
      return source == wire::openai_chat || source == wire::openai_responses;
    case thinking_dialect::claude: return source == wire::anthropic_messages;
    case thinking_dialect::gemini:
    case thinking_dialect::antigravity: return source == wire::gemini;
    case thinking_dialect::xai:
    case thinking_dialect::kimi: return false;
  }
  return false;
}

/// Dialects that know levels and no tokens.
bool has_words_only(thinking_dialect target) {
  switch (target) {
    case thinking_dialect::chat:
    case thinking_dialect::codex:
    case thinking_dialect::xai:
    case thinking_dialect::kimi: return true;
    case thinking_dialect::claude:
    case thinking_dialect::gemini:
    case thinking_dialect::antigravity: return false;
  }
  return false;
}

/// The lower one of two that are equally near; `none` is never near to anything.
std::optional<thinking_level> nearest(const level_set& levels, thinking_level wanted) {
  std::optional<thinking_level> best;
  const auto distance = [&](thinking_level one) {
    return std::abs(static_cast<int>(one) - static_cast<int>(wanted));
  };
  for (const auto one : efforts) {
    if (levels.contains(one) && (!best || distance(one) < distance(*best))) best = one;
  }
  return best;
}

std::string listed(const thinking_caps& caps) {
  std::string out;
  const auto add = [&out](std::string_view word) {
    if (!out.empty()) out += ", ";
    out += word;
  };
  for (const auto one : {none, minimal, low, medium, high, xhigh, max}) {
    if (caps.levels.contains(one)) add(to_string(one));
  }
  if (caps.takes_budget()) {
    add(std::to_string(caps.budget_min) + " to " + std::to_string(caps.budget_max) + " tokens");
  }
  if (caps.zero_allowed && !caps.levels.contains(none)) add("0 for off");
  if (caps.dynamic_allowed) add("-1 to let it decide");
  return out;
}

/// Without a trace of thinking.
reasoning_wish unwished(const reasoning_wish& asked) {
  return {.from_suffix = asked.from_suffix};
}

/// Switched off wins over a wish to see thoughts; only a body can say that it wants none.
reasoning_wish hidden(reasoning_wish wish) {
  wish.summary = wish.from_suffix ? std::string_view{} : "none";
  wish.show_thoughts = false;
  return wish;
}

/// One wish on its way to one model whose capability is known.
class fitting {
 public:
  fitting(const reasoning_wish& asked, wire source, const thinking_target& target)
      : asked_(asked),
        target_(target),
        caps_(*target.caps),
        family_(same_family(source, target.dialect)),
        source_(source) {}

  thinking_result<reasoning_wish> run() const {
    switch (asked_.mode) {
      case reasoning_mode::unset: return by_default();
      case reasoning_mode::off: return off();
      case reasoning_mode::automatic: return automatic();
      case reasoning_mode::level: return level();
      case reasoning_mode::budget: return budget();
    }
    return asked_;
  }

 private:
  bool is(thinking_dialect one) const { return target_.dialect == one; }
  bool is_gemini() const {
    return is(thinking_dialect::gemini) || is(thinking_dialect::antigravity);
  }
  /// The provider's own words, straight from the client.
  bool is_native() const { return family_ && !asked_.from_suffix; }

  reasoning_wish with_level(std::optional<thinking_level> one) const {
    reasoning_wish out = asked_;
    out.mode = one ? reasoning_mode::level : reasoning_mode::off;
    out.level = one ? to_string(*one) : std::string_view{};
    out.budget = 0;
    return out;
  }
  reasoning_wish with_budget(std::int64_t tokens) const {
    reasoning_wish out = asked_;
    out.mode = reasoning_mode::budget;
    out.level = {};
    out.budget = tokens;
    return out;
  }
  reasoning_wish nearest_to(thinking_level wanted) const {
    const bool above = wanted == xhigh && !caps_.levels.contains(xhigh);
    if (is(thinking_dialect::claude) && above && caps_.levels.contains(max)) wanted = max;
    return with_level(nearest(caps_.levels, wanted));
  }
  thinking_refusal refusal(thinking_code code, const std::string& what) const {
    return {code, "model " + std::string{target_.model} + " does not take " + what +
                      "; it takes: " + listed(caps_)};
  }

  reasoning_wish by_default() const {
    const bool effort_is_due = is(thinking_dialect::codex) && source_ != wire::openai_responses;
    return effort_is_due && caps_.takes_levels() ? nearest_to(medium) : asked_;
  }

  reasoning_wish off() const {
    const bool allowed = caps_.zero_allowed || caps_.levels.contains(none);
    // What is left of a thinkingConfig would switch a model on that thinks by default.
    if (allowed && is_gemini() && caps_.takes_levels()) return unwished(asked_);
    reasoning_wish out = asked_;
    if (!allowed) {
      out = caps_.takes_levels() ? nearest_to(minimal) : with_budget(caps_.budget_min);
    }
    return hidden(out);
  }

  reasoning_wish automatic() const {
    if (caps_.dynamic_allowed) return asked_;
    if (!caps_.takes_levels()) return with_budget((caps_.budget_min + caps_.budget_max) / 2);
    if (!is(thinking_dialect::claude)) return nearest_to(medium);
    return is_native() ? asked_ : nearest_to(high);
  }

  thinking_result<reasoning_wish> level() const {
    const auto wanted = level_from_string(asked_.level);
    if (!wanted) {
      return std::unexpected{refusal(thinking_code::unknown_level, quoted(asked_.level))};
    }
    if (*wanted == none) return off();
    if (!caps_.takes_levels()) {
      return with_budget(std::clamp(budget_of(*wanted), caps_.budget_min, caps_.budget_max));
    }
    if (caps_.levels.contains(*wanted)) return with_level(*wanted);
    if (!family_) return nearest_to(*wanted);
    return std::unexpected{refusal(thinking_code::level_not_supported, quoted(asked_.level))};
  }

  thinking_result<reasoning_wish> budget() const {
    if (asked_.budget == 0) return off();
    if (asked_.budget < 0) return std::unexpected{out_of_range()};
    const bool as_effort =
        caps_.takes_levels() &&
        (has_words_only(target_.dialect) || (is(thinking_dialect::claude) && !is_native()));
    if (as_effort || !caps_.takes_budget()) return nearest_to(level_of(asked_.budget));
    const auto fits = std::clamp(asked_.budget, caps_.budget_min, caps_.budget_max);
    if (fits != asked_.budget && is_native()) return std::unexpected{out_of_range()};
    return with_budget(fits);
  }

  thinking_refusal out_of_range() const {
    return refusal(thinking_code::budget_out_of_range,
                   "a budget of " + std::to_string(asked_.budget) + " tokens");
  }

  static std::string quoted(std::string_view word) {
    return "the level \"" + std::string{utf8_prefix(word, quoted_characters_max)} + '"';
  }

  const reasoning_wish& asked_;
  const thinking_target& target_;
  const thinking_caps& caps_;
  const bool family_;
  const wire source_;
};

/// An unknown model gets what was asked, in words that its protocol has.
reasoning_wish for_unknown(const reasoning_wish& asked, wire source,
                           const thinking_target& target) {
  if (asked.mode == reasoning_mode::off) return hidden(asked);
  const bool own_words = same_family(source, target.dialect) && !asked.from_suffix;
  const auto level = level_from_string(asked.level);
  if (own_words || has_words_only(target.dialect) || !level) return asked;
  const bool claude = target.dialect == thinking_dialect::claude;
  reasoning_wish out = asked;
  if (claude && *level == minimal) out.level = to_string(low);
  if (*level > high) out.level = to_string(claude ? max : high);
  return out;
}

/// Claude's `adaptive` without an effort means as much as the task needs.
reasoning_wish as_others_say(const reasoning_wish& asked, wire source, thinking_dialect target) {
  reasoning_wish out = asked;
  const bool adaptive = asked.mode == reasoning_mode::automatic && !asked.from_suffix &&
                        source == wire::anthropic_messages && target != thinking_dialect::claude;
  if (adaptive) {
    out.mode = reasoning_mode::level;
    out.level = to_string(xhigh);
  }
  return out;
}

}  // namespace

thinking_result<reasoning_wish> fit_thinking(const reasoning_wish& asked, wire source,
                                             const thinking_target& target) {
  const auto wish = as_others_say(asked, source, target.dialect);
  if (!target.caps) return for_unknown(wish, source, target);
  if (!target.caps->adjustable()) return unwished(wish);
  // A model of budgets behind an interface of words: its host maps them.
  if (!target.caps->takes_levels() && has_words_only(target.dialect)) {
    return for_unknown(wish, source, target);
  }
  return fitting{wish, source, target}.run();
}

}  // namespace tidegate::protocol
