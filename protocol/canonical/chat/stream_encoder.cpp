#include "protocol/canonical/chat/stream_encoder.hpp"

#include "protocol/canonical/chat/chat.hpp"
#include "protocol/canonical/chat/words.hpp"
#include "protocol/canonical/failed_answer.hpp"

namespace tidegate::protocol::chat {
namespace {

template <class... Cases>
struct overloaded : Cases... {
  using Cases::operator()...;
};

constexpr std::string_view delta_end = "},\"finish_reason\":null}]}\n\n";
constexpr std::string_view done = "data: [DONE]\n\n";

/// `{"index":N` of an element of tool_calls.
std::string call_head(std::size_t position) {
  return R"("tool_calls":[{"index":)" + std::to_string(position);
}

}  // namespace

void chat_encoder::on(const event& what, std::string& into) {
  if (ended_) return;
  std::visit(overloaded{
                 [&](const start_event& e) { start(e, into); },
                 [&](const item_start& e) { open(e, into); },
                 [&](const text_delta& e) { text(e, into); },
                 [&](const reasoning_delta& e) { thought(e, into); },
                 [&](const arguments_delta& e) { arguments(e, into); },
                 [&](const image_chunk& e) { image(e, into); },
                 [&](const citation_added& e) { cite(e, into); },
                 [&](const logprobs_event& e) { chances(e, into); },
                 [&](const signature_event& e) { sign(e, into); },
                 [&](const item_end& e) { close(e, into); },
                 [&](const usage_event& e) { merge(counts_, e.counts); },
                 [&](const finish_event& e) { stop(e, into); },
                 [&](const failed_event& e) { fail(e, into); },
             },
             what);
}

void chat_encoder::finish(std::string& into) {
  if (ended_) return;
  if (!stopped_) {
    fail({502, "server_error", "", "the answer ended before it was whole"}, into);
    return;
  }
  ended_ = true;
  if (with_.stream_usage) {
    into.append(head_).append("\"choices\":[],\"usage\":");
    json_out out{into};
    write_usage(out, counts_);
    into += "}\n\n";
  }
  into += done;
}

void chat_encoder::start(const start_event& e, std::string& into) {
  if (!head_.empty()) return;
  response_id_ = e.response_id.empty() ? with_.id : e.response_id;
  head_ = "data: ";
  json_out out{head_};
  out.begin_object().key("id").plain(response_id_);
  out.key("object").raw("\"chat.completion.chunk\"");
  out.key("created").number(e.created != 0 ? e.created : with_.now);
  out.key("model").plain(with_.model);
  head_ += ',';
  delta_ = head_ + R"("choices":[{"index":0,"delta":{)";
  into.append(delta_).append(R"("role":"assistant","content":"")").append(delta_end);
}

void chat_encoder::write(std::string_view members, std::string& into) {
  if (head_.empty()) start({}, into);
  into.append(delta_).append(members).append(delta_end);
}

void chat_encoder::write_text(std::string_view member, std::string_view prefix,
                              std::string_view text, std::string& into) {
  if (head_.empty()) start({}, into);
  into.append(delta_).append(1, '"').append(member).append("\":\"").append(prefix);
  into.append(escape(text)).append(1, '"').append(delta_end);
}

chat_encoder::item* chat_encoder::find(std::uint32_t index) {
  return index < items_.size() ? &items_[index] : nullptr;
}

void chat_encoder::open(const item_start& e, std::string& into) {
  item& made = items_.emplace_back();
  made.kind = e.kind;
  made.tool = e.tool;
  if (e.kind != item_kind::tool_call || e.tool == tool_kind::server) return;
  if (functions_ && calls_ > 0) return;
  made.position = calls_++;
  made.is_call = true;
  const std::string name = e.name_space.empty() ? e.name : e.name_space + "__" + e.name;
  if (functions_) {
    write(R"("function_call":{"name":")" + escape(name) + R"(","arguments":""})", into);
    return;
  }
  const std::string id =
      e.call_id.empty() ? made_call_id(response_id_, made.position, e.name) : e.call_id;
  const bool custom = e.tool == tool_kind::custom;
  std::string members = call_head(made.position) + ",\"id\":\"" + escape(id);
  members += custom ? R"(","type":"custom","custom":{"name":")"
                    : R"(","type":"function","function":{"name":")";
  members += escape(name) + (custom ? R"(","input":""}}])" : R"(","arguments":""}}])");
  write(members, into);
}

void chat_encoder::text(const text_delta& e, std::string& into) {
  const item* of = find(e.index);
  if (of == nullptr || e.text.empty()) return;
  refused_ = refused_ || of->kind == item_kind::refusal;
  write_text(of->kind == item_kind::refusal ? "refusal" : "content", {}, e.text, into);
}

void chat_encoder::thought(const reasoning_delta& e, std::string& into) {
  item* const of = find(e.index);
  if (of == nullptr || e.text.empty()) return;
  const bool next_part = of->said && e.part != of->part;
  const bool blank_line = next_part || (!of->said && thought_before_);
  of->said = true;
  of->part = e.part;
  thought_before_ = true;
  write_text("reasoning_content", blank_line ? "\\n\\n" : "", e.text, into);
}

void chat_encoder::arguments(const arguments_delta& e, std::string& into) {
  item* const of = find(e.index);
  if (of == nullptr || !of->is_call || e.text.empty()) return;
  of->said = true;
  if (functions_) {
    write(R"("function_call":{"arguments":")" + escape(e.text) + "\"}", into);
    return;
  }
  const bool custom = of->tool == tool_kind::custom;
  std::string members = call_head(of->position);
  members += custom ? R"(,"custom":{"input":")" : R"(,"function":{"arguments":")";
  members += escape(e.text) + "\"}}]";
  write(members, into);
}

void chat_encoder::image(const image_chunk& e, std::string& into) {
  if (e.partial || find(e.index) == nullptr) return;
  std::string members = R"("images":[{"index":)" + std::to_string(images_++);
  members += R"(,"type":"image_url","image_url":{"url":"data:)";
  members += escape(e.mime.empty() ? "image/png" : e.mime) + ";base64," + escape(e.base64);
  write(members + "\"}}]", into);
}

void chat_encoder::cite(const citation_added& e, std::string& into) {
  const item* const of = find(e.index);
  if (of == nullptr || of->kind == item_kind::server_tool) return;
  std::string members = "\"annotations\":[";
  json_out out{members};
  write_citation(out, e);
  write(members + "]", into);
}

/// Beside an empty delta, as they stand beside the choice's text.
void chat_encoder::chances(const logprobs_event& e, std::string& into) {
  if (find(e.index) == nullptr) return;
  into.append(delta_).append(R"(},"logprobs":{"content":[)").append(e.tokens);
  into += "]},\"finish_reason\":null}]}\n\n";
}

void chat_encoder::sign(const signature_event& e, std::string& into) {
  const item* of = find(e.index);
  if (of == nullptr || !of->is_call || functions_ || e.owner != token_owner::gemini) return;
  std::string members = call_head(of->position);
  members += R"(,"extra_content":{"google":{"thought_signature":")" + escape(e.token) + "\"}}}]";
  write(members, into);
}

void chat_encoder::close(const item_end& e, std::string& into) {
  const item* of = find(e.index);
  const bool empty_call =
      of != nullptr && of->is_call && !of->said && of->tool == tool_kind::function;
  if (empty_call) arguments({e.index, "{}"}, into);
}

void chat_encoder::stop(const finish_event& e, std::string& into) {
  if (stopped_) return;
  if (head_.empty()) start({}, into);
  stopped_ = true;
  into.append(delta_).append("},\"finish_reason\":\"");
  into.append(functions_ ? function_word_of(e.reason, refused_) : word_of(e.reason, refused_));
  into += '"';
  if (!e.native.empty()) {
    into.append(",\"native_finish_reason\":\"").append(escape(e.native)).append(1, '"');
  }
  into += "}]}\n\n";
}

void chat_encoder::fail(const failed_event& e, std::string& into) {
  ended_ = true;
  into += failure_frame(wire::openai_chat, e, false);
}

std::unique_ptr<stream_encoder> make_encoder(answer_context with) {
  return std::make_unique<chat_encoder>(std::move(with));
}

}  // namespace tidegate::protocol::chat
