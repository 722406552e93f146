#include "protocol/canonical/chat/media_url.hpp"

#include <optional>
#include <string>

namespace tidegate::protocol::chat {
namespace {

constexpr std::string_view prefix = "data:";
constexpr std::string_view marker = ";base64";
constexpr std::size_t head_bytes_max = 256;  ///< of `data:...,`

raw_text without_escapes(raw_text text, text_store& texts) {
  if (text.escaped.find('\\') == std::string_view::npos) return text;
  return texts.keep_plain(plain(text));
}

}  // namespace

std::optional<data_url> split_data_url(raw_text url) {
  const std::string_view text = url.escaped;
  if (!text.starts_with(prefix)) return std::nullopt;
  const auto comma = text.substr(0, head_bytes_max).find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  std::string_view head = text.substr(prefix.size(), comma - prefix.size());
  if (!head.ends_with(marker)) return std::nullopt;
  head.remove_suffix(marker.size());
  return data_url{{head.substr(0, head.find(';'))}, {text.substr(comma + 1)}};
}

media_source source_of(std::string_view name, raw_text text, text_store& texts) {
  media_source out;
  if (const auto split = split_data_url(text)) {
    out.mime = without_escapes(split->mime, texts);
    out.base64 = split->base64;
  } else if (name == "file_data") {
    out.mime = {"application/pdf"};
    out.base64 = text;
  } else if (name == "data") {
    out.base64 = text;
  } else {
    out.url = text;
  }
  return out;
}

raw_text audio_mime(raw_text format, text_store& texts) {
  if (format.escaped == "mp3") return {"audio/mpeg"};
  if (format.escaped == "wav") return {"audio/wav"};
  return {texts.keep("audio/" + std::string{format.escaped})};
}

std::string_view audio_format(raw_text mime) {
  if (mime.escaped == "audio/mpeg" || mime.escaped == "audio/mp3") return "mp3";
  if (mime.escaped == "audio/x-wav" || mime.escaped == "audio/wave") return "wav";
  const auto slash = mime.escaped.find('/');
  return slash == std::string_view::npos ? "wav" : mime.escaped.substr(slash + 1);
}

}  // namespace tidegate::protocol::chat
