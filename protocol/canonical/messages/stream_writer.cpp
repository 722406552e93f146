#include "protocol/canonical/failed_answer.hpp"
#include "protocol/canonical/messages/answer_words.hpp"
#include "protocol/canonical/messages/block_sequence.hpp"
#include "protocol/canonical/messages/messages.hpp"

namespace tidegate::protocol::messages {
namespace {

/// Blocks as frames.
class frame_sink final : public block_sink {
 public:
  std::string* into = nullptr;

  void open(block_kind kind, std::string_view id, std::string_view name) override {
    kind_ = kind;
    begin("content_block_start");
    out().append(R"(,"content_block":)");
    json_out json(out());
    json.begin_object().key("type");
    switch (kind) {
      case block_kind::text: json.text({"text"}).key("text").text({}); break;
      case block_kind::thinking:
        json.text({"thinking"}).key("thinking").text({}).key("signature").text({});
        break;
      case block_kind::tool_use: json.text({"tool_use"}); break;
      case block_kind::server_tool_use: json.text({"server_tool_use"}); break;
    }
    if (is_tool()) json.key("id").plain(id).key("name").plain(name).key("input").raw("{}");
    json.end_object();
    end();
    if (is_tool()) delta("input_json_delta", "partial_json", {});
  }

  void add(std::string_view text) override {
    switch (kind_) {
      case block_kind::text: return delta("text_delta", "text", text);
      case block_kind::thinking: return delta("thinking_delta", "thinking", text);
      case block_kind::tool_use:
      case block_kind::server_tool_use: return delta("input_json_delta", "partial_json", text);
    }
  }

  void sign(std::string_view token) override { delta("signature_delta", "signature", token); }

  void cite(const citation_added& citation) override {
    begin("content_block_delta");
    out().append(R"(,"delta":{"type":"citations_delta","citation":)");
    out().append(citation_json(citation)).append(1, '}');
    end();
  }

  void close() override {
    begin("content_block_stop");
    end();
    ++index_;
  }

  void whole(std::string_view json) override {
    begin("content_block_start");
    out().append(R"(,"content_block":)").append(json);
    end();
    close();
  }

 private:
  std::string& out() { return *into; }
  bool is_tool() const {
    return kind_ == block_kind::tool_use || kind_ == block_kind::server_tool_use;
  }
  void begin(std::string_view type) {
    out().append("event: ").append(type).append("\ndata: {\"type\":\"").append(type);
    out().append(R"(","index":)").append(std::to_string(index_));
  }
  void end() { out().append("}\n\n"); }
  void delta(std::string_view type, std::string_view member, std::string_view text) {
    begin("content_block_delta");
    out().append(R"(,"delta":{"type":")").append(type).append("\",\"").append(member);
    out().append("\":\"").append(escape(text)).append("\"}");
    end();
  }

  block_kind kind_ = block_kind::text;
  std::size_t index_ = 0;
};

class encoder final : public stream_encoder {
 public:
  explicit encoder(answer_context with) : with_(std::move(with)), blocks_(sink_, with_.id) {}

  void on(const event& what, std::string& into) override {
    if (done_) return;
    if (const auto* const start = std::get_if<start_event>(&what)) {
      start_ = *start;
      started_ = true;
    } else if (const auto* const counts = std::get_if<usage_event>(&what)) {
      merge(usage_, counts->counts);
    } else if (const auto* const finish = std::get_if<finish_event>(&what)) {
      if (!finish_) finish_ = *finish;
    } else if (const auto* const failed = std::get_if<failed_event>(&what)) {
      fail(*failed, into);
    } else if (started_ && !finish_) {
      open_message(into);
      sink_.into = &into;
      blocks_.on(what);
    }
  }

  void finish(std::string& into) override {
    if (done_) return;
    if (!finish_) return fail({502, {}, {}, "the provider's stream ended too early"}, into);
    done_ = true;
    open_message(into);
    sink_.into = &into;
    blocks_.finish();
    end_message(into);
  }

 private:
  /// Waits for the first item, so that the usage known by then stands in it.
  void open_message(std::string& into) {
    if (opened_) return;
    opened_ = true;
    const std::string& id = start_.response_id.empty() ? with_.id : start_.response_id;
    into.append("event: message_start\ndata: ");
    json_out out(into);
    out.begin_object().key("type").text({"message_start"}).key("message").begin_object();
    out.key("id").plain(id).key("type").text({"message"}).key("role").text({"assistant"});
    out.key("model").plain(with_.model.empty() ? start_.model : with_.model);
    out.key("content").begin_array().end_array();
    out.key("stop_reason").null().key("stop_sequence").null().key("usage");
    usage shown = usage_;
    if (!shown.input_total && with_.input_estimate > 0) shown.input_total = with_.input_estimate;
    write_usage(out, shown, true);
    out.end_object().end_object();
    into.append("\n\n");
  }

  void end_message(std::string& into) {
    into.append("event: message_delta\ndata: ");
    json_out out(into);
    out.begin_object().key("type").text({"message_delta"}).key("delta").begin_object();
    out.key("stop_reason").text({stop_reason_of(*finish_, blocks_.calls())}).key("stop_sequence");
    if (finish_->stop_sequence.empty()) out.null();
    else out.plain(finish_->stop_sequence);
    out.end_object().key("usage");
    write_usage(out, usage_, false);
    out.end_object();
    into.append("\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n");
  }

  void fail(const failed_event& what, std::string& into) {
    done_ = true;
    into += failure_frame(wire::anthropic_messages, what, false);
  }

  answer_context with_;
  frame_sink sink_;
  block_sequence blocks_;
  start_event start_;
  usage usage_;
  std::optional<finish_event> finish_;
  bool started_ = false;
  bool opened_ = false;
  bool done_ = false;
};

}  // namespace

std::unique_ptr<stream_encoder> make_encoder(answer_context with) {
  return std::make_unique<encoder>(std::move(with));
}

}  // namespace tidegate::protocol::messages
