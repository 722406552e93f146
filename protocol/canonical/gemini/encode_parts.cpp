#include "protocol/canonical/gemini/encoding.hpp"

namespace tidegate::protocol::gemini {
namespace {

std::string_view usual_mime(media_kind kind) {
  switch (kind) {
    case media_kind::image:
      return "image/png";
    case media_kind::file:
      return "application/pdf";
    case media_kind::audio:
      return "audio/wav";
    case media_kind::video:
      return "video/mp4";
  }
  return "application/octet-stream";
}

void write_blob(encoding& to, const media_part& media) {
  to.json.begin_object().key("inlineData").begin_object().key("mimeType");
  if (!media.source.mime.empty()) {
    to.json.text(media.source.mime);
  } else if (media.kind == media_kind::audio && !media.format.empty()) {
    to.json.raw("\"audio/" + std::string{media.format.escaped} + '"');
  } else {
    to.json.text({usual_mime(media.kind)});
  }
  to.json.key("data").text(media.source.base64).end_object().end_object();
}

void write_uri(encoding& to, const media_part& media, raw_text uri) {
  to.json.begin_object().key("fileData").begin_object();
  to.json.member_if("mimeType", media.source.mime).key("fileUri").text(uri);
  to.json.end_object().end_object();
}

const text_part* text_of(const result_content& content) {
  const auto* text = std::get_if<text_part>(&content);
  return text != nullptr && !text->text.empty() ? text : nullptr;
}

void write_texts(encoding& to, const tool_result_part& result) {
  const auto is_text = [](const result_content& c) { return text_of(c) != nullptr; };
  const auto count = std::ranges::count_if(result.content, is_text);
  if (count == 0) to.json.text({});
  if (count > 1) to.json.begin_array();
  for (const auto& content : result.content) {
    if (const auto* text = text_of(content)) {
      to.lose_mark(text->cache);
      to.json.text(text->text);
    }
  }
  if (count > 1) to.json.end_array();
}

void write_response(encoding& to, const tool_result_part& result) {
  if (!result.is_error && result.json.starts_with('{')) {
    to.json.raw(result.json);
    return;
  }
  to.json.begin_object().key(result.is_error ? "error" : "result");
  if (result.json.empty()) {
    write_texts(to, result);
  } else {
    to.json.raw(result.json);
  }
  to.json.end_object();
}

}  // namespace

void write_media(encoding& to, const media_part& media) {
  to.lose_mark(media.cache);
  if (media.kind == media_kind::image && !to.caps.images) return to.lose(lossy::images);
  if (!media.detail.empty() && media.detail.escaped != "auto") to.lose(lossy::image_detail);
  const media_source& source = media.source;
  if (!source.base64.empty()) return write_blob(to, media);
  if (!source.url.empty()) return write_uri(to, media, source.url);
  if (!source.file_id.empty() && to.from_gemini()) return write_uri(to, media, source.file_id);
  to.lose(lossy::file_id);
}

void write_result(encoding& to, const tool_result_part& result, std::string_view wire_name) {
  to.lose_mark(result.cache);
  to.json.begin_object().key("functionResponse").begin_object();
  if (to.caps.call_ids) to.json.member_if("id", result.call_id);
  to.json.key("name").text({wire_name}).key("response");
  write_response(to, result);
  to.json.end_object().end_object();
  for (const auto& content : result.content) {
    if (const auto* media = std::get_if<media_part>(&content)) write_media(to, *media);
  }
}

}  // namespace tidegate::protocol::gemini
