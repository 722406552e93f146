#pragma once
/// How a Responses answer ends: translation.md 2.11 and the failures of a stream.

#include <string_view>

#include "protocol/canonical/codec.hpp"

namespace tidegate::protocol::responses {

/// The status of a finished response, and why it is not complete, where there is a word for it.
struct ending {
  std::string_view status = "completed";
  std::string_view reason{};
};

/// `refused`: the answer has a refusal among its contents.
ending ending_of(finish_reason reason, bool refused);

/// The events stopped before their finish.
failed_event cut_short();

}  // namespace tidegate::protocol::responses
