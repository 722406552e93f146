#include "protocol/canonical/call_check.hpp"

#include "protocol/json_object.hpp"
#include "protocol/json_text.hpp"

namespace tidegate::protocol {
namespace {

constexpr std::size_t shown_name_bytes_max = 128;

bool is_object(const std::string& arguments) {
  const auto begin = arguments.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos || arguments.compare(begin, std::string::npos, "null") == 0) {
    return true;  // a call without arguments
  }
  return read_object(arguments, arguments.size()).has_value();
}

/// The answer tells that it is not whole.
bool was_cut(finish_reason reason) {
  switch (reason) {
    case finish_reason::length:
    case finish_reason::content_filter:
    case finish_reason::refusal:
    case finish_reason::context_exceeded:
      return true;
    case finish_reason::stop:
    case finish_reason::stop_sequence:
    case finish_reason::tool_use:
    case finish_reason::pause:
    case finish_reason::other:
      return false;
  }
  return false;
}

}  // namespace

std::optional<std::string> call_check::check(const event& next) {
  if (const auto* const start = std::get_if<item_start>(&next)) {
    const bool function = start->kind == item_kind::tool_call && start->tool == tool_kind::function;
    if (function) open_[start->index].name = start->name;
  } else if (const auto* const more = std::get_if<arguments_delta>(&next)) {
    const auto found = open_.find(more->index);
    if (found != open_.end()) found->second.arguments += more->text;
  } else if (const auto* const end = std::get_if<item_end>(&next)) {
    close(end->index);
  } else if (const auto* const finish = std::get_if<finish_event>(&next)) {
    if (broken_ && !was_cut(finish->reason)) {
      return "the arguments of the model's call of " + *broken_ + " are no JSON object";
    }
  }
  return std::nullopt;
}

void call_check::close(std::uint32_t index) {
  const auto found = open_.find(index);
  if (found == open_.end()) return;
  if (!broken_ && !is_object(found->second.arguments)) {
    broken_ = utf8_prefix(found->second.name, shown_name_bytes_max);
  }
  open_.erase(found);
}

}  // namespace tidegate::protocol
