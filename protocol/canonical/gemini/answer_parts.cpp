#include "protocol/canonical/gemini/answer_parts.hpp"

#include <algorithm>
#include <utility>

#include "protocol/canonical/gemini/json_scan.hpp"
#include "protocol/canonical/gemini/tokens.hpp"
#include "protocol/canonical/json_out.hpp"

namespace tidegate::protocol::gemini {
namespace {

/// Line ends between tokens would end an SSE line.
std::string one_line(std::string json) {
  std::ranges::replace_if(
      json, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return json;
}

std::string arguments_of(const item_start& call, std::string arguments) {
  if (call.tool == tool_kind::custom) return R"({"input":")" + escape(arguments) + "\"}";
  return arguments.empty() || arguments == "null" ? "{}" : one_line(std::move(arguments));
}

/// Arguments that are no object would be run as none.
bool is_sayable(const item_start& call, const std::string& arguments) {
  return call.tool == tool_kind::custom || arguments.empty() || arguments == "null" ||
         is_json_object(arguments);
}

std::string call_members(const item_start& call, std::string arguments) {
  std::string out = R"("functionCall":{)";
  if (!call.call_id.empty()) out += R"("id":")" + escape(call.call_id) + "\",";
  const bool outer = !call.name_space.empty();
  const std::string name = outer ? call.name_space + "__" + call.name : call.name;
  out += R"("name":")" + escape(name) + R"(","args":)";
  return out + arguments_of(call, std::move(arguments)) + '}';
}

template <class Count>
void put(Count& into, const Count& later) {
  if (later) into = later;
}

}  // namespace

std::optional<part_piece> answer_parts::on(const event& what) {
  return std::visit([this](const auto& one) { return on_event(one); }, what);
}

std::optional<part_piece> answer_parts::on_event(const start_event& what) {
  start_ = what;
  return std::nullopt;
}

std::optional<part_piece> answer_parts::on_event(const item_start& what) {
  open_[what.index].head = what;
  return std::nullopt;
}

std::optional<part_piece> answer_parts::on_event(const text_delta& what) {
  if (what.text.empty() || !open_.contains(what.index)) return std::nullopt;
  return part_piece{what.index, false, what.text, {}, {}};
}

std::optional<part_piece> answer_parts::on_event(const reasoning_delta& what) {
  const auto found = open_.find(what.index);
  if (what.text.empty() || found == open_.end()) return std::nullopt;
  auto& last = found->second.summary_part;
  const bool next = last && *last != what.part;
  last = what.part;
  return part_piece{what.index, true, (next ? "\n\n" : "") + what.text, {}, {}};
}

std::optional<part_piece> answer_parts::on_event(const arguments_delta& what) {
  if (const auto found = open_.find(what.index); found != open_.end()) {
    found->second.arguments += what.text;
  }
  return std::nullopt;
}

std::optional<part_piece> answer_parts::on_event(const image_chunk& what) {
  if (what.partial || what.base64.empty()) return std::nullopt;
  const std::string mime = what.mime.empty() ? "image/png" : escape(what.mime);
  return part_piece{
      what.index,
      false,
      {},
      R"("inlineData":{"mimeType":")" + mime + R"(","data":")" + escape(what.base64) + "\"}",
      {}};
}

std::optional<part_piece> answer_parts::on_event(const citation_added& what) {
  std::pair source{what.url, what.title};
  const bool known = what.url.empty() || std::ranges::find(sources_, source) != sources_.end();
  if (!known) sources_.push_back(std::move(source));
  return std::nullopt;
}

std::optional<part_piece> answer_parts::on_event(const logprobs_event& what) {
  logprobs_.append(logprobs_.empty() ? "" : ",").append(what.tokens);
  return std::nullopt;
}

/// Redacted reasoning is no signature.
std::optional<part_piece> answer_parts::on_event(const signature_event& what) {
  const auto found = open_.find(what.index);
  if (found != open_.end() && !what.redacted) found->second.token = what.token;
  return std::nullopt;
}

std::optional<part_piece> answer_parts::on_event(const item_end& what) {
  auto closed = open_.extract(what.index);
  if (closed.empty()) return std::nullopt;
  item& was = closed.mapped();
  switch (was.head.kind) {
    case item_kind::tool_call:
      if (!is_sayable(was.head, was.arguments)) return std::nullopt;
      if (!std::exchange(called_, true) && was.token.empty()) was.token = skip_signature;
      return part_piece{what.index,
                        false,
                        {},
                        call_members(was.head, std::move(was.arguments)),
                        std::move(was.token)};
    case item_kind::text:
    case item_kind::reasoning:
      if (was.token.empty()) return std::nullopt;
      return part_piece{
          what.index, was.head.kind == item_kind::reasoning, {}, {}, std::move(was.token)};
    case item_kind::image:
    case item_kind::refusal:
    case item_kind::server_tool:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<part_piece> answer_parts::on_event(const usage_event& what) {
  put(counts_.input_total, what.counts.input_total);
  put(counts_.cache_read, what.counts.cache_read);
  put(counts_.output_total, what.counts.output_total);
  put(counts_.reasoning, what.counts.reasoning);
  return std::nullopt;
}

std::optional<part_piece> answer_parts::on_event(const finish_event& what) {
  reason_ = what.reason;
  return std::nullopt;
}

std::optional<part_piece> answer_parts::on_event(const failed_event& what) {
  failure_ = what;
  return std::nullopt;
}

std::string part_json(const part_piece& piece) {
  std::string out = "{";
  if (!piece.members.empty()) {
    out += piece.members;
  } else {
    out += R"("text":")" + escape(piece.text) + '"';
    if (piece.thought) out += R"(,"thought":true)";
  }
  if (!piece.signature.empty()) {
    out += R"(,"thoughtSignature":")" + escape(piece.signature) + '"';
  }
  return out + '}';
}

std::string_view word_of(finish_reason reason) {
  switch (reason) {
    case finish_reason::stop:
    case finish_reason::stop_sequence:
    case finish_reason::tool_use:
    case finish_reason::pause:
      return "STOP";
    case finish_reason::length:
    case finish_reason::context_exceeded:
      return "MAX_TOKENS";
    case finish_reason::content_filter:
    case finish_reason::refusal:
      return "SAFETY";
    case finish_reason::other:
      return "OTHER";
  }
  return "OTHER";
}

std::string usage_json(const usage& counts) {
  std::string out;
  json_out json(out);
  const auto input = counts.input_total.value_or(0);
  const auto output = counts.output_total.value_or(0);
  json.begin_object().key("promptTokenCount").number(input);
  if (counts.cache_read) json.key("cachedContentTokenCount").number(*counts.cache_read);
  json.key("candidatesTokenCount");
  json.number(std::max<std::int64_t>(output - counts.reasoning.value_or(0), 0));
  if (counts.reasoning) json.key("thoughtsTokenCount").number(*counts.reasoning);
  json.key("totalTokenCount").number(input + output).end_object();
  return out;
}

}  // namespace tidegate::protocol::gemini
