#include "protocol/canonical/responses/output_frames.hpp"

#include <algorithm>
#include <array>

#include "protocol/json_object.hpp"

namespace tidegate::protocol::responses {
namespace {

constexpr std::array<std::string_view, 19> echoed_members{"instructions",
                                                          "max_output_tokens",
                                                          "max_tool_calls",
                                                          "parallel_tool_calls",
                                                          "previous_response_id",
                                                          "prompt_cache_key",
                                                          "reasoning",
                                                          "safety_identifier",
                                                          "service_tier",
                                                          "store",
                                                          "temperature",
                                                          "text",
                                                          "tool_choice",
                                                          "tools",
                                                          "top_logprobs",
                                                          "top_p",
                                                          "truncation",
                                                          "user",
                                                          "metadata"};

struct delta_words {
  std::string_view delta;
  std::string_view done;
  std::string_view whole;  ///< the member of `done` with all of it
};

delta_words words_of(output_form form) {
  switch (form) {
    case output_form::message:
      return {"response.output_text.delta", "response.output_text.done", "text"};
    case output_form::refusal:
      return {"response.refusal.delta", "response.refusal.done", "refusal"};
    case output_form::function:
      return {"response.function_call_arguments.delta", "response.function_call_arguments.done",
              "arguments"};
    case output_form::custom:
      return {"response.custom_tool_call_input.delta", "response.custom_tool_call_input.done",
              "input"};
    case output_form::reasoning:
      return {"response.reasoning_summary_text.delta", "response.reasoning_summary_text.done",
              "text"};
    case output_form::image:
      break;
  }
  return {};
}

/// Line ends between tokens would end an SSE line; inside strings there are none.
std::string one_line(std::string_view json) {
  std::string out{json};
  std::ranges::replace_if(out, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return out;
}

}  // namespace

response_head head_of(const answer_context& with) {
  response_head out;
  out.model = with.model;
  const auto layout = read_object(with.request_body, with.request_body.size());
  if (!layout) return out;
  for (const auto name : echoed_members) {
    if (const auto found = find_value(with.request_body, *layout, name)) {
      out.echoed.emplace_back(name, one_line(*found));
    }
  }
  return out;
}

template <class Fill>
void output_frames::frame(std::string& into, std::string_view type, Fill fill) {
  into.append("event: ").append(type).append("\ndata: ");
  json_out out(into);
  out.begin_object().key("type").text({type}).key("sequence_number").number(sequence_++);
  fill(out);
  out.end_object();
  into += "\n\n";
}

template <class Fill>
void output_frames::item_frame(std::string& into, std::string_view type, const output_item& item,
                               Fill fill) {
  frame(into, type, [&](json_out& out) {
    out.key("item_id").text({item.id}).key("output_index").number(item.index);
    if (is_message(item)) out.key("content_index").number(0);
    if (item.form == output_form::reasoning) {
      out.key("summary_index").number(static_cast<std::int64_t>(item.parts.size()) - 1);
    }
    fill(out);
  });
}

void output_frames::opening(std::string& into, const response_head& head) {
  for (const std::string_view type : {"response.created", "response.in_progress"}) {
    frame(into, type, [&](json_out& out) {
      out.key("response").begin_object().key("id").plain(head.id);
      out.key("object").text({"response"}).key("created_at").number(head.created);
      out.key("status").text({"in_progress"}).key("background").boolean(false);
      out.key("error").null().key("incomplete_details").null();
      out.key("model").plain(head.model).key("output").raw("[]").end_object();
    });
  }
}

void output_frames::item_added(std::string& into, const output_item& item) {
  frame(into, "response.output_item.added", [&](json_out& out) {
    write_opened(out.key("output_index").number(item.index).key("item"), item);
  });
  if (!is_message(item)) return;
  item_frame(into, "response.content_part.added", item,
             [&](json_out& out) { write_content(out.key("part"), item, true); });
}

/// What closes the inside of an item.
void output_frames::content_frames(std::string& into, const output_item& item) {
  if (item.form == output_form::image) {
    item_frame(into, "response.image_generation_call.completed", item, [](json_out&) {});
    return;
  }
  if (item.form == output_form::reasoning) return;
  const auto words = words_of(item.form);
  item_frame(into, words.done, item, [&](json_out& out) {
    if (item.form == output_form::function) out.key("name").text({item.name});
    out.key(words.whole).text({item.text});
    if (item.form == output_form::message) out.key("logprobs").raw('[' + item.logprobs + ']');
  });
  if (!is_message(item)) return;
  item_frame(into, "response.content_part.done", item,
             [&](json_out& out) { write_content(out.key("part"), item, false); });
}

void output_frames::item_done(std::string& into, const output_item& item) {
  content_frames(into, item);
  frame(into, "response.output_item.done", [&](json_out& out) {
    write_closed(out.key("output_index").number(item.index).key("item"), item);
  });
}

void output_frames::delta(std::string& into, const output_item& item, std::string_view piece) {
  item_frame(into, words_of(item.form).delta, item, [&](json_out& out) {
    out.key("delta").text({piece});
    if (item.form == output_form::message) out.key("logprobs").raw("[]");
  });
}

void output_frames::summary_part_added(std::string& into, const output_item& item) {
  item_frame(into, "response.reasoning_summary_part.added", item,
             [&](json_out& out) { write_summary_part(out.key("part"), {}); });
}

void output_frames::summary_part_done(std::string& into, const output_item& item) {
  item_frame(into, "response.reasoning_summary_text.done", item,
             [&](json_out& out) { out.key("text").text({item.parts.back()}); });
  item_frame(into, "response.reasoning_summary_part.done", item,
             [&](json_out& out) { write_summary_part(out.key("part"), item.parts.back()); });
}

void output_frames::annotation_added(std::string& into, const output_item& item) {
  item_frame(into, "response.output_text.annotation.added", item, [&](json_out& out) {
    out.key("annotation_index").number(static_cast<std::int64_t>(item.annotations.size()) - 1);
    out.key("annotation").raw(item.annotations.back());
  });
}

void output_frames::partial_image(std::string& into, const output_item& item,
                                  std::string_view base64) {
  item_frame(into, "response.image_generation_call.partial_image", item, [&](json_out& out) {
    out.key("partial_image_index").number(item.partial_images);
    out.key("output_format").text({item.format}).key("partial_image_b64").plain(base64);
  });
}

void output_frames::terminal(std::string& into, std::string_view type, std::string_view response) {
  frame(into, type, [&](json_out& out) { out.key("response").raw(response); });
}

}  // namespace tidegate::protocol::responses
