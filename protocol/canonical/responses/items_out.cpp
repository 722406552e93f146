#include "protocol/canonical/responses/items_out.hpp"

#include <cstdint>

#include "protocol/canonical/responses/media.hpp"

namespace tidegate::protocol::responses {
namespace {

constexpr std::size_t call_id_bytes_max = 64;

void write_citations(json_out& out, const std::vector<citation>& citations) {
  if (citations.empty()) return;
  out.key("annotations").begin_array();
  for (const citation& one : citations) {
    out.begin_object().key("type").text({"url_citation"}).key("url").text(one.url);
    out.key("title").text(one.title);
    const auto begin = one.begin.value_or(0);
    out.key("start_index").number(begin).key("end_index").number(one.end.value_or(begin));
    out.end_object();
  }
  out.end_array();
}

}  // namespace

void write_text(writing& w, std::string_view type, const text_part& what) {
  w.out.begin_object().key("type").text({type}).key("text").text(what.text);
  write_citations(w.out, what.citations);
  w.mark(what.cache);
  w.out.end_object();
}

namespace {

/// Ids are known only where the file was put, and only Google reads its own buckets.
bool can_fetch(const writing& w, const media_source& from) {
  if (w.own || !from.base64.empty()) return true;
  if (!from.file_id.empty()) return w.in.source == wire::openai_chat;
  return !from.url.escaped.starts_with("gs:");
}

}  // namespace

bool accepts(writing& w, const media_part& what) {
  const bool unwanted = what.kind == media_kind::image && !w.caps.images;
  if (!unwanted && can_spell(what) && can_fetch(w, what.source)) return true;
  w.lose(unwanted                         ? lossy::images
         : what.kind == media_kind::video ? lossy::video
         : !can_spell(what)               ? lossy::audio_source
                                          : lossy::media_source);
  return false;
}

void write_media_part(writing& w, const media_part& what) {
  w.out.begin_object();
  write_media(w.out, what);
  w.mark(what.cache);
  w.out.end_object();
}

namespace {

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

/// Ids of other protocols may be too long; a call and its result are cut alike.
void write_call_id(writing& w, raw_text id) {
  w.out.key("call_id");
  if (w.own || id.escaped.size() <= call_id_bytes_max) {
    w.out.text(id);
    return;
  }
  std::string whole = plain(id);
  if (whole.size() > call_id_bytes_max) {
    const auto hash = hash_of(whole);
    whole.resize(call_id_bytes_max - 17);
    whole += '_';
    for (int shift = 60; shift >= 0; shift -= 4) whole += "0123456789abcdef"[hash >> shift & 0xF];
  }
  w.out.plain(whole);
}

bool readable(const writing& w, const reasoning_part& what) {
  if (what.token) {
    const auto owner = what.token->owner;
    const bool unmarked = owner == token_owner::unknown && w.caps.owner == token_owner::grok;
    return owner == w.caps.owner || unmarked;
  }
  return w.own || (w.caps.owner == token_owner::unknown && !what.texts.empty());
}

void write_reasoning_texts(json_out& out, std::string_view type,
                           const std::vector<raw_text>& texts) {
  out.begin_array();
  for (const raw_text one : texts) {
    out.begin_object().key("type").text({type}).key("text").text(one).end_object();
  }
  out.end_array();
}

}  // namespace

void write_reasoning(writing& w, const reasoning_part& what) {
  if (!readable(w, what)) {
    w.lose(lossy::reasoning);
    return;
  }
  w.out.begin_object().key("type").text({"reasoning"});
  if (w.own) w.out.member_if("id", what.id);
  const bool as_content = w.own && !what.summary && !what.texts.empty();
  w.out.key("summary");
  write_reasoning_texts(w.out, "summary_text", as_content ? std::vector<raw_text>{} : what.texts);
  if (as_content) {
    w.out.key("content");
    write_reasoning_texts(w.out, "reasoning_text", what.texts);
  }
  if (what.token) w.out.key("encrypted_content").text(what.token->bytes);
  w.out.end_object();
}

void write_call(writing& w, const tool_call_part& what) {
  if (what.kind == tool_kind::server) {
    w.lose(lossy::server_tool);
    return;
  }
  if (what.signature) w.lose(lossy::signature);
  const bool custom = what.kind == tool_kind::custom;
  w.out.begin_object().key("type").text({custom ? "custom_tool_call" : "function_call"});
  write_call_id(w, what.id);
  w.out.key("name").text(w.name_of(what.name, what.kind)).member_if("namespace", what.name_space);
  if (custom) {
    w.out.key("input").text({what.arguments});
  } else {
    const bool none = what.arguments.empty() && !w.own;
    w.out.key("arguments").plain(none ? "{}" : what.arguments);
  }
  w.mark(what.cache);
  w.out.end_object();
}

namespace {

void write_output(writing& w, const tool_result_part& what) {
  w.out.key("output");
  if (!what.json.empty() && what.content.empty()) {
    if (w.own) {
      w.out.raw(what.json);
    } else {
      w.out.plain(what.json);
    }
    return;
  }
  const auto* const only =
      what.content.size() == 1 ? std::get_if<text_part>(&what.content[0]) : nullptr;
  if (what.content.empty() || (only != nullptr && !(w.own && only->cache))) {
    w.out.text(only == nullptr ? raw_text{} : only->text);
    return;
  }
  w.out.begin_array();
  for (const auto& one : what.content) {
    if (const auto* const text = std::get_if<text_part>(&one)) {
      write_text(w, "input_text", *text);
    } else if (const auto& media = std::get<media_part>(one); accepts(w, media)) {
      write_media_part(w, media);
    }
  }
  w.out.end_array();
}

}  // namespace

void write_result(writing& w, const tool_result_part& what, bool custom) {
  w.out.begin_object().key("type");
  w.out.text({custom ? "custom_tool_call_output" : "function_call_output"});
  write_call_id(w, what.call_id);
  write_output(w, what);
  w.mark(what.cache);
  w.out.end_object();
  if (what.is_error) w.lose(lossy::tool_error);
}

}  // namespace tidegate::protocol::responses
