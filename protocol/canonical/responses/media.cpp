#include "protocol/canonical/responses/media.hpp"

namespace tidegate::protocol::responses {
namespace {

constexpr std::string_view base64_mark = ";base64,";
constexpr std::size_t mime_bytes_max = 256;

bool starts_as_pdf(std::string_view base64) {
  return base64.starts_with("JVBERi");
}

void write_data_url(json_out& out, const media_source& source, std::string_view mime_default) {
  std::string url;
  const auto mime = source.mime.empty() ? mime_default : source.mime.escaped;
  url.reserve(source.base64.escaped.size() + mime.size() + 16);
  url.append("data:").append(mime).append(base64_mark).append(source.base64.escaped);
  out.text({url});
}

void write_image(json_out& out, const media_part& media) {
  out.key("type").text({"input_image"});
  if (!media.source.base64.empty()) {
    out.key("image_url");
    write_data_url(out, media.source, "image/png");
  } else {
    out.member_if("image_url", media.source.url).member_if("file_id", media.source.file_id);
  }
  out.member_if("detail", media.detail);
}

void write_file(json_out& out, const media_part& media) {
  out.key("type").text({"input_file"});
  if (media.source.base64.empty()) {
    out.member_if("file_url", media.source.url).member_if("file_id", media.source.file_id);
    out.member_if("filename", media.name);
    return;
  }
  const bool pdf = media.source.mime.escaped == "application/pdf";
  const raw_text name = pdf ? raw_text{"document.pdf"} : raw_text{"file"};
  out.key("filename").text(media.name.empty() ? name : media.name).key("file_data");
  write_data_url(out, media.source, "application/octet-stream");
}

std::string_view format_of(const media_part& media) {
  if (!media.format.empty()) return media.format.escaped;
  const auto mime = media.source.mime.escaped;
  return mime.ends_with("mp3") || mime.ends_with("mpeg") ? "mp3" : "wav";
}

void write_audio(json_out& out, const media_part& media) {
  out.key("type").text({"input_audio"}).key("input_audio").begin_object();
  out.key("data").text(media.source.base64).key("format").text({format_of(media)}).end_object();
}

}  // namespace

media_source source_of_url(raw_text url, text_store& texts) {
  media_source out;
  if (!url.escaped.starts_with("data:")) {
    out.url = url;
    return out;
  }
  if (url.escaped.find('\\') != std::string_view::npos) url = texts.keep_plain(plain(url));
  const auto mark = url.escaped.substr(0, mime_bytes_max).find(base64_mark);
  if (mark == std::string_view::npos) {
    out.url = url;
    return out;
  }
  const auto mime = url.escaped.substr(5, mark - 5);
  out.mime = {mime.substr(0, mime.find(';'))};
  out.base64 = {url.escaped.substr(mark + base64_mark.size())};
  return out;
}

media_source source_of_file_data(raw_text data, raw_text name, text_store& texts) {
  if (data.escaped.starts_with("data:")) return source_of_url(data, texts);
  media_source out;
  out.base64 = data;
  const bool pdf = name.escaped.ends_with(".pdf") || starts_as_pdf(data.escaped);
  out.mime = {pdf ? "application/pdf" : "application/octet-stream"};
  return out;
}

bool can_spell(const media_part& media) {
  if (media.kind == media_kind::video) return false;
  return media.kind != media_kind::audio || !media.source.base64.empty();
}

void write_media(json_out& out, const media_part& media) {
  switch (media.kind) {
    case media_kind::image:
      write_image(out, media);
      return;
    case media_kind::file:
      write_file(out, media);
      return;
    case media_kind::audio:
      write_audio(out, media);
      return;
    case media_kind::video:
      return;
  }
}

}  // namespace tidegate::protocol::responses
