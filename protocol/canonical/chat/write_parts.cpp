#include "protocol/canonical/chat/media_url.hpp"
#include "protocol/canonical/chat/writing.hpp"
#include "protocol/omitted_images.hpp"

namespace tidegate::protocol::chat {
namespace {

/// The string `data:MIME;base64,DATA`, or the URL.
void write_url(writing& to, const media_source& source, std::string_view fallback_mime) {
  if (source.base64.empty()) {
    to.out.text(source.url);
    return;
  }
  const auto mime = source.mime.empty() ? fallback_mime : source.mime.escaped;
  to.out.raw("\"data:");
  to.body.append(mime).append(";base64,").append(source.base64.escaped).append(1, '"');
}

void write_image(writing& to, const media_part& media) {
  to.out.key("type").raw("\"image_url\"").key("image_url").begin_object().key("url");
  write_url(to, media.source, "image/png");
  const bool original = media.detail.escaped == "original";
  to.out.member_if("detail", original ? raw_text{"high"} : media.detail).end_object();
}

void write_file(writing& to, const media_part& media) {
  to.out.key("type").raw("\"file\"").key("file").begin_object();
  if (media.source.file_id.empty()) {
    const bool pdf = media.source.mime.empty() || media.source.mime.escaped == "application/pdf";
    const raw_text name = media.name.empty() && pdf ? raw_text{"document.pdf"} : media.name;
    to.out.member_if("filename", name).key("file_data");
    write_url(to, media.source, "application/pdf");
  } else {
    to.out.key("file_id").text(media.source.file_id);
  }
  to.out.end_object();
}

void write_text_part(writing& to, const text_part& text) {
  to.out.begin_object().key("type").raw("\"text\"").key("text").text(text.text);
  write_cache(to, text.cache);
  to.out.end_object();
  if (!text.citations.empty()) to.lose(lossy::citations);
}

bool is_plain(const writing& to, const part& p) {
  const auto* text = std::get_if<text_part>(&p);
  return text != nullptr && (!text->cache || to.caps.owner != token_owner::claude);
}

void write_part(writing& to, const part& p) {
  if (const auto* text = std::get_if<text_part>(&p)) {
    write_text_part(to, *text);
  } else if (const auto* media = std::get_if<media_part>(&p)) {
    write_media(to, *media);
  } else if (const auto* other = std::get_if<unknown_part>(&p)) {
    to.out.raw(other->json);
  }
}

}  // namespace

void write_cache(writing& to, const cache_mark& mark) {
  if (!mark) return;
  if (to.caps.owner == token_owner::claude) {
    to.out.key("cache_control").raw(*mark);
  } else {
    to.lose(lossy::cache_control);
  }
}

bool can_write_media(writing& to, const media_part& media) {
  const media_source& from = media.source;
  bool spelled = !from.base64.empty();
  if (media.kind == media_kind::image || media.kind == media_kind::video) {
    const bool local = from.url.escaped.starts_with("gs:");
    spelled = spelled || (!from.url.empty() && !local);
  }
  // An id is known only where the file was put.
  const bool known = to.is_own(wire::openai_chat) || to.is_own(wire::openai_responses);
  if (media.kind == media_kind::file) spelled = spelled || (known && !from.file_id.empty());
  if (!spelled) to.lose(lossy::media_source);
  return spelled;
}

void write_media(writing& to, const media_part& media) {
  to.out.begin_object();
  switch (media.kind) {
    case media_kind::image:
      write_image(to, media);
      break;
    case media_kind::file:
      write_file(to, media);
      break;
    case media_kind::audio: {
      const auto format =
          media.format.empty() ? audio_format(media.source.mime) : media.format.escaped;
      to.out.key("type").raw("\"input_audio\"").key("input_audio").begin_object();
      to.out.key("data").text(media.source.base64).key("format").text({format}).end_object();
      break;
    }
    case media_kind::video:
      to.out.key("type").raw("\"video_url\"").key("video_url").begin_object().key("url");
      write_url(to, media.source, "video/mp4");
      to.out.end_object();
      break;
  }
  write_cache(to, media.cache);
  to.out.end_object();
}

void write_content(writing& to, const std::vector<const part*>& parts) {
  to.out.key("content");
  if (parts.empty()) {
    to.out.raw("\"\"");
    return;
  }
  if (parts.size() == 1 && is_plain(to, *parts.front())) {
    const auto& text = std::get<text_part>(*parts.front());
    if (text.cache) to.lose(lossy::cache_control);
    if (!text.citations.empty()) to.lose(lossy::citations);
    to.out.text(text.text);
    return;
  }
  to.out.begin_array();
  for (const part* p : parts) write_part(to, *p);
  to.out.end_array();
}

namespace {

/// What stands for a picture that a tool has made and the model cannot see.
const result_content& picture_stand_in() {
  static const result_content made{
      text_part{.text = {protocol::omitted_image}, .citations = {}, .cache = {}, .signature = {}}};
  return made;
}

bool is_unseen(const writing& to, const result_content& content) {
  const auto* media = std::get_if<media_part>(&content);
  return media != nullptr && media->kind == media_kind::image && !to.caps.images;
}

/// Texts alone become one string, joined by blank lines; with media, a list of parts.
void write_result_content(writing& to, const tool_result_part& result) {
  std::vector<const result_content*> kept;
  bool has_media = false;
  for (const result_content& content : result.content) {
    if (is_unseen(to, content)) {
      to.lose(lossy::images);
      kept.push_back(&picture_stand_in());
      continue;
    }
    const auto* media = std::get_if<media_part>(&content);
    if (media != nullptr && !can_write_media(to, *media)) continue;
    has_media = has_media || media != nullptr;
    kept.push_back(&content);
  }
  if (!has_media) {
    to.out.raw("\"");
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const auto& text = std::get<text_part>(*kept[i]);
      if (text.cache) to.lose(lossy::cache_control);
      to.body.append(i > 0 ? "\\n\\n" : "").append(text.text.escaped);
    }
    to.body += '"';
    return;
  }
  to.out.begin_array();
  for (const result_content* content : kept) {
    if (const auto* media = std::get_if<media_part>(content)) {
      write_media(to, *media);
    } else {
      write_text_part(to, std::get<text_part>(*content));
    }
  }
  to.out.end_array();
}

}  // namespace

void write_result(writing& to, const tool_result_part& result) {
  to.out.begin_object().key("role").raw("\"tool\"");
  to.out.key("tool_call_id").text(result.call_id).key("content");
  if (result.json.empty() || !result.content.empty()) {
    write_result_content(to, result);
  } else {
    to.out.plain(result.json);
  }
  write_cache(to, result.cache);
  to.out.end_object();
  if (result.is_error) to.lose(lossy::result_error);
}

}  // namespace tidegate::protocol::chat
