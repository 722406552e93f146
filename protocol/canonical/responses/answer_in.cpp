#include "protocol/canonical/responses/answer_in.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "protocol/canonical/json_in.hpp"
#include "protocol/canonical/responses/answer_items.hpp"
#include "protocol/json_object.hpp"

namespace tidegate::protocol::responses {
namespace {

using nlohmann::json;

constexpr std::size_t type_bytes_max = 1024;

struct delta_name {
  std::string_view name;
  delta_kind kind;
  bool whole;
};
constexpr std::array delta_names{
    delta_name{"response.output_text.delta", delta_kind::text, false},
    delta_name{"response.reasoning_summary_text.delta", delta_kind::summary, false},
    delta_name{"response.function_call_arguments.delta", delta_kind::arguments, false},
    delta_name{"response.custom_tool_call_input.delta", delta_kind::input, false},
    delta_name{"response.reasoning_text.delta", delta_kind::thought, false},
    delta_name{"response.refusal.delta", delta_kind::refusal, false},
    delta_name{"response.output_text.done", delta_kind::text, true},
    delta_name{"response.reasoning_summary_text.done", delta_kind::summary, true},
    delta_name{"response.function_call_arguments.done", delta_kind::arguments, true},
    delta_name{"response.custom_tool_call_input.done", delta_kind::input, true},
    delta_name{"response.reasoning_text.done", delta_kind::thought, true},
    delta_name{"response.refusal.done", delta_kind::refusal, true}};

/// What a delta frame says.
struct delta_frame {
  std::string item_id;
  std::int64_t output_index = -1;
  std::int64_t part = 0;
  std::string text;
  std::string_view logprobs;
};

bool is_text_key(std::string_view key) {
  return key == "delta" || key == "text" || key == "arguments" || key == "input" ||
         key == "refusal";
}

class decoder final : public stream_decoder {
 public:
  explicit decoder(tool_names names) : items_(std::move(names)) {}

  void feed(const sse_frame& frame, std::vector<event>& into) override {
    if (ended_ || frame.data.empty() || frame.data == "[DONE]") return;
    const auto name = frame.event.starts_with("response.")
                          ? frame.event
                          : peek_string(frame.data, "type", type_bytes_max);
    if (const auto* const kind = delta_of(name)) {
      on_delta(*kind, frame.data, into);
    } else {
      on_frame(name, frame.data, into);
    }
    if (items_.overgrown()) fail("the answer has too many items", into);
  }

  void finish(std::vector<event>& into) override {
    if (!ended_) fail("upstream stream closed before a terminal event", into);
  }

  /// A response that is complete, as a terminal event brings it or a body is.
  void on_end(const json& response, std::vector<event>& into) {
    start(response, into);
    std::int64_t index = 0;
    for (const json& item : member_of(response, "output")) items_.done({{}, index++}, item, into);
    items_.close_all(into);
    if (const usage counts = usage_of(response); counts != usage{}) {
      into.emplace_back(usage_event{counts});
    }
    into.emplace_back(finish_of(response, items_.called(), items_.refused()));
    ended_ = true;
  }

 private:
  static const delta_name* delta_of(std::string_view name) {
    for (const auto& one : delta_names) {
      if (one.name == name) return &one;
    }
    return nullptr;
  }

  void fail(std::string message, std::vector<event>& into) {
    fail(broken_stream(std::move(message)), into);
  }
  void fail(failed_event what, std::vector<event>& into) {
    if (ended_) return;
    ended_ = true;
    into.emplace_back(std::move(what));
  }

  void start(const json& response, std::vector<event>& into) {
    if (started_) return;
    started_ = true;
    into.emplace_back(start_event{text_of(response, "id"), text_of(response, "model"),
                                  integer_of(response, "created_at", 0)});
  }

  /// One pass without a DOM; the frame is copied for its padding.
  bool read_delta(std::string_view data, delta_frame& into) {
    padded_.assign(data);
    padded_.reserve(data.size() + simdjson::SIMDJSON_PADDING);
    simdjson::ondemand::document document;
    json_in::object root;
    const simdjson::padded_string_view text(padded_.data(), padded_.size(), padded_.capacity());
    if (parser_.iterate(text).get(document) || document.get_object().get(root)) return false;
    return json_in::each_member(root, [&](std::string_view key, json_in::value& v) {
      if (is_text_key(key)) {
        if (const auto found = json_in::text(v)) into.text = plain(*found);
      } else if (key == "logprobs" && json_in::type_of(v) == json_in::json_type::array) {
        into.logprobs = json_in::raw(v);
      } else if (key == "item_id") {
        if (const auto found = json_in::text(v)) into.item_id = plain(*found);
      } else if (key == "output_index") {
        into.output_index = json_in::integer(v).value_or(-1);
      } else if (key == "summary_index" || key == "content_index") {
        into.part = json_in::integer(v).value_or(0);
      }
      return true;
    });
  }

  void on_delta(const delta_name& kind, std::string_view data, std::vector<event>& into) {
    delta_frame said;
    if (!read_delta(data, said)) {
      fail("an event of the stream is not JSON", into);
      return;
    }
    start({}, into);
    const item_ref ref{said.item_id, said.output_index};
    if (kind.whole) {
      items_.whole(ref, kind.kind, said.part, said.text, into);
    } else {
      items_.delta(ref, kind.kind, said.part, said.text, into);
    }
    if (kind.kind == delta_kind::text) items_.logprobs(ref, said.logprobs, kind.whole, into);
  }

  static bool is_read(std::string_view name) {
    constexpr std::array names{
        "response.created",    "response.in_progress",
        "response.queued",     "response.output_item.added",
        "response.completed",  "response.output_item.done",
        "response.incomplete", "response.output_text.annotation.added",
        "response.done",       "response.image_generation_call.partial_image",
        "response.failed",     "response.error",
        "response.cancelled",  "error"};
    return std::ranges::find(names, name) != names.end();
  }

  void on_frame(std::string_view name, std::string_view data, std::vector<event>& into) {
    const bool other = name == "keepalive" || name == "ping" || name.starts_with("codex.") ||
                       name.starts_with("response.");
    if (other && !is_read(name)) return;
    const bool sound = read_object(data, data.size()).has_value();
    const json frame = sound ? json::parse(data, nullptr, false) : json{};
    if (!frame.is_object()) {
      fail("an event of the stream is not JSON", into);
    } else if (name.ends_with("error") || name == "response.failed" ||
               name == "response.cancelled" || (name.empty() && frame.contains("error"))) {
      fail(failure_of(frame), into);
    } else if (!is_read(name)) {
      fail("an event of another protocol came in the stream", into);
    } else {
      on_json(name, frame, into);
    }
  }

  void on_json(std::string_view name, const json& frame, std::vector<event>& into) {
    const json& response = member_of(frame, "response");
    if (name == "response.completed" || name == "response.incomplete" || name == "response.done") {
      on_terminal(name, frame, into);
      return;
    }
    start(response, into);
    const std::string id = text_of(frame, "item_id");
    const item_ref ref{id, integer_of(frame, "output_index", -1)};
    if (name == "response.output_item.added") {
      items_.added(ref, member_of(frame, "item"), into);
    } else if (name == "response.output_item.done") {
      items_.done(ref, member_of(frame, "item"), into);
    } else if (name == "response.output_text.annotation.added") {
      items_.annotation(ref, member_of(frame, "annotation"), into);
    } else if (name == "response.image_generation_call.partial_image") {
      items_.partial_image(ref, frame, into);
    }
  }

  void on_terminal(std::string_view name, const json& frame, std::vector<event>& into) {
    json response = member_of(frame, "response");
    const std::string status = text_of(response, "status");
    if (!response.is_object()) {
      fail("the terminal event has no response", into);
    } else if (status == "failed" || status == "cancelled") {
      fail(failure_of(frame), into);
    } else {
      if (name == "response.incomplete") response["status"] = "incomplete";
      on_end(response, into);
    }
  }

  answer_items items_;
  simdjson::ondemand::parser parser_;
  std::string padded_;
  bool started_ = false;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<stream_decoder> make_decoder(tool_names names) {
  return std::make_unique<decoder>(std::move(names));
}

result<std::vector<event>> decode_answer(const std::string& body, const tool_names& names) {
  if (auto sound = read_object(body, body.capacity()); !sound) {
    return failed(errc::invalid_input, "answer: " + sound.error().detail);
  }
  const json response = json::parse(body, nullptr, false);
  if (!response.is_object()) return failed(errc::invalid_input, "answer: not valid JSON");
  const std::string status = text_of(response, "status");
  std::vector<event> out;
  if (status == "failed" || status == "cancelled") {
    out.emplace_back(failure_of(response));
    return out;
  }
  if (!member_of(response, "output").is_array()) {
    return failed(errc::invalid_input, "answer.output: expected an array");
  }
  if (!status.empty() && status != "completed" && status != "incomplete") {
    return failed(errc::invalid_input, "answer.status: the response is not finished");
  }
  decoder whole(names);
  whole.on_end(response, out);
  return out;
}

}  // namespace tidegate::protocol::responses
