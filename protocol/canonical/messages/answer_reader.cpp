#include "protocol/canonical/messages/answer_reader.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "protocol/canonical/messages/answer_words.hpp"
#include "protocol/canonical/messages/token_form.hpp"

namespace tidegate::protocol::messages {
namespace {

using json_in::json_type;
using json_in::object;
using json_in::value;

constexpr std::size_t open_blocks_max = 64;

bool is_object(value& v, object& out) {
  return json_in::type_of(v) == json_type::object && !v.get_object().get(out);
}

/// What a wrapped tool was given; the arguments themselves when they have another form.
std::string unwrapped(const std::string& arguments) {
  const auto parsed = nlohmann::json::parse(arguments, nullptr, false);
  if (!parsed.is_object()) return arguments;
  const auto input = parsed.find("input");
  return input != parsed.end() && input->is_string() ? input->get<std::string>() : arguments;
}

signature_event signature_of(std::uint32_t index, std::string_view raw, bool redacted) {
  const std::string token = plain({raw});
  const opaque_token read = read_token(token);
  const bool known = read.owner != token_owner::unknown;
  return {index, known ? read.owner : token_owner::claude, redacted,
          std::string{read.bytes.escaped}};
}

void take_count(value& v, std::optional<std::int64_t>& out) {
  const auto count = json_in::integer(v);
  constexpr std::int64_t tokens_max = std::int64_t{1} << 50;
  if (count && *count >= 0 && *count <= tokens_max) out = count;
}

}  // namespace

bool answer_reader::read(object of, fields& out) {
  return json_in::each_member(of, [&out](std::string_view key, value& v) {
    const auto inside = json_in::text(v).value_or(raw_text{}).escaped;
    if (key == "type") out.type = inside;
    else if (key == "text" || key == "thinking" || key == "partial_json") out.text = inside;
    else if (key == "id") out.id = inside;
    else if (key == "name") out.name = inside;
    else if (key == "signature") out.signature = inside;
    else if (key == "data") out.data = inside;
    else if (key == "input") out.json = json_in::raw(v);
    else if (key == "citation") return read_citation(v, out);
    json_in::array list;
    if (key == "citations" && json_in::type_of(v) == json_type::array) {
      return !v.get_array().get(list) &&
             json_in::each_element(list, [&out](value& one, std::size_t) {
               return read_citation(one, out);
             });
    }
    return true;
  });
}

bool answer_reader::read_citation(value& v, fields& out) {
  object of;
  if (!is_object(v, of)) return true;
  citation made;
  const bool walked = json_in::each_member(of, [&made](std::string_view key, value& member) {
    if (key == "url") made.url = json_in::text(member).value_or(raw_text{});
    if (key == "title") made.title = json_in::text(member).value_or(raw_text{});
    return true;
  });
  if (walked && !made.url.empty()) out.citations.push_back(made);
  return walked;
}

bool answer_reader::start(object message, std::vector<event>& into) {
  start_event made;
  object counts;
  bool counted = true;
  std::vector<event> usage_events;
  const bool walked = json_in::each_member(message, [&](std::string_view key, value& v) {
    if (key == "id") made.response_id = plain(json_in::text(v).value_or(raw_text{}));
    if (key == "model") made.model = plain(json_in::text(v).value_or(raw_text{}));
    if (key == "usage" && is_object(v, counts)) counted = count(counts, usage_events);
    return counted;
  });
  if (!walked) return false;
  if (!started_) into.emplace_back(std::move(made));
  started_ = true;
  std::ranges::move(usage_events, std::back_inserter(into));
  return true;
}

bool answer_reader::count(object given, std::vector<event>& into) {
  const bool walked = json_in::each_member(given, [this](std::string_view key, value& v) {
    if (key == "input_tokens") take_count(v, fresh_input_);
    else if (key == "output_tokens") take_count(v, output_);
    else if (key == "cache_read_input_tokens") take_count(v, cache_read_);
    else if (key == "cache_creation_input_tokens") take_count(v, cache_write_);
    else if (key == "thinking_tokens") take_count(v, thinking_);
    return true;
  });
  if (!walked) return false;
  usage made;
  if (fresh_input_ || cache_read_ || cache_write_) {
    made.input_total =
        fresh_input_.value_or(0) + cache_read_.value_or(0) + cache_write_.value_or(0);
  }
  made.cache_read = cache_read_;
  made.cache_write = cache_write_;
  made.output_total = output_;
  made.reasoning = thinking_;
  if (made != usage{}) into.emplace_back(usage_event{made});
  return true;
}

item_start answer_reader::item_of(const fields& given, open_block& made) const {
  item_start out;
  out.index = made.index;
  if (given.type == "thinking" || given.type == "redacted_thinking") {
    out.kind = item_kind::reasoning;
  } else if (given.type == "server_tool_use") {
    out.kind = item_kind::server_tool;
    out.tool = tool_kind::server;
  } else if (given.type == "tool_use") {
    out.kind = item_kind::tool_call;
  }
  made.kind = out.kind;
  if (out.kind != item_kind::tool_call && out.kind != item_kind::server_tool) return out;
  out.call_id = plain({given.id});
  out.name = plain({given.name});
  if (const tool_name* const known = find_tool(names_, out.name);
      known != nullptr && out.kind == item_kind::tool_call) {
    out.name = known->name;
    out.name_space = known->name_space;
    out.tool = known->kind;
    made.custom = known->kind == tool_kind::custom;
  }
  return out;
}

bool answer_reader::open(std::int64_t block, object content, std::vector<event>& into) {
  fields given;
  if (!started_ || !read(content, given)) return false;
  if (find(block) != nullptr && !close(block, into)) return false;
  if (open_.size() == open_blocks_max) return false;
  open_block& made = open_.emplace_back();
  made.block = block;
  constexpr std::string_view known[] = {"text", "thinking", "redacted_thinking", "tool_use",
                                        "server_tool_use"};
  if (std::ranges::find(known, given.type) == std::end(known)) {
    made.hidden = true;
    return true;
  }
  made.index = items_++;
  into.emplace_back(item_of(given, made));
  if (made.kind == item_kind::tool_call) ++calls_;
  if (given.json != "{}") made.input = given.json;
  if (!given.data.empty()) into.emplace_back(signature_of(made.index, given.data, true));
  fill(made, given, into);
  return true;
}

void answer_reader::fill(open_block& to, const fields& given, std::vector<event>& into) {
  if (!given.text.empty()) fill_text(to, plain({given.text}), into);
  if (!given.signature.empty() && to.kind == item_kind::reasoning) {
    into.emplace_back(signature_of(to.index, given.signature, false));
  }
  if (to.kind != item_kind::text) return;
  for (const citation& one : given.citations) {
    into.emplace_back(citation_added{to.index, plain(one.url), plain(one.title), {}, {}});
  }
}

void answer_reader::fill_text(open_block& to, std::string text, std::vector<event>& into) {
  switch (to.kind) {
    case item_kind::text: into.emplace_back(text_delta{to.index, std::move(text)}); return;
    case item_kind::reasoning:
      into.emplace_back(reasoning_delta{to.index, 0, std::move(text)});
      return;
    case item_kind::tool_call:
    case item_kind::server_tool:
      if (!to.has_arguments) to.input.clear();
      to.has_arguments = true;
      if (to.custom) to.input += text;
      else into.emplace_back(arguments_delta{to.index, std::move(text)});
      return;
    case item_kind::image:
    case item_kind::refusal: return;
  }
}

bool answer_reader::add(std::int64_t block, object delta, std::vector<event>& into) {
  open_block* const to = find(block);
  fields given;
  if (to == nullptr || !read(delta, given)) return false;
  const bool arguments = given.type == "input_json_delta";
  const bool takes_arguments = to->kind == item_kind::tool_call ||
                               to->kind == item_kind::server_tool;
  const bool of_thinking = given.type == "thinking_delta" || given.type == "signature_delta";
  const bool fits = arguments == takes_arguments &&
                    of_thinking == (to->kind == item_kind::reasoning);
  if (!to->hidden && fits) fill(*to, given, into);
  return true;
}

void answer_reader::end(open_block& what, std::vector<event>& into) {
  if (what.hidden) return;
  if (what.custom) {
    into.emplace_back(arguments_delta{what.index, unwrapped(what.input)});
  } else if (!what.has_arguments &&
             (what.kind == item_kind::tool_call || what.kind == item_kind::server_tool)) {
    into.emplace_back(arguments_delta{what.index, what.input.empty() ? "{}" : what.input});
  }
  into.emplace_back(item_end{what.index});
}

bool answer_reader::close(std::int64_t block, std::vector<event>& into) {
  open_block* const found = find(block);
  if (found == nullptr) return false;
  end(*found, into);
  open_.erase(open_.begin() + (found - open_.data()));
  return true;
}

bool answer_reader::stop(object delta) {
  return json_in::each_member(delta, [this](std::string_view key, value& v) {
    const auto text = json_in::text(v);
    if (!text) return true;
    if (key == "stop_sequence") stop_sequence_ = plain(*text);
    if (key == "stop_reason") {
      stop_reason_ = plain(*text);
      has_stop_ = true;
    }
    return true;
  });
}

void answer_reader::finish(std::vector<event>& into) {
  for (open_block& one : open_) end(one, into);
  open_.clear();
  into.emplace_back(finish_event{reason_of(stop_reason_, calls_), stop_sequence_, stop_reason_});
}

answer_reader::open_block* answer_reader::find(std::int64_t block) {
  const auto found = std::ranges::find(open_, block, &open_block::block);
  return found == open_.end() ? nullptr : &*found;
}

}  // namespace tidegate::protocol::messages
