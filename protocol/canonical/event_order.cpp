#include "protocol/canonical/event_order.hpp"

namespace tidegate::protocol {
namespace {

template <class Event>
constexpr bool fills_item = requires(const Event& e) { e.index; } &&
                            !std::is_same_v<Event, item_start> && !std::is_same_v<Event, item_end>;

}  // namespace

std::optional<std::string> event_order::check(const event& next) {
  if (failed_) return "something behind a failure";
  if (std::holds_alternative<failed_event>(next)) {
    failed_ = true;
    return std::nullopt;
  }
  if (std::holds_alternative<start_event>(next)) {
    if (started_) return "a second start";
    started_ = true;
    return std::nullopt;
  }
  if (!started_) return "something before the start";
  if (std::holds_alternative<usage_event>(next)) return std::nullopt;
  if (finished_) return "something behind the finish";
  return std::visit(
      [this](const auto& e) -> std::optional<std::string> {
        using kind = std::decay_t<decltype(e)>;
        if constexpr (std::is_same_v<kind, item_start>) {
          if (e.index != opened_) return "item " + std::to_string(e.index) + " out of turn";
          open_.insert(opened_++);
        } else if constexpr (std::is_same_v<kind, item_end>) {
          if (open_.erase(e.index) == 0) return "end of item that is not open";
        } else if constexpr (std::is_same_v<kind, finish_event>) {
          if (!open_.empty()) return "finish with an open item";
          finished_ = true;
        } else if constexpr (fills_item<kind>) {
          if (!open_.contains(e.index)) return "content of an item that is not open";
        }
        return std::nullopt;
      },
      next);
}

std::optional<std::string> event_order::check_end() const {
  if (failed_ || finished_) return std::nullopt;
  return started_ ? "no finish" : "no start";
}

}  // namespace tidegate::protocol
