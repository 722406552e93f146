#include "http/exchange/opened_frame.hpp"

#include <algorithm>

namespace tidegate::http {

void opened_frame::open(protocol::sse_frame& frame) {
  if (payload_of_ == nullptr) return;
  const auto payload = payload_of_(frame.data);
  if (payload.size() == frame.data.size()) return;
  constexpr std::string_view field = "data: ";
  raw_.assign(field).append(payload).append("\n\n");
  // Between the tokens of a JSON text a line break is a blank; inside of one it cannot be.
  const auto end = raw_.begin() + static_cast<std::ptrdiff_t>(field.size() + payload.size());
  std::replace(raw_.begin(), end, '\n', ' ');
  std::replace(raw_.begin(), end, '\r', ' ');
  frame.raw = raw_;
  frame.data = frame.raw.substr(field.size(), payload.size());
}

}  // namespace tidegate::http
