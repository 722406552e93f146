#include "protocol/canonical/responses/output_item.hpp"

#include <algorithm>

namespace tidegate::protocol::responses {
namespace {

std::string_view type_of(output_form form) {
  switch (form) {
    case output_form::message:
    case output_form::refusal:
      return "message";
    case output_form::reasoning:
      return "reasoning";
    case output_form::function:
      return "function_call";
    case output_form::custom:
      return "custom_tool_call";
    case output_form::image:
      return "image_generation_call";
  }
  return {};
}

void write_call(json_out& out, const output_item& what, bool empty) {
  const bool custom = what.form == output_form::custom;
  out.key("call_id").text({what.call_id}).key("name").text({what.name});
  out.member_if("namespace", {what.name_space});
  out.key(custom ? "input" : "arguments").text(empty ? raw_text{} : raw_text{what.text});
}

void write_reasoning(json_out& out, const output_item& what, bool empty) {
  out.key("summary").begin_array();
  if (!empty) {
    for (const auto& part : what.parts) write_summary_part(out, part);
  }
  out.end_array();
  if (!empty) out.member_if("encrypted_content", {what.token});
}

void write_item(json_out& out, const output_item& what, bool empty) {
  out.begin_object().key("id").text({what.id}).key("type").text({type_of(what.form)});
  if (what.form != output_form::reasoning) {
    out.key("status").text({empty ? "in_progress" : "completed"});
  }
  if (is_message(what)) {
    out.key("role").text({"assistant"}).key("content").begin_array();
    if (!empty) write_content(out, what, false);
    out.end_array();
  } else if (what.form == output_form::reasoning) {
    write_reasoning(out, what, empty);
  } else if (what.form != output_form::image) {
    write_call(out, what, empty);
  } else if (!empty) {
    out.key("output_format").text({what.format}).key("result").text({what.text});
  }
  out.end_object();
}

}  // namespace

void write_opened(json_out& out, const output_item& what) {
  write_item(out, what, true);
}
void write_closed(json_out& out, const output_item& what) {
  write_item(out, what, false);
}

void write_content(json_out& out, const output_item& what, bool empty) {
  const raw_text text = empty ? raw_text{} : raw_text{what.text};
  if (what.form == output_form::refusal) {
    out.begin_object().key("type").text({"refusal"}).key("refusal").text(text).end_object();
    return;
  }
  out.begin_object().key("type").text({"output_text"}).key("text").text(text);
  out.key("annotations").begin_array();
  if (!empty) {
    for (const auto& one : what.annotations) out.raw(one);
  }
  out.end_array().key("logprobs").raw('[' + (empty ? "" : what.logprobs) + ']').end_object();
}

void write_summary_part(json_out& out, std::string_view text) {
  out.begin_object().key("type").text({"summary_text"}).key("text").text({text}).end_object();
}

void write_usage(json_out& out, const usage& counts, std::size_t thought_bytes) {
  if (counts == usage{}) {
    out.null();
    return;
  }
  const auto input = counts.input_total.value_or(0);
  const auto output = counts.output_total.value_or(0);
  const auto estimate = std::min(static_cast<std::int64_t>(thought_bytes / 4), output);
  out.begin_object().key("input_tokens").number(input);
  out.key("input_tokens_details").begin_object();
  out.key("cached_tokens").number(counts.cache_read.value_or(0));
  if (counts.cache_write) out.key("cache_write_tokens").number(*counts.cache_write);
  out.end_object().key("output_tokens").number(output);
  out.key("output_tokens_details").begin_object();
  out.key("reasoning_tokens").number(counts.reasoning.value_or(estimate)).end_object();
  out.key("total_tokens").number(input + output).end_object();
}

void merge(usage& into, const usage& later) {
  const auto take = [](auto& old, const auto& news) {
    if (news) old = news;
  };
  take(into.input_total, later.input_total);
  take(into.cache_read, later.cache_read);
  take(into.cache_write, later.cache_write);
  take(into.output_total, later.output_total);
  take(into.reasoning, later.reasoning);
}

std::string annotation_of(const citation_added& what, std::int64_t offset) {
  std::string text;
  json_out out(text);
  out.begin_object().key("type").text({"url_citation"});
  out.key("url").plain(what.url).key("title").plain(what.title);
  out.key("start_index").number(what.begin.value_or(0) + offset);
  out.key("end_index").number(what.end.value_or(what.begin.value_or(0)) + offset).end_object();
  return text;
}

}  // namespace tidegate::protocol::responses
