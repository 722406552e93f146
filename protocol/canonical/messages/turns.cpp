#include "protocol/canonical/messages/turns.hpp"

#include <algorithm>
#include <utility>

namespace tidegate::protocol::messages {
namespace {

void add(turn_role role, std::vector<part> parts, std::vector<turn>& into) {
  if (!parts.empty()) into.push_back({role, std::move(parts)});
}

bool is_plain_user_part(const part& one) {
  return std::holds_alternative<text_part>(one) || std::holds_alternative<media_part>(one);
}

void add_user(std::vector<part> parts, std::vector<turn>& into) {
  if (std::ranges::all_of(parts, is_plain_user_part)) {
    return add(turn_role::user, std::move(parts), into);
  }
  std::vector<part> results;
  std::vector<part> rest;
  for (part& one : parts) {
    if (std::holds_alternative<tool_result_part>(one)) {
      results.push_back(std::move(one));
    } else if (!std::holds_alternative<reasoning_part>(one) &&
               !std::holds_alternative<tool_call_part>(one)) {
      rest.push_back(std::move(one));
    }
  }
  add(turn_role::tool, std::move(results), into);
  add(turn_role::user, std::move(rest), into);
}

const opaque_token* carried(const part& one) {
  const auto* const thought = std::get_if<reasoning_part>(&one);
  if (thought == nullptr || !thought->texts.empty() || !thought->token) return nullptr;
  return thought->token->bind == token_bind::standalone ? nullptr : &*thought->token;
}

void attach(part& to, const opaque_token& token) {
  opaque_token bare = token;
  bare.bind = token_bind::standalone;
  bare.target = token_target::any;
  auto* const words = std::get_if<text_part>(&to);
  auto* const call = std::get_if<tool_call_part>(&to);
  if (words != nullptr && token.target != token_target::function) words->signature = bare;
  if (call != nullptr && token.target != token_target::text) call->signature = bare;
}

/// A carrier without the neighbour that it names is dropped.
std::vector<part> with_signatures(std::vector<part> parts) {
  std::vector<part> out;
  const opaque_token* next = nullptr;
  for (part& one : parts) {
    if (const opaque_token* const token = carried(one)) {
      if (token->bind == token_bind::next) next = token;
      else if (!out.empty()) attach(out.back(), *token);
      continue;
    }
    if (next != nullptr) attach(one, *std::exchange(next, nullptr));
    out.push_back(std::move(one));
  }
  return out;
}

void add_assistant(std::vector<part> parts, std::vector<turn>& into) {
  std::erase_if(parts, [](const part& one) {
    return std::holds_alternative<tool_result_part>(one);
  });
  add(turn_role::assistant, with_signatures(std::move(parts)), into);
}

}  // namespace

bool add_turns(std::string_view role, std::vector<part> parts, std::vector<turn>& into) {
  if (role == "user") {
    add_user(std::move(parts), into);
  } else if (role == "assistant") {
    add_assistant(std::move(parts), into);
  } else if (role == "system") {
    std::erase_if(parts, [](const part& one) { return !std::holds_alternative<text_part>(one); });
    add(turn_role::inline_system, std::move(parts), into);
  } else {
    return false;
  }
  return true;
}

}  // namespace tidegate::protocol::messages
