#include "protocol/canonical/messages/kept_parts.hpp"

#include "protocol/canonical/messages/rules.hpp"
#include "protocol/canonical/messages/wire_names.hpp"

namespace tidegate::protocol::messages {
namespace {

bool is_web_url(std::string_view url) {
  return url.starts_with("http://") || url.starts_with("https://") ||
         url.starts_with("http:\\/\\/") || url.starts_with("https:\\/\\/");
}

bool is_pdf(const media_part& one) {
  const auto mime = one.source.mime.escaped;
  return mime.empty() || mime == "application/pdf" || mime == "application\\/pdf";
}

std::string_view rule_of(media_kind kind) {
  switch (kind) {
    case media_kind::image: return rule::images;
    case media_kind::file: return rule::file;
    case media_kind::audio: return rule::audio;
    case media_kind::video: return rule::video;
  }
  return rule::file;
}

}  // namespace

bool is_text_file(const media_part& one) {
  return one.kind == media_kind::file && !one.source.base64.empty() &&
         one.source.mime.escaped.starts_with("text/");
}

bool part_filter::keeps(const media_part& one) const {
  const auto drop = [this](std::string_view rule) {
    note(lost, rule);
    return false;
  };
  const bool spelled = one.kind == media_kind::image || one.kind == media_kind::file;
  if (!spelled || (one.kind == media_kind::image && !caps.images)) return drop(rule_of(one.kind));
  if (!one.source.base64.empty()) {
    const bool known = one.kind == media_kind::image || is_pdf(one) || is_text_file(one);
    return known || drop(rule::file);
  }
  if (!one.source.url.empty()) return is_web_url(one.source.url.escaped) || drop(rule_of(one.kind));
  if (one.source.file_id.empty()) return drop(rule_of(one.kind));
  return source == wire::anthropic_messages || drop(rule::foreign_file_id);
}

bool part_filter::keeps(const reasoning_part& one, turn_role role) const {
  if (role != turn_role::assistant) return false;
  const bool says_something = one.redacted ? one.token.has_value() : true;
  if (!says_something) return false;
  if (!one.token || one.token->bytes.empty()) {
    if (caps.owner == token_owner::kimi && !one.texts.empty() && !one.redacted) return true;
    note(lost, rule::unsigned_reasoning);
    return false;
  }
  if (one.token->owner == caps.owner) return true;
  note(lost, rule::foreign_reasoning);
  return caps.owner == token_owner::kimi && !one.texts.empty() && !one.redacted;
}

bool part_filter::keeps(const part& one, turn_role role) const {
  if (const auto* const words = std::get_if<text_part>(&one)) {
    if (!words->citations.empty()) note(lost, rule::citations);
    if (words->signature) note(lost, rule::foreign_signature);
    return !words->text.empty();
  }
  if (const auto* const medium = std::get_if<media_part>(&one)) return keeps(*medium);
  if (const auto* const thought = std::get_if<reasoning_part>(&one)) return keeps(*thought, role);
  if (const auto* const refusal = std::get_if<refusal_part>(&one)) return !refusal->text.empty();
  if (std::holds_alternative<unknown_part>(one)) {
    if (source != wire::anthropic_messages) note(lost, rule::unknown_part);
    return source == wire::anthropic_messages;
  }
  return true;
}

}  // namespace tidegate::protocol::messages
