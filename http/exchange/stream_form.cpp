#include "http/exchange/stream_form.hpp"

#include <algorithm>

#include "http/server/percent.hpp"

namespace tidegate::http {

bool wants_event_stream(std::string_view query) {
  while (!query.empty()) {
    const auto end = std::min(query.find('&'), query.size());
    const auto field = percent_decode(query.substr(0, end), true);
    if (field == "alt=sse" || field == "$alt=sse") return true;
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return false;
}

}  // namespace tidegate::http
