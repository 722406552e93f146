#include "protocol/text_completion.hpp"

#include <array>

#include "protocol/canonical/json_in.hpp"
#include "protocol/canonical/json_out.hpp"

namespace tidegate::protocol {
namespace {

constexpr std::string_view empty_prompt = "Complete this:";

constexpr std::array<std::string_view, 15> shared_members{"model",
                                                          "max_tokens",
                                                          "temperature",
                                                          "top_p",
                                                          "frequency_penalty",
                                                          "presence_penalty",
                                                          "stop",
                                                          "stream",
                                                          "seed",
                                                          "stream_options",
                                                          "n",
                                                          "user",
                                                          "logit_bias",
                                                          "service_tier",
                                                          "top_logprobs"};

std::string_view raw_value(const std::string& body, const envelope& head, std::string_view key) {
  const member* const found = head.find(key);
  if (found == nullptr) return {};
  const auto raw = std::string_view{body}.substr(found->value_offset, found->value_size);
  return raw == "null" ? std::string_view{} : raw;
}

/// The inside of a string token.
std::string_view inside(std::string_view token) {
  return token.substr(1, token.size() - 2);
}

/// The only text of a list, as the inside of its token.
result<std::string> only_text(std::string_view list) {
  std::string padded;
  padded.reserve(list.size() + simdjson::SIMDJSON_PADDING);
  padded.append(list);
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document document;
  json_in::array elements;
  std::string found;
  std::string wrong;
  const bool broken =
      parser.iterate(padded.data(), padded.size(), padded.capacity()).get(document) ||
      document.get_array().get(elements);
  if (broken) return failed(errc::invalid_input, "prompt: is no valid JSON");
  std::size_t seen = 0;
  const bool walked = json_in::each_element(elements, [&](json_in::value& one, std::size_t nth) {
    const auto text = json_in::text(one);
    if (!text) wrong = "prompt: token ids are not served; send the text";
    if (nth != 0) wrong = "prompt: several prompts in one request are not served; send each alone";
    if (!wrong.empty()) return false;
    found = text->escaped;
    ++seen;
    return true;
  });
  if (!wrong.empty()) return failed(errc::invalid_input, std::move(wrong));
  if (!walked) return failed(errc::invalid_input, "prompt: is no valid JSON");
  if (seen == 0) return failed(errc::invalid_input, "prompt: the list is empty");
  return found;
}

result<std::string> prompt_of(const std::string& body, const envelope& head) {
  const auto raw = raw_value(body, head, "prompt");
  if (raw.starts_with('[')) return only_text(raw);
  if (!raw.empty() && !raw.starts_with('"')) {
    return failed(errc::invalid_input, "prompt: must be a string or a list of one string");
  }
  return std::string{raw.size() > 2 ? inside(raw) : std::string_view{}};
}

result<bool> echo_of(const std::string& body, const envelope& head) {
  const auto raw = raw_value(body, head, "echo");
  if (raw.empty() || raw == "false") return false;
  if (raw == "true") return true;
  return failed(errc::invalid_input, "echo: must be true or false");
}

/// Text completions count the alternatives in `logprobs` itself.
void write_logprobs(std::string_view raw, json_out& out) {
  if (raw.empty() || raw == "false") return;
  out.key("logprobs").raw("true");
  if (raw != "true") out.key("top_logprobs").raw(raw);
}

}  // namespace

result<chat_call> chat_call_of(const std::string& body, const envelope& head) {
  auto prompt = prompt_of(body, head);
  if (!prompt) return std::unexpected{prompt.error()};
  const auto echo = echo_of(body, head);
  if (!echo) return std::unexpected{echo.error()};
  if (raw_value(body, head, "suffix").size() > 2) {
    return failed(errc::invalid_input, "suffix: text behind the completion is not served");
  }
  chat_call made;
  if (*echo) made.echo = plain(raw_text{*prompt});
  const auto logprobs = raw_value(body, head, "logprobs");
  const bool counts = !logprobs.empty() && logprobs != "true" && logprobs != "false";
  json_out out{made.body};
  out.begin_object();
  for (const auto key : shared_members) {
    if (counts && key == "top_logprobs") continue;
    out.member_raw_if(key, raw_value(body, head, key));
  }
  write_logprobs(logprobs, out);
  out.key("messages").begin_array().begin_object().key("role").text({"user"}).key("content");
  out.text({prompt->empty() ? empty_prompt : std::string_view{*prompt}});
  out.end_object().end_array().end_object();
  return made;
}

}  // namespace tidegate::protocol
