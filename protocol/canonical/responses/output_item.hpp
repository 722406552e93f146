#pragma once
/// One output item of an answer that is being written, and its JSON at the beginning and at the
/// end.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/canonical/event.hpp"
#include "protocol/canonical/json_out.hpp"

namespace tidegate::protocol::responses {

enum class output_form : std::uint8_t { message, refusal, reasoning, function, custom, image };

/// Texts are the insides of JSON strings.
struct output_item {
  output_form form = output_form::message;
  std::int64_t index = 0;  ///< output_index
  std::string id;
  std::string text;                      ///< text, refusal, arguments, input or base64
  std::int64_t characters = 0;           ///< of a message's text
  std::vector<std::string> annotations;  ///< JSON
  std::string logprobs;                  ///< of a message: JSON objects
  std::vector<std::string> parts;        ///< of a summary
  std::string token;
  std::string call_id;
  std::string name;
  std::string name_space;
  std::string format = "png";  ///< of an image
  std::int64_t partial_images = 0;
  bool in_use = false;  ///< of a message: a text item still writes to it
  bool closed = false;
};

inline bool is_message(const output_item& what) {
  return what.form == output_form::message || what.form == output_form::refusal;
}

/// With nothing in it, as response.output_item.added has it.
void write_opened(json_out& out, const output_item& what);
void write_closed(json_out& out, const output_item& what);
/// The content part of a message, or a part of a summary.
void write_content(json_out& out, const output_item& what, bool empty);
void write_summary_part(json_out& out, std::string_view text);

/// `null` when nothing is known. `thought_bytes` estimates reasoning tokens that nobody counted.
void write_usage(json_out& out, const usage& counts, std::size_t thought_bytes);
/// Later values win field by field.
void merge(usage& into, const usage& later);

/// The url_citation of an event, moved by the characters before its item's text.
std::string annotation_of(const citation_added& what, std::int64_t offset);

}  // namespace tidegate::protocol::responses
