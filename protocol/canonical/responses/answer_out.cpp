#include "protocol/canonical/responses/answer_out.hpp"

#include <algorithm>
#include <deque>
#include <optional>

#include "protocol/canonical/responses/output_frames.hpp"
#include "protocol/canonical/responses/tokens.hpp"
#include "protocol/failure.hpp"

namespace tidegate::protocol::responses {
namespace {

std::string response_id(const std::string& stated, const std::string& made) {
  const std::string& id = stated.empty() ? made : stated;
  return id.starts_with("resp_") ? id : "resp_" + id;
}

std::int64_t characters_of(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
}

failure_kind kind_of(int status) {
  switch (status) {
    case 400:
      return failure_kind::invalid_request;
    case 413:
      return failure_kind::body_too_large;
    case 408:
    case 504:
      return failure_kind::upstream_timeout;
    default:
      return failure_kind::upstream_failure;
  }
}

failure failure_from(const failed_event& what, const answer_context& with) {
  failure out;
  out.kind = kind_of(what.status);
  out.message = what.message;
  out.model = with.model;
  return out;
}

failed_event cut_short() {
  return {502, "", "", "upstream stream closed before the answer was complete"};
}

/// The status of a finished response, and why it is not complete.
struct ending {
  std::string_view status = "completed";
  std::string_view reason;
};

ending ending_of(finish_reason reason, bool refused) {
  switch (reason) {
    case finish_reason::stop:
    case finish_reason::stop_sequence:
    case finish_reason::tool_use:
    case finish_reason::pause:
      return {};
    case finish_reason::length:
    case finish_reason::context_exceeded:
      return {"incomplete", "max_output_tokens"};
    case finish_reason::content_filter:
      return {"incomplete", "content_filter"};
    case finish_reason::refusal:
      return refused ? ending{} : ending{"incomplete", "content_filter"};
    case finish_reason::other:
      break;
  }
  return {"incomplete", "other"};
}

class encoder final : public stream_encoder {
 public:
  explicit encoder(answer_context with) : with_(std::move(with)), head_(head_of(with_)) {}

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
    const auto status = ending_of(finish_->reason, refused_).status;
    frames_.terminal(into, "response." + std::string{status}, response());
  }

  /// The finished response; the error body when there is none.
  std::string body() const {
    if (finish_ && !failed_) return response();
    const auto why = failed_.value_or(cut_short());
    return encode_failure(wire::openai_responses, failure_from(why, with_), from_unix(with_.now))
        .body;
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
    head_.id = response_id(e.response_id, with_.id);
    head_.created = e.created != 0 ? e.created : with_.now;
    frames_.opening(into, head_);
  }

  slot* at(std::uint32_t index) {
    return index < slots_.size() && slots_[index].open ? &slots_[index] : nullptr;
  }
  output_item* output_at(std::uint32_t index) {
    slot* const found = at(index);
    return found == nullptr ? nullptr : found->output;
  }

  std::string numbered(std::string_view prefix) const {
    return std::string{prefix} + escape(head_.id) + '_' + std::to_string(outputs_.size());
  }

  output_item& make(output_form form, std::string id, std::string& into) {
    close_idle(into);
    output_item& made = outputs_.emplace_back();
    made.form = form;
    made.index = static_cast<std::int64_t>(outputs_.size()) - 1;
    made.id = std::move(id);
    return made;
  }
  output_item* open(output_form form, std::string_view prefix, std::string& into) {
    output_item& made = make(form, numbered(prefix), into);
    frames_.item_added(into, made);
    return &made;
  }

  output_item* open_call(const item_start& e, std::string& into) {
    const bool custom = e.tool == tool_kind::custom;
    const std::string call_id =
        escape(e.call_id.empty() ? "call_" + head_.id + '_' + std::to_string(e.index) : e.call_id);
    output_item& made = make(custom ? output_form::custom : output_form::function,
                             (custom ? "ctc_" : "fc_") + call_id, into);
    made.call_id = call_id;
    made.name = escape(e.name);
    made.name_space = escape(e.name_space);
    frames_.item_added(into, made);
    return &made;
  }

  /// A message goes on while nothing else has begun.
  output_item* open_text(std::string& into) {
    const bool goes_on = !outputs_.empty() && !outputs_.back().closed && !outputs_.back().in_use &&
                         outputs_.back().form == output_form::message;
    output_item* const found =
        goes_on ? &outputs_.back() : open(output_form::message, "msg_", into);
    found->in_use = true;
    return found;
  }

  void close_idle(std::string& into) {
    if (outputs_.empty()) return;
    output_item& last = outputs_.back();
    if (last.form == output_form::message && !last.in_use) close(last, into);
  }

  void close(output_item& what, std::string& into) {
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

  void take(const start_event& e, std::string& into) { begin(e, into); }

  void take(const item_start& e, std::string& into) {
    begin({}, into);
    if (finish_ || e.index != slots_.size()) return;
    slot made;
    made.open = true;
    switch (e.kind) {
      case item_kind::text:
        made.output = open_text(into);
        break;
      case item_kind::reasoning:
        made.output = open(output_form::reasoning, "rs_", into);
        break;
      case item_kind::image:
        made.output = open(output_form::image, "ig_", into);
        break;
      case item_kind::refusal:
        made.output = open(output_form::refusal, "msg_", into);
        break;
      case item_kind::tool_call:
        if (e.tool != tool_kind::server) made.output = open_call(e, into);
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
    output_item* const what = output_at(index);
    if (what == nullptr || what->closed || text.empty()) return;
    const std::string piece = escape(text);
    what->text += piece;
    if (what->form == output_form::message) what->characters += characters_of(text);
    frames_.delta(into, *what, piece);
  }

  void take(const text_delta& e, std::string& into) { append(e.index, e.text, into); }
  void take(const arguments_delta& e, std::string& into) { append(e.index, e.text, into); }

  void take(const reasoning_delta& e, std::string& into) {
    slot* const from = at(e.index);
    output_item* const what = from == nullptr ? nullptr : from->output;
    if (what == nullptr || what->form != output_form::reasoning || e.text.empty()) return;
    if (what->parts.empty() || from->part != e.part) {
      if (!what->parts.empty()) frames_.summary_part_done(into, *what);
      what->parts.emplace_back();
      from->part = e.part;
      frames_.summary_part_added(into, *what);
    }
    const std::string piece = escape(e.text);
    what->parts.back() += piece;
    thought_bytes_ += e.text.size();
    frames_.delta(into, *what, piece);
  }

  void take(const image_chunk& e, std::string& into) {
    output_item* const what = output_at(e.index);
    if (what == nullptr || what->form != output_form::image) return;
    if (e.mime.starts_with("image/")) what->format = escape(std::string_view{e.mime}.substr(6));
    if (e.partial) {
      frames_.partial_image(into, *what, e.base64);
      ++what->partial_images;
    } else {
      what->text = escape(e.base64);
    }
  }

  void take(const citation_added& e, std::string& into) {
    slot* const from = at(e.index);
    if (from == nullptr || from->output == nullptr || !from->is_text) return;
    from->output->annotations.push_back(annotation_of(e, from->offset));
    frames_.annotation_added(into, *from->output);
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
    const bool waits = from->is_text && what == &outputs_.back();
    if (!waits || !from->signature.empty()) close(*what, into);
    if (from->signature.empty()) return;
    output_item* const carrier = open(output_form::reasoning, "rs_", into);
    carrier->token = std::move(from->signature);
    close(*carrier, into);
  }

  void take(const usage_event& e, std::string&) { merge(counts_, e.counts); }

  void take(const finish_event& e, std::string& into) {
    begin({}, into);
    if (finish_) return;
    for (output_item& one : outputs_) close(one, into);
    for (slot& one : slots_) one.open = false;
    finish_ = e;
  }

  void take(const failed_event& e, std::string& into) {
    ended_ = true;
    failed_ = e;
    into += encode_stream_failure(wire::openai_responses, failure_from(e, with_),
                                  from_unix(with_.now), false);
  }

  std::string response() const {
    const auto how = ending_of(finish_->reason, refused_);
    std::string text;
    json_out out(text);
    out.begin_object().key("id").plain(head_.id).key("object").text({"response"});
    out.key("created_at").number(head_.created).key("status").text({how.status});
    out.key("background").boolean(false).key("error").null().key("incomplete_details");
    if (how.reason.empty()) {
      out.null();
    } else {
      out.begin_object().key("reason").text({how.reason}).end_object();
    }
    out.key("model").plain(head_.model).key("output").begin_array();
    for (const output_item& one : outputs_) write_closed(out, one);
    write_usage(out.end_array().key("usage"), counts_, thought_bytes_);
    for (const auto& [name, value] : head_.echoed) out.key(name).raw(value);
    out.end_object();
    return text;
  }

  answer_context with_;
  response_head head_;
  output_frames frames_;
  std::deque<output_item> outputs_;
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
