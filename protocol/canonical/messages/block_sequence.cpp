#include "protocol/canonical/messages/block_sequence.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "protocol/canonical/json_out.hpp"
#include "protocol/canonical/messages/conversation.hpp"
#include "protocol/canonical/messages/token_form.hpp"

namespace tidegate::protocol::messages {
namespace {

constexpr std::string_view search_id = "srvtoolu_";

/// The item that an event fills; nullopt for events of the whole answer.
std::optional<std::uint32_t> item_of(const event& what) {
  return std::visit(
      [](const auto& e) -> std::optional<std::uint32_t> {
        if constexpr (requires { e.index; }) return e.index;
        return std::nullopt;
      },
      what);
}

std::string name_of(const item_start& what, std::size_t number) {
  if (what.name.empty()) return "tool_" + std::to_string(number);
  return what.name_space.empty() ? what.name : what.name_space + "__" + what.name;
}

std::string query_of(const std::string& arguments) {
  const auto parsed = nlohmann::json::parse(arguments, nullptr, false);
  if (!parsed.is_object()) return {};
  const auto query = parsed.find("query");
  return query != parsed.end() && query->is_string() ? query->get<std::string>() : std::string{};
}

}  // namespace

void block_sequence::on(const event& what) {
  const auto index = item_of(what);
  if (!index) return;
  if (const auto* const start = std::get_if<item_start>(&what)) {
    if (active_) waiting_.push_back({*start, {}, false});
    else activate(*start);
    return;
  }
  const bool ends = std::holds_alternative<item_end>(what);
  if (active_ && active_->start.index == *index) {
    if (!ends) return fill(what);
    end_active();
    return advance();
  }
  const auto found = std::ranges::find_if(
      waiting_, [&](const waiting_item& one) { return one.start.index == *index; });
  if (found == waiting_.end()) return;
  if (ends) found->ended = true;
  else if (!found->ended) found->content.push_back(what);
}

void block_sequence::finish() {
  for (waiting_item& one : waiting_) one.ended = true;
  if (active_) end_active();
  advance();
  if (images_ == 0 || said_) return;
  // The protocol has no pictures in answers; an empty one would look like the model's silence.
  sink_.open(block_kind::text, {}, {});
  sink_.add("[image]");
  sink_.close();
}

void block_sequence::advance() {
  std::size_t taken = 0;
  while (!active_ && taken < waiting_.size()) {
    const waiting_item& next = waiting_[taken++];
    activate(next.start);
    for (const event& one : next.content) fill(one);
    if (next.ended) end_active();
  }
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(taken));
}

void block_sequence::activate(const item_start& what) {
  active_.emplace();
  active_->start = what;
  if (what.kind == item_kind::tool_call) open_block(block_kind::tool_use);
}

void block_sequence::open_block(block_kind kind) {
  if (active_->open) return;
  active_->open = true;
  said_ = true;
  if (kind != block_kind::tool_use) return sink_.open(kind, {}, {});
  sink_.open(kind, call_id(active_->start), name_of(active_->start, calls_));
  ++calls_;
}

void block_sequence::close_block() {
  if (active_->open) sink_.close();
  active_->open = false;
}

std::string block_sequence::call_id(const item_start& what) {
  if (!what.call_id.empty()) return sanitised_id(what.call_id);
  return "toolu_" + sanitised_id(answer_id_) + '_' + std::to_string(what.index);
}

void block_sequence::fill(const event& what) {
  const item_kind kind = active_->start.kind;
  const bool textual = kind == item_kind::text || kind == item_kind::refusal;
  if (const auto* const text = std::get_if<text_delta>(&what)) {
    if (textual) fill_text(text->text);
  } else if (const auto* const thought = std::get_if<reasoning_delta>(&what)) {
    if (kind == item_kind::reasoning) fill_reasoning(*thought);
  } else if (const auto* const arguments = std::get_if<arguments_delta>(&what)) {
    fill_arguments(arguments->text);
  } else if (const auto* const token = std::get_if<signature_event>(&what)) {
    active_->token = *token;
  } else if (const auto* const citation = std::get_if<citation_added>(&what)) {
    if (citation->url.empty()) return;
    if (kind == item_kind::server_tool) add_result(*citation);
    if (!textual) return;
    open_block(block_kind::text);
    sink_.cite(*citation);
  }
}

void block_sequence::fill_text(std::string_view text) {
  if (text.empty()) return;
  open_block(block_kind::text);
  sink_.add(text);
}

void block_sequence::fill_reasoning(const reasoning_delta& what) {
  if (what.text.empty()) return;
  open_block(block_kind::thinking);
  if (active_->filled && what.part != active_->part) sink_.add("\n\n");
  active_->part = what.part;
  active_->filled = true;
  sink_.add(what.text);
}

void block_sequence::fill_arguments(std::string_view text) {
  const bool streams = active_->start.kind == item_kind::tool_call &&
                       active_->start.tool != tool_kind::custom;
  if (!streams) {
    active_->kept += text;
    return;
  }
  if (text.empty()) return;
  active_->filled = true;
  sink_.add(text);
}

void block_sequence::end_active() {
  switch (active_->start.kind) {
    case item_kind::reasoning: end_reasoning(); break;
    case item_kind::tool_call: end_call(); break;
    case item_kind::server_tool: end_search(); break;
    case item_kind::text:
    case item_kind::refusal:
      close_block();
      break;
    case item_kind::image:
      ++images_;
      break;
  }
  active_.reset();
}

void block_sequence::end_reasoning() {
  const signature_event& token = active_->token;
  const std::string written =
      write_token(token.owner, token_bind::standalone, token_target::any, token.token);
  if (!written.empty() && !token.redacted) {
    open_block(block_kind::thinking);
    sink_.sign(written);
  }
  close_block();
  if (written.empty() || !token.redacted) return;
  std::string json;
  json_out(json).begin_object().key("type").text({"redacted_thinking"}).key("data").plain(written)
      .end_object();
  sink_.whole(json);
}

void block_sequence::end_call() {
  if (active_->start.tool == tool_kind::custom) {
    std::string json;
    json_out(json).begin_object().key("input").plain(active_->kept).end_object();
    sink_.add(json);
  } else if (!active_->filled) {
    sink_.add("{}");
  }
  close_block();
  carry_token();
}

void block_sequence::add_result(const citation_added& what) {
  std::string& found = active_->found;
  if (!found.empty()) found += ',';
  json_out(found).begin_object().key("type").text({"web_search_result"}).key("title")
      .plain(what.title).key("url").plain(what.url).key("encrypted_content").text({})
      .key("page_age").null().end_object();
}

/// Searches without a query (a page that was opened) say nothing to this protocol's clients.
void block_sequence::end_search() {
  const item_start& what = active_->start;
  const std::string query = query_of(active_->kept);
  if (what.name != "web_search" || query.empty()) return;
  std::string id = sanitised_id(what.call_id.empty() ? what.id : what.call_id);
  if (id.empty()) id = sanitised_id(answer_id_) + '_' + std::to_string(what.index);
  if (!id.starts_with(search_id)) id.insert(0, search_id);
  sink_.open(block_kind::server_tool_use, id, what.name);
  std::string json;
  json_out(json).begin_object().key("query").plain(query).end_object();
  sink_.add(json);
  sink_.close();
  json.clear();
  json_out(json).begin_object().key("type").text({"web_search_tool_result"}).key("tool_use_id")
      .plain(id).key("content").raw('[' + active_->found + ']').end_object();
  sink_.whole(json);
}

/// A call's token rides in a block behind it. A text's is left out: no provider demands it back,
/// and to clients that show a message's last block, a block behind the text is an empty answer.
void block_sequence::carry_token() {
  const signature_event& token = active_->token;
  if (token.token.empty()) return;
  sink_.open(block_kind::thinking, {}, {});
  sink_.sign(write_token(token.owner, token_bind::previous, token_target::function, token.token));
  sink_.close();
}

std::string citation_json(const citation_added& citation) {
  std::string json;
  json_out out(json);
  out.begin_object().key("type").text({"web_search_result_location"});
  out.key("cited_text").text({}).key("url").plain(citation.url);
  out.key("title").plain(citation.title).key("encrypted_index").text({}).end_object();
  return json;
}

}  // namespace tidegate::protocol::messages
