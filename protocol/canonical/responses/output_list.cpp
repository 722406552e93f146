#include "protocol/canonical/responses/output_list.hpp"

#include <algorithm>

namespace tidegate::protocol::responses {
namespace {

std::string response_id(const std::string& stated, const std::string& made) {
  const std::string& id = stated.empty() ? made : stated;
  return id.starts_with("resp_") ? id : "resp_" + id;
}

std::int64_t characters_of(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
}

}  // namespace

void output_list::begin(const start_event& what, const answer_context& with, std::string& into) {
  head_.id = response_id(what.response_id, with.id);
  head_.created = what.created != 0 ? what.created : with.now;
  frames_.opening(into, head_);
}

std::string output_list::numbered(std::string_view prefix) const {
  return std::string{prefix} + escape(head_.id) + '_' + std::to_string(outputs_.size());
}

output_item& output_list::make(output_form form, std::string id, std::string& into) {
  close_idle(into);
  output_item& made = outputs_.emplace_back();
  made.form = form;
  made.index = static_cast<std::int64_t>(outputs_.size()) - 1;
  made.id = std::move(id);
  return made;
}

output_item* output_list::open(output_form form, std::string_view prefix, std::string& into) {
  output_item& made = make(form, numbered(prefix), into);
  frames_.item_added(into, made);
  return &made;
}

output_item* output_list::open_call(const item_start& what, std::string& into) {
  const bool custom = what.tool == tool_kind::custom;
  const std::string call_id = escape(
      what.call_id.empty() ? "call_" + head_.id + '_' + std::to_string(what.index) : what.call_id);
  output_item& made = make(custom ? output_form::custom : output_form::function,
                           (custom ? "ctc_" : "fc_") + call_id, into);
  made.call_id = call_id;
  made.name = escape(what.name);
  made.name_space = escape(what.name_space);
  frames_.item_added(into, made);
  return &made;
}

output_item* output_list::open_text(std::string& into) {
  const bool goes_on = !outputs_.empty() && !outputs_.back().closed && !outputs_.back().in_use &&
                       outputs_.back().form == output_form::message;
  output_item* const found = goes_on ? &outputs_.back() : open(output_form::message, "msg_", into);
  found->in_use = true;
  return found;
}

void output_list::close_idle(std::string& into) {
  if (outputs_.empty()) return;
  output_item& last = outputs_.back();
  if (last.form == output_form::message && !last.in_use) close(last, into);
}

void output_list::append(output_item& to, std::string_view text, std::string& into) {
  if (to.closed || text.empty()) return;
  const std::string piece = escape(text);
  to.text += piece;
  if (to.form == output_form::message) to.characters += characters_of(text);
  frames_.delta(into, to, piece);
}

void output_list::append_thought(output_item& to, std::string_view text, bool fresh,
                                 std::string& into) {
  if (fresh || to.parts.empty()) {
    if (!to.parts.empty()) frames_.summary_part_done(into, to);
    to.parts.emplace_back();
    frames_.summary_part_added(into, to);
  }
  const std::string piece = escape(text);
  to.parts.back() += piece;
  frames_.delta(into, to, piece);
}

void output_list::cite(output_item& to, std::string annotation, std::string& into) {
  to.annotations.push_back(std::move(annotation));
  frames_.annotation_added(into, to);
}

void output_list::show_image(output_item& to, const image_chunk& what, std::string& into) {
  const std::string_view mime = what.mime;
  if (mime.starts_with("image/")) to.format = escape(mime.substr(6));
  if (what.partial) {
    frames_.partial_image(into, to, what.base64);
    ++to.partial_images;
  } else {
    to.text = escape(what.base64);
  }
}

void output_list::close(output_item& what, std::string& into) {
  if (what.closed) return;
  what.closed = true;
  if (what.form == output_form::function && what.text.empty()) {
    what.text = "{}";
    frames_.delta(into, what, what.text);
  }
  if (what.form == output_form::reasoning && !what.parts.empty()) {
    frames_.summary_part_done(into, what);
  }
  frames_.item_done(into, what);
}

void output_list::close_all(std::string& into) {
  for (output_item& one : outputs_) close(one, into);
}

void output_list::terminal(std::string_view status, std::string_view response, std::string& into) {
  frames_.terminal(into, "response." + std::string{status}, response);
}

}  // namespace tidegate::protocol::responses
