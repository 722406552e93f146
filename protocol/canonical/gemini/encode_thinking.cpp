#include "protocol/canonical/gemini/encoding.hpp"
#include "protocol/thinking.hpp"

namespace tidegate::protocol::gemini {
namespace {

void write_amount(encoding& to, const reasoning_wish& wish) {
  switch (wish.mode) {
    case reasoning_mode::unset:
      return;
    case reasoning_mode::off:
      to.json.key("thinkingBudget").number(0);
      return;
    case reasoning_mode::automatic:
      to.json.key("thinkingBudget").number(-1);
      return;
    case reasoning_mode::budget:
      to.json.key("thinkingBudget").number(wish.budget);
      return;
    case reasoning_mode::level:
      to.json.key("thinkingLevel").text({wish.level});
  }
}

}  // namespace

void write_thinking(encoding& to) {
  const reasoning_wish& wish = to.from.reasoning;
  const bool implied = !wish.from_suffix && (to.from.source == wire::openai_chat ||
                                             to.from.source == wire::anthropic_messages);
  const bool hidden = wish.summary == "none";
  const bool shown = !hidden && wish.mode != reasoning_mode::off &&
                     (wish.show_thoughts || !wish.summary.empty() || (implied && thinks(wish)));
  const bool said = hidden || (implied && wish.mode == reasoning_mode::off);
  if (wish.mode == reasoning_mode::unset && !shown && !said) return;
  to.json.key("thinkingConfig").begin_object();
  write_amount(to, wish);
  if (shown || said) to.json.key("includeThoughts").boolean(shown);
  to.json.end_object();
}

}  // namespace tidegate::protocol::gemini
