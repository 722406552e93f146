#pragma once
/// Which form a Gemini client wants its stream in. Pure.

#include <string_view>

namespace tidegate::http {

/// Whether the query has `alt=sse`, or `$alt=sse`: server-sent events. Google answers everybody
/// else with one JSON array.
bool wants_event_stream(std::string_view query);

}  // namespace tidegate::http
