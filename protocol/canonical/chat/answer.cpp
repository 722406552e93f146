#include <algorithm>
#include <variant>

#include "protocol/canonical/chat/chat.hpp"
#include "protocol/canonical/chat/stream_decoder.hpp"
#include "protocol/canonical/chat/stream_encoder.hpp"
#include "protocol/canonical/chat/words.hpp"
#include "protocol/canonical/failed_answer.hpp"

namespace tidegate::protocol::chat {
namespace {

struct folded_item {
  item_start start;
  std::string text;
  std::vector<std::string> thoughts;
  std::uint32_t part = 0;
  std::string signature;
};

/// What the events of an answer amount to.
struct folded {
  start_event start;
  std::vector<folded_item> items;
  std::vector<const citation_added*> citations;
  std::string logprobs;
  std::vector<const image_chunk*> images;
  usage counts;
  const finish_event* finish = nullptr;
  const failed_event* failed = nullptr;
};

bool is_call(const folded_item& item) {
  return item.start.kind == item_kind::tool_call && item.start.tool != tool_kind::server;
}

void add_thought(folded_item& to, const reasoning_delta& e) {
  if (e.text.empty()) return;
  if (to.thoughts.empty() || e.part != to.part) to.thoughts.emplace_back();
  to.part = e.part;
  to.thoughts.back() += e.text;
}

void fold_into_item(folded& to, folded_item& item, const event& what) {
  if (const auto* text = std::get_if<text_delta>(&what)) {
    item.text += text->text;
  } else if (const auto* arguments = std::get_if<arguments_delta>(&what)) {
    item.text += arguments->text;
  } else if (const auto* thought = std::get_if<reasoning_delta>(&what)) {
    add_thought(item, *thought);
  } else if (const auto* citation = std::get_if<citation_added>(&what)) {
    if (item.start.kind != item_kind::server_tool) to.citations.push_back(citation);
  } else if (const auto* tokens = std::get_if<logprobs_event>(&what)) {
    to.logprobs.append(to.logprobs.empty() ? "" : ",").append(tokens->tokens);
  } else if (const auto* image = std::get_if<image_chunk>(&what)) {
    if (!image->partial) to.images.push_back(image);
  } else if (const auto* signature = std::get_if<signature_event>(&what)) {
    if (signature->owner == token_owner::gemini) item.signature = signature->token;
  }
}

folded fold(const std::vector<event>& events) {
  folded out;
  for (const event& what : events) {
    if (const auto* start = std::get_if<start_event>(&what)) out.start = *start;
    if (const auto* finish = std::get_if<finish_event>(&what)) out.finish = finish;
    if (const auto* failed = std::get_if<failed_event>(&what)) out.failed = failed;
    if (const auto* said = std::get_if<usage_event>(&what)) merge(out.counts, said->counts);
    if (const auto* item = std::get_if<item_start>(&what)) {
      out.items.push_back({*item, {}, {}, 0, {}});
      continue;
    }
    std::visit(
        [&](const auto& e) {
          if constexpr (requires { e.index; }) {
            if (e.index < out.items.size()) fold_into_item(out, out.items[e.index], what);
          }
        },
        what);
  }
  return out;
}

std::string joined_texts(const folded& from, item_kind kind) {
  std::string out;
  for (const auto& item : from.items) {
    if (item.start.kind == kind) out += item.text;
  }
  return out;
}

std::string joined_thoughts(const folded& from) {
  std::string out;
  for (const auto& item : from.items) {
    if (item.start.kind != item_kind::reasoning) continue;
    for (const auto& thought : item.thoughts) out += (out.empty() ? "" : "\n\n") + thought;
  }
  return out;
}

void write_call(json_out& out, const folded_item& item, std::string_view response_id,
                std::size_t position) {
  const item_start& start = item.start;
  const bool custom = start.tool == tool_kind::custom;
  const std::string_view type = custom ? "custom" : "function";
  const std::string name =
      start.name_space.empty() ? start.name : start.name_space + "__" + start.name;
  out.begin_object().key("id").plain(
      start.call_id.empty() ? made_call_id(response_id, position, start.name) : start.call_id);
  out.key("type").plain(type).key(type).begin_object().key("name").plain(name);
  const bool fill = !custom && item.text.empty();
  out.key(custom ? "input" : "arguments").plain(fill ? "{}" : item.text).end_object();
  if (!item.signature.empty()) {
    out.key("extra_content").begin_object().key("google").begin_object();
    out.key("thought_signature").plain(item.signature).end_object().end_object();
  }
  out.end_object();
}

void write_calls(json_out& out, const folded& from, std::string_view response_id) {
  std::size_t position = 0;
  for (const auto& item : from.items) {
    if (!is_call(item)) continue;
    if (position == 0) out.key("tool_calls").begin_array();
    write_call(out, item, response_id, position++);
  }
  if (position > 0) out.end_array();
}

/// The first call, for a client that declared `functions`.
void write_function_call(json_out& out, const folded& from) {
  const auto call = std::ranges::find_if(from.items, is_call);
  if (call == from.items.end()) return;
  const item_start& start = call->start;
  out.key("function_call").begin_object().key("name");
  out.plain(start.name_space.empty() ? start.name : start.name_space + "__" + start.name);
  out.key("arguments").plain(call->text.empty() ? "{}" : call->text).end_object();
}

void write_images(json_out& out, const folded& from) {
  if (from.images.empty()) return;
  out.key("images").begin_array();
  std::int64_t position = 0;
  for (const image_chunk* image : from.images) {
    const std::string& mime = image->mime;
    out.begin_object().key("index").number(position++).key("type").plain("image_url");
    out.key("image_url").begin_object().key("url");
    out.plain("data:" + (mime.empty() ? "image/png" : mime) + ";base64," + image->base64);
    out.end_object().end_object();
  }
  out.end_array();
}

void write_message(json_out& out, const folded& from, std::string_view response_id,
                   bool functions) {
  out.key("message").begin_object().key("role").plain("assistant");
  const std::string text = joined_texts(from, item_kind::text);
  const auto says_otherwise = [](const folded_item& item) {
    return is_call(item) || (item.start.kind == item_kind::refusal && !item.text.empty());
  };
  out.key("content");
  if (text.empty() && std::ranges::any_of(from.items, says_otherwise)) {
    out.null();
  } else {
    out.plain(text);
  }
  if (const auto thoughts = joined_thoughts(from); !thoughts.empty()) {
    out.key("reasoning_content").plain(thoughts);
  }
  if (const auto refusal = joined_texts(from, item_kind::refusal); !refusal.empty()) {
    out.key("refusal").plain(refusal);
  }
  if (functions) {
    write_function_call(out, from);
  } else {
    write_calls(out, from, response_id);
  }
  write_images(out, from);
  if (!from.citations.empty()) {
    out.key("annotations").begin_array();
    for (const citation_added* citation : from.citations) write_citation(out, *citation);
    out.end_array();
  }
  out.end_object();
}

}  // namespace

void write_citation(json_out& out, const citation_added& what) {
  out.begin_object().key("type").plain("url_citation").key("url_citation").begin_object();
  out.key("url").plain(what.url);
  if (!what.title.empty()) out.key("title").plain(what.title);
  if (what.begin) out.key("start_index").number(*what.begin);
  if (what.end) out.key("end_index").number(*what.end);
  out.end_object().end_object();
}

result<std::vector<event>> decode_answer(const std::string& body, const tool_names& names) {
  std::vector<event> events;
  chat_decoder decoder{names};
  decoder.feed(sse_frame{body, {}, body}, events);
  decoder.end_of_answer(events);
  const auto* failed = events.empty() ? nullptr : std::get_if<failed_event>(&events.back());
  if (failed != nullptr) return tidegate::failed(errc::invalid_input, failed->message);
  return events;
}

std::string encode_answer(const std::vector<event>& events, const answer_context& with) {
  const folded from = fold(events);
  if (from.failed != nullptr || from.finish == nullptr) {
    const failed_event cut{502, "server_error", "", "the answer ended before it was whole"};
    return failure_body(wire::openai_chat, from.failed != nullptr ? *from.failed : cut);
  }
  const std::string& id = from.start.response_id.empty() ? with.id : from.start.response_id;
  std::string body;
  json_out out{body};
  out.begin_object().key("id").plain(id).key("object").plain("chat.completion");
  out.key("created").number(from.start.created != 0 ? from.start.created : with.now);
  out.key("model").plain(with.model);
  out.key("choices").begin_array().begin_object().key("index").number(0);
  const bool functions = declares_functions(with.request_body);
  write_message(out, from, id, functions);
  if (!from.logprobs.empty()) {
    out.key("logprobs").begin_object().key("content").raw('[' + from.logprobs + ']').end_object();
  }
  const auto reason = from.finish->reason;
  const bool refused = !joined_texts(from, item_kind::refusal).empty();
  out.key("finish_reason");
  out.plain(functions ? function_word_of(reason, refused) : word_of(reason, refused));
  if (!from.finish->native.empty()) out.key("native_finish_reason").plain(from.finish->native);
  out.end_object().end_array().key("usage");
  write_usage(out, from.counts);
  out.end_object();
  return body;
}

}  // namespace tidegate::protocol::chat

namespace tidegate::protocol {

const codec chat_codec{wire::openai_chat,  chat::decode_request, chat::encode_request,
                       chat::make_decoder, chat::make_encoder,   chat::decode_answer,
                       chat::encode_answer};

}  // namespace tidegate::protocol
