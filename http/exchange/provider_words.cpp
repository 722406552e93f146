#include "http/exchange/provider_words.hpp"

#include <array>

#include "protocol/json_text.hpp"
#include "protocol/upstream_error.hpp"
#include "provider/error_body.hpp"

namespace tidegate::http {
namespace {

struct stored {
  std::string_view key;
  errc code;
  std::string_view why;
};
constexpr std::array<stored, 4> stored_members{
    {{"previous_response_id", errc::not_found,
      "previous_response_id cannot be used with this model: its provider stores no responses; send "
      "the whole conversation in \"input\""},
     {"conversation", errc::invalid_input,
      "conversation cannot be used with this model: its provider stores no conversations"},
     {"prompt", errc::invalid_input,
      "prompt cannot be used with this model: its provider stores no prompts"},
     {"background", errc::invalid_input,
      "background cannot be used with this model: its provider answers at once"}}};

}  // namespace

protocol::failed_event failure_said(int status, std::string_view text) {
  const provider::error_body said{text};
  protocol::failed_event out;
  out.status = status;
  out.type = said.first("type");
  out.code = said.first("code");
  auto message = said.message();
  if (message.empty()) message = provider::string_of(&said.root(), "error");
  out.message = protocol::utf8_prefix(message, protocol::upstream_message_max);
  return out;
}

result<void> check_stands_alone(const std::string& body, const protocol::envelope& head) {
  for (const auto& one : stored_members) {
    const auto* const found = head.find(one.key);
    if (found == nullptr) continue;
    const auto raw = std::string_view{body}.substr(found->value_offset, found->value_size);
    if (raw != "null" && raw != "false") return failed(one.code, std::string{one.why});
  }
  return {};
}

result<void> check_is_whole(const protocol::canonical_request& call) {
  if (call.kept_elsewhere.empty()) return {};
  return failed(errc::invalid_input, call.kept_elsewhere +
                                         ": this stands for a conversation that only its own "
                                         "provider knows; send the conversation itself, or start "
                                         "a new one with this model");
}

std::string unknown_response_body(std::string_view message) {
  protocol::object_writer error;
  error.text("message", message).text("type", "invalid_request_error");
  error.text("param", "previous_response_id").text("code", "previous_response_not_found");
  return protocol::object_writer{}.raw("error", error.str()).str();
}

}  // namespace tidegate::http
