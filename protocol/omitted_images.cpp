#include "protocol/omitted_images.hpp"

#include "protocol/json_edit.hpp"
#include "protocol/json_text.hpp"
#include "protocol/splice.hpp"

namespace tidegate::protocol {
namespace {

std::optional<std::string> text_for(std::string_view part) {
  if (inside_of(member_of(part, "type")) != "image_url") return std::nullopt;
  return object_writer{}.text("type", "text").text("text", omitted_image).str();
}

std::optional<std::string> mended(std::string_view message) {
  if (inside_of(member_of(message, "role")) != "tool") return std::nullopt;
  auto content = with_elements(member_of(message, "content"), text_for);
  if (!content) return std::nullopt;
  return with_member(message, "content", std::move(*content));
}

}  // namespace

std::optional<std::string> without_result_images(const std::string& body, const envelope& head) {
  const auto* const found = head.find("messages");
  if (found == nullptr) return std::nullopt;
  const auto messages = std::string_view{body}.substr(found->value_offset, found->value_size);
  if (messages.find("image_url") == std::string_view::npos) return std::nullopt;
  auto changed = with_elements(messages, mended);
  if (!changed) return std::nullopt;
  splice edits{body, head};
  edits.set("messages", std::move(*changed));
  return edits.str();
}

}  // namespace tidegate::protocol
