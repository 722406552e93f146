#include "provider/xai/body.hpp"

#include "provider/request_parts.hpp"
#include "provider/xai/answer.hpp"
#include "provider/xai/history.hpp"
#include "provider/xai/tool_book.hpp"

#include <array>

namespace tidegate::provider::xai {
namespace {

/// previous_response_id is here for its null; with a value the request is refused.
constexpr std::array<std::string_view, 5> refused_members{
    "previous_response_id", "prompt_cache_retention", "safety_identifier", "stream_options",
    "stop"};

void edit_choice(protocol::splice& edits, const request_input& in, tool_book& book) {
  const auto choice = raw_member(in, "tool_choice");
  if (!choice.starts_with('{')) return;
  auto made = book.tool_choice(choice);
  if (!made) return;
  if (made->empty()) {
    edits.remove("tool_choice");
  } else {
    edits.set("tool_choice", std::move(*made));
  }
}

void edit_tools(protocol::splice& edits, const request_input& in, tool_book& book) {
  const auto raw = raw_member(in, "tools");
  const bool none = raw.empty() || raw == "null" || raw.starts_with('[');
  if (none && book.empty()) {
    for (const std::string_view key : {"tools", "tool_choice", "parallel_tool_calls"}) {
      edits.remove(key);
    }
    return;
  }
  if (book.changed()) edits.set("tools", book.list());
  edit_choice(edits, in, book);
}

}  // namespace

std::unique_ptr<answer_edit> edit_body(protocol::splice& edits, const request_input& in) {
  set_model(edits, in);
  for (const auto key : refused_members) edits.remove(key);
  const auto input = raw_member(in, "input");
  tool_book book{in.upstream_model};
  book.add(raw_member(in, "tools"));
  add_tools_of(input, book);
  if (book.overgrown()) return std::make_unique<restored_answer>(tool_book{in.upstream_model});
  edit_tools(edits, in, book);
  if (auto history = sent_history(input, book)) edits.set("input", std::move(*history));
  return std::make_unique<restored_answer>(std::move(book));
}

}  // namespace tidegate::provider::xai
