#include "protocol/canonical/failed_answer.hpp"
#include "protocol/canonical/messages/answer_words.hpp"
#include "protocol/canonical/messages/block_sequence.hpp"
#include "protocol/canonical/messages/messages.hpp"
#include "protocol/json_object.hpp"

namespace tidegate::protocol::messages {
namespace {

/// Blocks as the elements of `content`.
class list_sink final : public block_sink {
 public:
  explicit list_sink(json_out& out) : out_(out) {}

  void open(block_kind kind, std::string_view id, std::string_view name) override {
    kind_ = kind;
    id_ = id;
    name_ = name;
    text_.clear();
    token_.clear();
    citations_.clear();
  }
  void add(std::string_view text) override { text_ += text; }
  void sign(std::string_view token) override { token_ = token; }
  void cite(const citation_added& citation) override {
    citations_.append(citations_.empty() ? "" : ",").append(citation_json(citation));
  }
  void close() override {
    out_.begin_object().key("type");
    switch (kind_) {
      case block_kind::text: text(); break;
      case block_kind::thinking:
        out_.text({"thinking"}).key("thinking").plain(text_).key("signature").plain(token_);
        break;
      case block_kind::tool_use: tool("tool_use"); break;
      case block_kind::server_tool_use: tool("server_tool_use"); break;
    }
    out_.end_object();
  }
  void whole(std::string_view json) override { out_.raw(json); }

 private:
  void text() {
    out_.text({"text"}).key("text").plain(text_);
    if (!citations_.empty()) out_.key("citations").raw('[' + citations_ + ']');
  }
  void tool(std::string_view type) {
    const bool sound = read_object(text_, text_.size()).has_value();
    out_.text({type}).key("id").plain(id_).key("name").plain(name_);
    out_.key("input").raw(sound ? std::string_view{text_} : "{}");
  }

  json_out& out_;
  block_kind kind_ = block_kind::text;
  std::string id_, name_, text_, token_, citations_;
};

template <class Event>
const Event* first(const std::vector<event>& events) {
  for (const event& one : events) {
    if (const auto* const found = std::get_if<Event>(&one)) return found;
  }
  return nullptr;
}

}  // namespace

std::string encode_answer(const std::vector<event>& events, const answer_context& with) {
  const auto* const start = first<start_event>(events);
  const auto* const finish = first<finish_event>(events);
  const auto* const failed = first<failed_event>(events);
  if (failed != nullptr || finish == nullptr) {
    const failed_event cut{502, {}, {}, "the provider's answer ended too early"};
    return failure_body(wire::anthropic_messages, failed != nullptr ? *failed : cut);
  }
  const bool has_id = start != nullptr && !start->response_id.empty();
  const bool own_model = with.model.empty() && start != nullptr;
  const finish_event& ending = *finish;
  std::string body;
  json_out out(body);
  out.begin_object().key("id").plain(has_id ? start->response_id : with.id);
  out.key("type").text({"message"}).key("role").text({"assistant"});
  out.key("model").plain(own_model ? start->model : with.model).key("content").begin_array();
  list_sink sink(out);
  block_sequence blocks(sink, with.id);
  usage counts;
  for (const event& one : events) {
    if (const auto* const more = std::get_if<usage_event>(&one)) merge(counts, more->counts);
    else blocks.on(one);
  }
  blocks.finish();
  out.end_array().key("stop_reason").text({stop_reason_of(ending, blocks.calls())});
  out.key("stop_sequence");
  if (ending.stop_sequence.empty()) out.null();
  else out.plain(ending.stop_sequence);
  out.key("usage");
  write_usage(out, counts, true);
  out.end_object();
  return body;
}

}  // namespace tidegate::protocol::messages
