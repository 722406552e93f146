#include <array>

#include "protocol/canonical/gemini/encoding.hpp"

namespace tidegate::protocol::gemini {
namespace {

struct level_budget {
  std::string_view level;
  std::int64_t budget;
};
constexpr std::array budgets{level_budget{"minimal", 512}, level_budget{"low", 1024},
                             level_budget{"medium", 8192}, level_budget{"high", 24'576}};
constexpr std::int64_t pro_budget_min = 128;

bool names(std::string_view model, std::string_view word) {
  return model.find(word) != std::string_view::npos;
}

/// Models up to 2.5 know budgets only.
bool takes_levels(std::string_view model) {
  return !names(model, "gemini-2") && !names(model, "gemini-1");
}

std::int64_t budget_of(std::string_view level) {
  for (const auto& row : budgets) {
    if (row.level == level) return row.budget;
  }
  return budgets.back().budget;
}

std::string_view level_of(std::string_view level) {
  return level == "xhigh" || level == "max" ? "high" : level;
}

void write_off(encoding& to) {
  if (takes_levels(to.model) && names(to.model, "gemini-3")) {
    to.json.key("thinkingLevel").text({names(to.model, "pro") ? "low" : "minimal"});
  } else {
    to.json.key("thinkingBudget").number(names(to.model, "2.5-pro") ? pro_budget_min : 0);
  }
}

void write_amount(encoding& to, const reasoning_wish& wish) {
  switch (wish.mode) {
    case reasoning_mode::unset:
      return;
    case reasoning_mode::off:
      return write_off(to);
    case reasoning_mode::automatic:
      to.json.key("thinkingBudget").number(-1);
      return;
    case reasoning_mode::budget:
      to.json.key("thinkingBudget").number(wish.budget);
      return;
    case reasoning_mode::level:
      if (takes_levels(to.model)) {
        to.json.key("thinkingLevel").text({level_of(wish.level)});
      } else {
        to.json.key("thinkingBudget").number(budget_of(wish.level));
      }
  }
}

}  // namespace

void write_thinking(encoding& to) {
  const reasoning_wish& wish = to.from.reasoning;
  const bool implied =
      to.from.source == wire::openai_chat || to.from.source == wire::anthropic_messages;
  const bool thinks = wish.mode != reasoning_mode::unset && wish.mode != reasoning_mode::off;
  const bool hidden = wish.summary == "none";
  const bool shown = !hidden && wish.mode != reasoning_mode::off &&
                     (wish.show_thoughts || !wish.summary.empty() || (implied && thinks));
  const bool said = hidden || (implied && wish.mode == reasoning_mode::off);
  if (wish.mode == reasoning_mode::unset && !shown && !said) return;
  to.json.key("thinkingConfig").begin_object();
  write_amount(to, wish);
  if (shown || said) to.json.key("includeThoughts").boolean(shown);
  to.json.end_object();
}

}  // namespace tidegate::protocol::gemini
