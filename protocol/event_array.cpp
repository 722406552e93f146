#include <limits>

#include "base/text.hpp"
#include "protocol/answer_shape.hpp"
#include "protocol/sse.hpp"

namespace tidegate::protocol {
namespace {

/// Google puts some stream errors into an array of their own.
std::string_view without_brackets(std::string_view json) {
  if (!json.starts_with('[') || !json.ends_with(']')) return json;
  return trimmed(json.substr(1, json.size() - 2));
}

class event_array final : public answer_shape {
 public:
  void whole(std::string& body) override {
    if (!trimmed(body).starts_with('[')) body = '[' + body + "]\n";
  }

  void frames(std::string_view sse, std::string& into) override {
    if (!split_.feed(sse)) return;
    sse_frame frame;
    while (split_.next(frame)) {
      const auto element = without_brackets(trimmed(frame.data));
      if (element.empty() || frame.data == "[DONE]") continue;
      into.append(begun_ ? ",\n" : "[").append(element);
      begun_ = true;
    }
  }

  void end(std::string& into) override { into += begun_ ? "]\n" : "[]\n"; }
  bool is_event_stream() const override { return false; }

 private:
  /// Frames were bounded when they were read.
  sse_splitter split_{std::numeric_limits<std::size_t>::max()};
  bool begun_ = false;
};

}  // namespace

std::unique_ptr<answer_shape> make_event_array() {
  return std::make_unique<event_array>();
}

}  // namespace tidegate::protocol
