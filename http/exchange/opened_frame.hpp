#pragma once
/// Frames of a provider that puts each event into an envelope. Pure; one object per stream.

#include <string>

#include "protocol/sse.hpp"
#include "provider/provider.hpp"

namespace tidegate::http {

class opened_frame {
 public:
  explicit opened_frame(const provider::descriptor& of) : payload_of_(of.odd.payload_of) {}

  /// Makes the frame that of the event inside; it lives until the next call. A frame without an
  /// envelope stays as it is.
  void open(protocol::sse_frame& frame);

 private:
  std::string_view (*payload_of_)(std::string_view text);
  std::string raw_;
};

}  // namespace tidegate::http
