#include "protocol/canonical/responses/answer_out.hpp"

#include <optional>

#include "protocol/canonical/failed_answer.hpp"
#include "protocol/canonical/responses/ending_out.hpp"
#include "protocol/canonical/responses/output_list.hpp"
#include "protocol/canonical/responses/tokens.hpp"

namespace tidegate::protocol::responses {
namespace {

class encoder final : public stream_encoder {
 public:
  explicit encoder(answer_context with) : with_(std::move(with)), output_(head_of(with_)) {}

  void on(const event& what, std::string& into) override {
    if (ended_) return;
    std::visit([&](const auto& e) { take(e, into); }, what);
  }

  void finish(std::string& into) override {
    if (ended_) return;
    if (!finish_) {
      take(cut_short(), into);
      return;
    }
    ended_ = true;
    output_.terminal(ending_of(finish_->reason, refused_).status, response(), into);
  }

  /// The finished response; the error body when there is none.
  std::string body() const {
    if (finish_ && !failed_) return response();
    return failure_body(wire::openai_responses, failed_.value_or(cut_short()));
  }

 private:
  struct slot {
    output_item* output = nullptr;  ///< nullptr: hidden
    bool is_text = false;
    bool open = false;
    std::uint32_t part = 0;   ///< of the summary part that is open
    std::int64_t offset = 0;  ///< characters of the message before this text
    std::string signature;    ///< Gemini's, of a text or call
  };

  void begin(const start_event& e, std::string& into) {
    if (started_) return;
    started_ = true;
    output_.begin(e, with_, into);
  }

  slot* at(std::uint32_t index) {
    return index < slots_.size() && slots_[index].open ? &slots_[index] : nullptr;
  }
  output_item* output_at(std::uint32_t index) {
    slot* const found = at(index);
    return found == nullptr ? nullptr : found->output;
  }

  void take(const start_event& e, std::string& into) { begin(e, into); }

  void take(const item_start& e, std::string& into) {
    begin({}, into);
    if (finish_ || e.index != slots_.size()) return;
    slot made;
    made.open = true;
    switch (e.kind) {
      case item_kind::text:
        made.output = output_.open_text(into);
        break;
      case item_kind::reasoning:
        made.output = output_.open(output_form::reasoning, "rs_", into);
        break;
      case item_kind::image:
        made.output = output_.open(output_form::image, "ig_", into);
        break;
      case item_kind::refusal:
        made.output = output_.open(output_form::refusal, "msg_", into);
        break;
      case item_kind::tool_call:
        if (e.tool != tool_kind::server) made.output = output_.open_call(e, into);
        break;
      case item_kind::server_tool:
        break;
    }
    made.is_text = e.kind == item_kind::text;
    if (made.is_text) made.offset = made.output->characters;
    refused_ = refused_ || e.kind == item_kind::refusal;
    slots_.push_back(std::move(made));
  }

  void append(std::uint32_t index, const std::string& text, std::string& into) {
    if (output_item* const what = output_at(index)) output_.append(*what, text, into);
  }
  void take(const text_delta& e, std::string& into) { append(e.index, e.text, into); }
  void take(const arguments_delta& e, std::string& into) { append(e.index, e.text, into); }

  void take(const reasoning_delta& e, std::string& into) {
    slot* const from = at(e.index);
    output_item* const what = from == nullptr ? nullptr : from->output;
    if (what == nullptr || what->form != output_form::reasoning || e.text.empty()) return;
    output_.append_thought(*what, e.text, from->part != e.part, into);
    from->part = e.part;
    thought_bytes_ += e.text.size();
  }

  void take(const image_chunk& e, std::string& into) {
    output_item* const what = output_at(e.index);
    if (what == nullptr || what->form != output_form::image) return;
    output_.show_image(*what, e, into);
  }

  void take(const citation_added& e, std::string& into) {
    slot* const from = at(e.index);
    if (from == nullptr || from->output == nullptr || !from->is_text) return;
    output_.cite(*from->output, annotation_of(e, from->offset), into);
  }

  /// They wait for the end of their text, whose last event has all of them.
  void take(const logprobs_event& e, std::string&) {
    output_item* const what = output_at(e.index);
    if (what == nullptr || what->form != output_form::message) return;
    what->logprobs.append(what->logprobs.empty() ? "" : ",").append(e.tokens);
  }

  void take(const signature_event& e, std::string&) {
    slot* const from = at(e.index);
    if (from == nullptr || from->output == nullptr || e.token.empty()) return;
    if (from->output->form == output_form::reasoning) {
      from->output->token =
          carrier_prefix(e.owner, e.redacted, token_bind::standalone, token_target::any) +
          escape(e.token);
    } else if (e.owner == token_owner::gemini) {
      from->signature =
          carrier_prefix(e.owner, false, token_bind::previous,
                         from->is_text ? token_target::text : token_target::function) +
          escape(e.token);
    }
  }

  void take(const item_end& e, std::string& into) {
    slot* const from = at(e.index);
    if (from == nullptr) return;
    from->open = false;
    output_item* const what = from->output;
    if (what == nullptr) return;
    what->in_use = false;
    const bool waits = from->is_text && output_.is_last(*what);
    if (!waits || !from->signature.empty()) output_.close(*what, into);
    if (from->signature.empty()) return;
    output_item* const carrier = output_.open(output_form::reasoning, "rs_", into);
    carrier->token = std::move(from->signature);
    output_.close(*carrier, into);
  }

  void take(const usage_event& e, std::string&) { merge(counts_, e.counts); }

  void take(const finish_event& e, std::string& into) {
    begin({}, into);
    if (finish_) return;
    output_.close_all(into);
    for (slot& one : slots_) one.open = false;
    finish_ = e;
  }

  void take(const failed_event& e, std::string& into) {
    ended_ = true;
    failed_ = e;
    into += failure_frame(wire::openai_responses, e, with_.codex_client, output_.next_sequence());
  }

  std::string response() const {
    const auto how = ending_of(finish_->reason, refused_);
    std::string text;
    json_out out(text);
    out.begin_object().key("id").plain(output_.head().id).key("object").text({"response"});
    out.key("created_at").number(output_.head().created).key("status").text({how.status});
    out.key("background").boolean(false).key("error").null().key("incomplete_details");
    if (how.status == "completed") {
      out.null();
    } else {
      out.begin_object().member_if("reason", {how.reason}).end_object();
    }
    out.key("model").plain(output_.head().model).key("output").begin_array();
    for (const output_item& one : output_.items()) write_closed(out, one);
    write_usage(out.end_array().key("usage"), counts_, thought_bytes_);
    for (const auto& [name, value] : output_.head().echoed) out.key(name).raw(value);
    out.end_object();
    return text;
  }

  answer_context with_;
  output_list output_;
  std::vector<slot> slots_;
  usage counts_;
  std::optional<finish_event> finish_;
  std::optional<failed_event> failed_;
  std::size_t thought_bytes_ = 0;
  bool started_ = false;
  bool refused_ = false;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<stream_encoder> make_encoder(answer_context with) {
  return std::make_unique<encoder>(std::move(with));
}

std::string encode_answer(const std::vector<event>& events, const answer_context& with) {
  encoder whole(with);
  std::string frames;
  for (const event& one : events) {
    whole.on(one, frames);
    frames.clear();
  }
  return whole.body();
}

}  // namespace tidegate::protocol::responses
