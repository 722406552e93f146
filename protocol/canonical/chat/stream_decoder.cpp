#include "protocol/canonical/chat/stream_decoder.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "protocol/canonical/chat/chat.hpp"
#include "protocol/canonical/chat/media_url.hpp"
#include "protocol/canonical/chat/words.hpp"
#include "protocol/canonical/error_words.hpp"
#include "protocol/canonical/logprobs.hpp"

namespace tidegate::protocol::chat {
namespace {

constexpr int bad_gateway = 502;

/// The text in `{"input": "..."}`; the whole text when it is something else.
std::string unwrapped(const std::string& arguments) {
  constexpr auto replace = nlohmann::json::error_handler_t::replace;
  const auto json = nlohmann::json::parse(arguments, nullptr, false);
  const auto input = json.is_object() ? json.find("input") : json.end();
  if (!json.is_object()) return arguments;
  if (input == json.end()) return json.empty() ? "" : arguments;
  if (!input->is_string()) return input->dump(-1, ' ', false, replace);
  return input->get<std::string>();
}

failed_event not_whole(std::string message) {
  return {bad_gateway, "server_error", "", std::move(message)};
}

}  // namespace

void chat_decoder::feed(const sse_frame& frame, std::vector<event>& into) {
  if (ended_ || frame.data.empty()) return;
  const auto blank = frame.data.find_last_not_of(" \t\r\n");
  if (blank == std::string_view::npos) return;
  if (frame.data.substr(0, blank + 1) == "[DONE]") {
    end_of_answer(into);
    return;
  }
  if (!reader_.read(frame.data)) {
    fail(not_whole("the provider sent a frame that is not JSON"), into);
    return;
  }
  const chunk& read = reader_.last();
  if (read.is_error || frame.event == "error") {
    failed_event error = read.error;
    if (error.status == 0) error.status = status_of_words(error.type, error.code);
    if (error.status == 0) error.status = bad_gateway;
    fail(std::move(error), into);
    return;
  }
  if (!read.has_choices && !read.has_usage) {
    if (read.type.escaped == "ping" || frame.event == "ping") return;
    fail(not_whole("the provider sent a frame that is no chat completion chunk"), into);
    return;
  }
  start(read, into);
  apply(read, into);
}

void chat_decoder::finish(std::vector<event>& into) {
  if (ended_) return;
  if (!native_.empty()) {
    end_of_answer(into);
    return;
  }
  fail(not_whole("the provider's stream ended in the middle of the answer"), into);
}

void chat_decoder::end_of_answer(std::vector<event>& into) {
  if (ended_) return;
  if (!started_ || (native_.empty() && !is_whole())) {
    fail(not_whole("the provider's answer is not whole"), into);
    return;
  }
  close_all(into);
  into.emplace_back(finish_event{settled_reason(), "", native_});
  ended_ = true;
}

void chat_decoder::start(const chunk& from, std::vector<event>& into) {
  if (started_) return;
  started_ = true;
  response_id_ = plain(from.id);
  into.emplace_back(start_event{response_id_, plain(from.model), from.created});
}

void chat_decoder::apply(const chunk& from, std::vector<event>& into) {
  const raw_text thought = from.reasoning_content.empty() ? from.reasoning : from.reasoning_content;
  add_text(item_kind::reasoning, thought, into);
  for (const raw_text text : from.content) add_text(item_kind::text, text, into);
  if (!from.logprobs.empty() && text_item_ && text_kind_ == item_kind::text) {
    auto tokens = logprobs_of_list(from.logprobs);
    if (!tokens.empty()) into.emplace_back(logprobs_event{*text_item_, std::move(tokens)});
  }
  for (const auto& citation : from.citations) add_citation(citation, into);
  add_text(item_kind::refusal, from.refusal, into);
  for (const raw_text url : from.images) add_image(url, into);
  for (const auto& fragment : from.calls) {
    add_fragment(fragment, into);
    if (ended_) return;
  }
  if (!from.finish_reason.empty()) {
    native_ = plain(from.finish_reason);
    close_all(into);
  }
  if (from.has_usage) into.emplace_back(usage_event{from.counts});
}

std::uint32_t chat_decoder::open_item(item_start item, std::vector<event>& into) {
  item.index = items_++;
  const std::uint32_t index = item.index;
  into.emplace_back(std::move(item));
  return index;
}

void chat_decoder::add_text(item_kind kind, raw_text text, std::vector<event>& into) {
  if (text.empty()) return;
  if (text_item_ && text_kind_ != kind) close_text(into);
  if (!text_item_) {
    item_start item;
    item.kind = kind;
    text_item_ = open_item(std::move(item), into);
    text_kind_ = kind;
  }
  if (kind == item_kind::reasoning) {
    into.emplace_back(reasoning_delta{*text_item_, 0, plain(text)});
    return;
  }
  said_text_ = true;
  refused_ = refused_ || kind == item_kind::refusal;
  into.emplace_back(text_delta{*text_item_, plain(text)});
}

void chat_decoder::add_image(raw_text url, std::vector<event>& into) {
  const auto data = split_data_url(url);
  if (!data || data->base64.empty()) return;
  close_text(into);
  item_start item;
  item.kind = item_kind::image;
  const std::uint32_t index = open_item(std::move(item), into);
  into.emplace_back(image_chunk{index, false, plain(data->mime), plain(data->base64)});
  into.emplace_back(item_end{index});
  said_text_ = true;
}

void chat_decoder::add_citation(const chunk_citation& from, std::vector<event>& into) {
  if (!text_item_ || text_kind_ != item_kind::text) return;
  into.emplace_back(
      citation_added{*text_item_, plain(from.url), plain(from.title), from.begin, from.end});
}

chat_decoder::call* chat_decoder::call_at(const call_fragment& from) {
  const std::string id = plain(from.id);
  if (from.index < 0 && id.empty()) return calls_.empty() ? nullptr : &calls_.back();
  if (const auto known = call_by_id_.find(id); !id.empty() && known != call_by_id_.end()) {
    return &calls_[known->second];
  }
  const std::int64_t index = from.index >= 0 ? from.index : -1 - std::ssize(calls_);
  const auto found = call_by_index_.find(index);
  if (found != call_by_index_.end()) {
    call& known = calls_[found->second];
    if (id.empty() || known.id.empty()) {
      if (!id.empty()) call_by_id_[id] = found->second;
      return &known;
    }
  }
  if (calls_.size() == calls_max) return nullptr;
  call_by_index_[index] = calls_.size();
  if (!id.empty()) call_by_id_[id] = calls_.size();
  return &calls_.emplace_back();
}

void chat_decoder::add_fragment(const call_fragment& from, std::vector<event>& into) {
  call* const of = call_at(from);
  if (of == nullptr) {
    if (calls_.size() == calls_max) fail(not_whole("the provider made too many calls"), into);
    return;
  }
  if (of->closed) return;
  if (of->id.empty()) of->id = plain(from.id);
  if (!of->item && of->name.empty()) of->name = plain(from.name);
  if (from.custom) of->kind = tool_kind::custom;
  if (!from.signature.empty()) of->signature = plain(from.signature);
  std::string piece = from.object.empty() ? plain(from.arguments) : std::string{from.object};
  of->arguments += piece;
  if (!of->item && !of->id.empty() && !of->name.empty()) {
    close_text(into);
    open_call(*of, into);
    piece = of->arguments;
  }
  if (of->item && !of->unwrap && !piece.empty()) {
    into.emplace_back(arguments_delta{*of->item, std::move(piece)});
  }
}

void chat_decoder::open_call(call& of, std::vector<event>& into) {
  item_start item;
  item.kind = item_kind::tool_call;
  item.call_id = of.id;
  item.name = of.name;
  item.tool = of.kind;
  if (const tool_name* known = find_tool(names_, of.name)) {
    of.unwrap = known->kind == tool_kind::custom && of.kind == tool_kind::function;
    of.kind = known->kind;
    item.name = known->name;
    item.name_space = known->name_space;
    item.tool = known->kind;
  }
  of.item = open_item(std::move(item), into);
}

void chat_decoder::close_call(call& of, std::size_t position, bool ended_with_calls,
                              std::vector<event>& into) {
  if (of.closed) return;
  of.closed = true;
  if (!of.item) {
    const bool exists =
        !of.id.empty() || !of.name.empty() || (ended_with_calls && !of.arguments.empty());
    if (!exists) return;
    if (of.name.empty()) of.name = "tool_" + std::to_string(position);
    if (of.id.empty()) of.id = made_call_id(response_id_, position, of.name);
    open_call(of, into);
    if (!of.unwrap && !of.arguments.empty()) {
      into.emplace_back(arguments_delta{*of.item, of.arguments});
    }
  }
  if (of.unwrap) {
    std::string input = unwrapped(of.arguments);
    if (!input.empty()) into.emplace_back(arguments_delta{*of.item, std::move(input)});
  } else if (of.arguments.empty() && of.kind == tool_kind::function) {
    into.emplace_back(arguments_delta{*of.item, "{}"});
  }
  if (!of.signature.empty()) {
    into.emplace_back(signature_event{*of.item, token_owner::gemini, false, of.signature});
  }
  into.emplace_back(item_end{*of.item});
}

void chat_decoder::close_text(std::vector<event>& into) {
  if (!text_item_) return;
  into.emplace_back(item_end{*text_item_});
  text_item_.reset();
}

void chat_decoder::close_all(std::vector<event>& into) {
  close_text(into);
  const bool with_calls = reason_of(native_) == finish_reason::tool_use;
  for (std::size_t i = 0; i < calls_.size(); ++i) close_call(calls_[i], i, with_calls, into);
}

bool chat_decoder::is_whole() const {
  if (!said_text_ && calls_.empty()) return false;
  return std::ranges::none_of(calls_, [](const call& of) {
    return of.kind == tool_kind::function && !of.arguments.empty() &&
           !nlohmann::json::accept(of.arguments);
  });
}

finish_reason chat_decoder::settled_reason() const {
  const bool called =
      std::ranges::any_of(calls_, [](const call& of) { return of.item.has_value(); });
  const finish_reason said = native_.empty() ? finish_reason::stop : reason_of(native_);
  switch (said) {
    case finish_reason::stop:
    case finish_reason::stop_sequence:
    case finish_reason::tool_use:
    case finish_reason::pause:
    case finish_reason::other:
      if (called) return finish_reason::tool_use;
      if (refused_) return finish_reason::refusal;
      return said == finish_reason::tool_use ? finish_reason::stop : said;
    case finish_reason::length:
    case finish_reason::content_filter:
    case finish_reason::refusal:
    case finish_reason::context_exceeded:
      return said;
  }
  return said;
}

void chat_decoder::fail(failed_event what, std::vector<event>& into) {
  close_text(into);
  for (const call& of : calls_) {
    if (of.item && !of.closed) into.emplace_back(item_end{*of.item});
  }
  into.emplace_back(std::move(what));
  ended_ = true;
}

std::unique_ptr<stream_decoder> make_decoder(tool_names names) {
  return std::make_unique<chat_decoder>(std::move(names));
}

}  // namespace tidegate::protocol::chat
