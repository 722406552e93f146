#include "protocol/canonical/messages/block_writer.hpp"

#include "protocol/canonical/messages/base64_text.hpp"
#include "protocol/canonical/messages/rules.hpp"
#include "protocol/json_object.hpp"

namespace tidegate::protocol::messages {
namespace {

std::string_view word_of(message_role role) {
  switch (role) {
    case message_role::user: return "user";
    case message_role::assistant: return "assistant";
    case message_role::system: return "system";
  }
  return "user";
}

/// The protocols whose arguments are objects of the body are known to be sound; the others' come
/// out of strings.
bool arguments_are_object(std::string_view json, wire source) {
  if (!json.starts_with('{')) return false;
  if (source == wire::anthropic_messages || source == wire::gemini) return true;
  return read_object(json, json.size()).has_value();
}

raw_text image_mime(raw_text given) {
  if (given.empty()) return {"image/png"};
  return given.escaped == "image/jpg" ? raw_text{"image/jpeg"} : given;
}

}  // namespace

void block_writer::mark(const cache_mark& cache) {
  if (cache) out_.member_raw_if("cache_control", *cache);
}

void block_writer::message(const planned_message& one, const conversation& in) {
  out_.begin_object().key("role").text({word_of(one.role)}).key("content").begin_array();
  for (const std::size_t position : one.results) result(in.calls[position]);
  for (const part* const p : one.parts) part_block(*p);
  for (const std::size_t position : one.calls) call(in.calls[position]);
  out_.end_array().end_object();
}

void block_writer::text(raw_text words, const cache_mark& cache) {
  out_.begin_object().key("type").text({"text"}).key("text").text(words);
  mark(cache);
  out_.end_object();
}

void block_writer::part_block(const part& one) {
  if (const auto* const words = std::get_if<text_part>(&one)) {
    text(words->text, words->cache);
  } else if (const auto* const media = std::get_if<media_part>(&one)) {
    medium(*media);
  } else if (const auto* const thought = std::get_if<reasoning_part>(&one)) {
    thinking(*thought);
  } else if (const auto* const refusal = std::get_if<refusal_part>(&one)) {
    text(refusal->text, std::nullopt);
  } else if (const auto* const other = std::get_if<unknown_part>(&one)) {
    out_.raw(other->json);
  } else if (const auto* const tool = std::get_if<tool_call_part>(&one)) {
    server_call(*tool);
  }
}

void block_writer::medium(const media_part& one) {
  const bool image = one.kind == media_kind::image;
  out_.begin_object().key("type").text({image ? "image" : "document"}).key("source");
  source(one);
  if (!image) out_.member_if("title", one.name);
  mark(one.cache);
  out_.end_object();
}

void block_writer::source(const media_part& one) {
  const media_source& from = one.source;
  out_.begin_object().key("type");
  if (is_text_file(one)) {
    out_.text({"text"}).key("media_type").text({"text/plain"});
    out_.key("data").plain(base64_text(plain(from.base64)));
  } else if (!from.base64.empty()) {
    const bool image = one.kind == media_kind::image;
    out_.text({"base64"}).key("media_type");
    out_.text(image ? image_mime(from.mime) : raw_text{"application/pdf"});
    out_.key("data").text(from.base64);
  } else if (!from.url.empty()) {
    out_.text({"url"}).key("url").text(from.url);
  } else {
    out_.text({"file"}).key("file_id").text(from.file_id);
  }
  out_.end_object();
}

/// The parts of a summary are joined by a blank line.
void block_writer::thinking(const reasoning_part& one) {
  const bool own = one.token && one.token->owner == caps_.owner;
  out_.begin_object().key("type");
  if (one.redacted) {
    out_.text({"redacted_thinking"}).key("data").text(one.token->bytes).end_object();
    return;
  }
  out_.text({"thinking"}).key("thinking");
  if (one.texts.size() == 1) {
    out_.text(one.texts.front());
  } else {
    std::string joined;
    for (const raw_text& text : one.texts) {
      joined.append(joined.empty() ? "" : "\\n\\n").append(text.escaped);
    }
    out_.text({joined});
  }
  if (own) out_.key("signature").text(one.token->bytes);
  out_.end_object();
}

void block_writer::server_call(const tool_call_part& one) {
  out_.begin_object().key("type").text({"server_tool_use"}).key("id").text(one.id);
  out_.key("name").text(one.name).key("input");
  out_.raw(one.arguments.starts_with('{') ? one.arguments : "{}");
  mark(one.cache);
  out_.end_object();
}

void block_writer::call(const planned_call& one) {
  const tool_call_part& what = *one.call;
  out_.begin_object().key("type").text({"tool_use"}).key("id").text({one.id}).key("name");
  out_.text({names_.of(what.name, what.name_space, what.kind)}).key("input");
  arguments(what);
  mark(what.cache);
  out_.end_object();
}

void block_writer::arguments(const tool_call_part& one) {
  if (one.kind == tool_kind::custom) {
    out_.begin_object().key("input").text({one.arguments}).end_object();
    return;
  }
  const bool sound = arguments_are_object(one.arguments, what_.source);
  if (!sound && !one.arguments.empty() && one.arguments != "null") {
    note(lost_, rule::invalid_arguments);
  }
  out_.raw(sound ? one.arguments : "{}");
}

void block_writer::result(const planned_call& one) {
  const tool_result_part& what = *one.result;
  out_.begin_object().key("type").text({"tool_result"}).key("tool_use_id").text({one.id});
  result_content(what);
  if (what.is_error) out_.key("is_error").boolean(true);
  mark(what.cache);
  out_.end_object();
}

void block_writer::result_content(const tool_result_part& one) {
  if (!one.json.empty() && one.content.empty()) {
    out_.key("content").plain(one.json);
    return;
  }
  if (one.content.empty()) return;
  out_.key("content");
  const auto* const only = std::get_if<text_part>(&one.content.front());
  if (one.content.size() == 1 && only != nullptr && !only->cache) {
    out_.text(only->text);
    return;
  }
  const part_filter filter{what_.source, caps_, lost_};
  out_.begin_array();
  for (const auto& piece : one.content) {
    if (const auto* const words = std::get_if<text_part>(&piece)) {
      if (!words->text.empty()) text(words->text, words->cache);
    } else if (const auto* const media = std::get_if<media_part>(&piece)) {
      if (filter.keeps(*media)) medium(*media);
    }
  }
  out_.end_array();
}

}  // namespace tidegate::protocol::messages
