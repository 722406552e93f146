#pragma once
/// Single items and content parts of a Responses request. What the target cannot take is noted and
/// left out.

#include <string_view>

#include "protocol/canonical/responses/writing.hpp"

namespace tidegate::protocol::responses {

void write_text(writing& w, std::string_view type, const text_part& what);
/// Whether the target takes it; what it does not take is noted.
bool accepts(writing& w, const media_part& what);
void write_media_part(writing& w, const media_part& what);
void write_reasoning(writing& w, const reasoning_part& what);
void write_call(writing& w, const tool_call_part& what);
void write_result(writing& w, const tool_result_part& what, bool custom);

}  // namespace tidegate::protocol::responses
